// Contract: how a proof starts Claude Code against a model on loopback. Measured on 2.1.332, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { LOOPBACK_ONLY, NO_TELEMETRY, PROVE_KEY, PROVE_PROMPT } from '../prove-kit.ts';

/** An `env` in the person's settings beats the process environment, so the same names go into a layer above it too. */
function redirect(url: string): Record<string, string> {
  return {
    ...LOOPBACK_ONLY, ...NO_TELEMETRY, CLAUDE_CODE_ENABLE_TELEMETRY: '0', BETA_TRACING_ENDPOINT: '', ENABLE_BETA_TRACING_DETAILED: '',
    ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: PROVE_KEY, ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '', ANTHROPIC_CUSTOM_HEADERS: '',
    CLAUDE_CODE_USE_BEDROCK: '', CLAUDE_CODE_USE_VERTEX: '', CLAUDE_CODE_USE_FOUNDRY: '',
    DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Else the tools of servers are on offer only after a search for them.
    ENABLE_TOOL_SEARCH: 'false',
  };
}

const SETTINGS = 'claude-settings.json';

export const claudeProve: ProveSurface = {
  api: 'anthropic-messages',
  keptEnv: ['CLAUDE_CONFIG_DIR'],
  shell: (command) => ({ tool: 'Bash', input: { command, description: 'A step of the proof' } }),
  mcp: { prefix: (server) => `mcp__${server}__` },
  start: ({ url, fileAt }) => ({
    argv: ['-p', PROVE_PROMPT, '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash', '--settings', fileAt(SETTINGS)],
    env: redirect(url),
    // An own key helper would be started and asked for the person's key.
    files: { [SETTINGS]: { env: redirect(url) } },
  }),
  basis: { text: 'ANTHROPIC_BASE_URL and a dummy ANTHROPIC_API_KEY, also through --settings; -p with Bash allowed', basis: 'measured', versions: '2.1.332' },
};
