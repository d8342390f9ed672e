// Contract: how a proof starts the Codex CLI against a model on loopback: by `-c` for one run, never by its files, and never
// past the trust of hooks. Measured on 0.171.0, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { PROVE_KEY, PROVE_PROMPT } from '../prove-kit.ts';

const PROVIDER = 'praetorctl_prove';
const KEY = 'PRAETORCTL_PROVE_KEY';

const set = (key: string, value: string | number | boolean): string[] => ['-c', `${key}=${JSON.stringify(value)}`];

export const codexProve: ProveSurface = {
  api: 'openai-responses',
  keptEnv: ['CODEX_HOME'],
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  mcp: { prefix: (server) => `mcp__${server}__`, namespace: true },
  start: ({ url }) => ({
    argv: [
      'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox',
      ...set('model', 'gpt-5'), ...set('model_provider', PROVIDER),
      ...set(`model_providers.${PROVIDER}.name`, PROVIDER), ...set(`model_providers.${PROVIDER}.base_url`, url), ...set(`model_providers.${PROVIDER}.wire_api`, 'responses'),
      ...set(`model_providers.${PROVIDER}.env_key`, KEY), ...set(`model_providers.${PROVIDER}.request_max_retries`, 0), ...set(`model_providers.${PROVIDER}.stream_max_retries`, 0),
      ...set('chatgpt_base_url', url), ...set('analytics.enabled', false), PROVE_PROMPT,
    ],
    env: { [KEY]: PROVE_KEY },
    files: {},
  }),
  basis: { text: 'a model provider by -c for one run with a dummy key; exec without sandbox and approvals, where hooks still block', basis: 'measured', versions: '0.171.0' },
};
