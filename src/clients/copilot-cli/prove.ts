// Contract: how a proof starts GitHub Copilot CLI against a model on loopback: by variables. Measured on 1.0.102, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { PROVE_KEY, PROVE_PROMPT } from '../prove-kit.ts';

export const copilotProve: ProveSurface = {
  api: 'openai-chat-completions',
  keptEnv: ['COPILOT_HOME'],
  shell: (command) => ({ tool: 'bash', input: { command, description: 'a step of the proof' } }),
  mcp: { prefix: (server) => `${server}-` },
  start: ({ url }) => ({
    // The name of a model that the client knows how to talk to.
    argv: ['-p', PROVE_PROMPT, '--allow-all-tools', '--allow-all-paths'],
    env: { COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: PROVE_KEY, COPILOT_MODEL: 'gpt-4.1', COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    files: {},
  }),
  basis: { text: 'COPILOT_PROVIDER_BASE_URL with a dummy key and COPILOT_OFFLINE; -p --allow-all-tools', basis: 'measured', versions: '1.0.102' },
};
