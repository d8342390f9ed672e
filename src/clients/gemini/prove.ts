// Contract: how a proof starts Gemini CLI against a model on loopback. Measured on 0.61.0, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { PROVE_KEY, PROVE_PROMPT } from '../prove-kit.ts';

const SETTINGS = 'gemini-system-settings.json';
const METHOD = 'gemini-api-key';

const part = (document: JsonObject, key: string): JsonObject => (isObject(document[key]) ? document[key] : {});

/** The machine's own system settings with another way to sign in: that layer wins over the person's login. */
function systemSettings(system: JsonObject): JsonObject {
  const security = part(system, 'security');
  return {
    ...system,
    security: { ...security, auth: { ...part(security, 'auth'), selectedType: METHOD, enforcedType: METHOD } },
    privacy: { ...part(system, 'privacy'), usageStatisticsEnabled: false },
    telemetry: { ...part(system, 'telemetry'), enabled: false },
    general: { ...part(system, 'general'), enableAutoUpdate: false, enableAutoUpdateNotification: false },
  };
}

export const geminiProve: ProveSurface = {
  api: 'gemini-generate-content',
  keptEnv: ['GEMINI_CLI_HOME'],
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  start: ({ url, fileAt, documents }) => ({
    argv: ['-p', PROVE_PROMPT, '--yolo'],
    env: {
      GEMINI_API_KEY: PROVE_KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_SYSTEM_SETTINGS_PATH: fileAt(SETTINGS),
      GOOGLE_API_KEY: '', GOOGLE_GENAI_USE_VERTEXAI: '', GOOGLE_GENAI_USE_GCA: '',
    },
    files: { [SETTINGS]: systemSettings(documents.get('system') ?? {}) },
  }),
  basis: { text: 'GOOGLE_GEMINI_BASE_URL with a dummy key, the login method in a copy of the system settings; -p --yolo in a trusted workspace', basis: 'measured', versions: '0.61.0' },
};
