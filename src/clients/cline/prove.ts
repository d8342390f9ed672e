// Contract: how a proof starts Cline CLI against a model on loopback: with a data directory of the proof's own, so that neither
// the person's providers nor a hub in the background is touched; the hooks stay the person's. Measured on 3.0.65, Linux. PURE.
import type { ProveSurface } from '../../model/client.ts';
import { PROVE_KEY, PROVE_MODEL, PROVE_PROMPT } from '../prove-kit.ts';

const DATA = 'cline';
const PROVIDER = 'openai-compatible';

export const clineProve: ProveSurface = {
  api: 'openai-chat-completions',
  keptEnv: ['CLINE_DIR'],
  shell: (command) => ({ tool: 'run_commands', input: { commands: [command] } }),
  mcp: { why: 'a refusal ends the task, and a run shows one of them' },
  start: ({ url, fileAt, paths }) => ({
    argv: ['--data-dir', fileAt(DATA), PROVE_PROMPT],
    // The servers are the person's own; the data directory would have others.
    env: { CLINE_MCP_SETTINGS_PATH: paths['mcp'] ?? '', CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' },
    files: {
      [`${DATA}/settings/providers.json`]: {
        version: 1, lastUsedProvider: PROVIDER, modes: {},
        providers: { [PROVIDER]: { settings: { provider: PROVIDER, apiKey: PROVE_KEY, model: PROVE_MODEL, baseUrl: url }, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
      },
    },
  }),
  basis: { text: '--data-dir with a provider of its own and a dummy key, hooks and servers as they are', basis: 'measured', versions: '3.0.65' },
};
