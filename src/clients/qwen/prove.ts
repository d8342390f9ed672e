// Contract: how a proof starts Qwen Code against a model on loopback: by options for one run, which beat the person's login and
// model. Measured on 0.24.4, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { NO_TELEMETRY, PROVE_KEY, PROVE_MODEL, PROVE_PROMPT, PROVE_PROXY } from '../prove-kit.ts';

export const qwenProve: ProveSurface = {
  api: 'openai-chat-completions',
  keptEnv: ['QWEN_HOME', 'QWEN_CODE_SYSTEM_SETTINGS_PATH', 'QWEN_CODE_SYSTEM_DEFAULTS_PATH'],
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'a step of the proof', is_background: false } }),
  mcp: { why: 'Qwen Code offers the tools of servers only after a search for them' },
  start: ({ url }) => ({
    argv: ['-p', PROVE_PROMPT, '--yolo', '--auth-type', 'openai', '--openai-base-url', url, '--openai-api-key', PROVE_KEY, '--model', PROVE_MODEL, '--proxy', PROVE_PROXY],
    // The same by variables, because an entry of the person's for that model would otherwise bring its own endpoint.
    env: { ...NO_TELEMETRY, QWEN_TELEMETRY_ENABLED: 'false', OPENAI_API_KEY: PROVE_KEY, OPENAI_BASE_URL: url, OPENAI_MODEL: PROVE_MODEL },
    files: {},
  }),
  basis: { text: '--auth-type openai with --openai-base-url and a dummy --openai-api-key; -p --yolo', basis: 'measured', versions: '0.24.4' },
};
