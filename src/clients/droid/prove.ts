// Contract: how a proof starts Droid against a model on loopback: by a settings file for one process. Measured on 0.215.0, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { PROVE_KEY, PROVE_MODEL, PROVE_PROMPT } from '../prove-kit.ts';

const SETTINGS = 'droid-settings.json';

export const droidProve: ProveSurface = {
  api: 'openai-chat-completions',
  keptEnv: [],
  shell: (command) => ({ tool: 'Execute', input: { command, summary: 'a step of the proof', riskLevel: 'low', riskLevelReason: 'none', timeout: 30 } }),
  mcp: { why: 'Droid offers the tools of servers only after a search for them' },
  start: ({ url, fileAt }) => ({
    argv: ['--settings', fileAt(SETTINGS), 'exec', '--skip-permissions-unsafe', '-m', `custom:${PROVE_MODEL}-0`, PROVE_PROMPT],
    env: { FACTORY_API_KEY: PROVE_KEY, FACTORY_AIRGAP_ENABLED: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false', FACTORY_DISABLE_SETTINGS_PERSISTENCE: 'true' },
    files: { [SETTINGS]: { customModels: [{ model: PROVE_MODEL, displayName: PROVE_MODEL, baseUrl: url, apiKey: PROVE_KEY, provider: 'generic-chat-completion-api', maxOutputTokens: 1024 }] } },
  }),
  basis: { text: 'a custom model through --settings for one process, with a dummy FACTORY_API_KEY and without a network; exec --skip-permissions-unsafe', basis: 'measured', versions: '0.215.0' },
};
