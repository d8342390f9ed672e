// Contract: how a proof starts Gemini CLI against a model on loopback. Measured on 0.61.0, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import type { JsonObject } from '../../model/json.ts';
import { PROVE_KEY, PROVE_PROMPT } from '../prove-kit.ts';

/**
 * A login in the person's settings would beat the dummy key; settings of the (temporary, trusted) workspace beat the person's. A
 * system settings file of ours would be skipped: Gemini takes one only where every directory above it is closed to others.
 */
const WORKSPACE_SETTINGS: JsonObject = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

export const geminiProve: ProveSurface = {
  api: 'gemini-generate-content',
  keptEnv: ['GEMINI_CLI_HOME', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'],
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  mcp: { prefix: (server) => `mcp_${server}_` },
  start: ({ url }) => ({
    argv: ['-p', PROVE_PROMPT, '--yolo'],
    env: {
      GEMINI_API_KEY: PROVE_KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true', GOOGLE_API_KEY: '', GOOGLE_GENAI_USE_VERTEXAI: '', GOOGLE_GENAI_USE_GCA: '',
    },
    files: {},
    workspace: { '.gemini/settings.json': WORKSPACE_SETTINGS },
  }),
  basis: { text: 'GOOGLE_GEMINI_BASE_URL with a dummy key, the login method in the settings of the temporary workspace; -p --yolo', basis: 'measured', versions: '0.61.0' },
};
