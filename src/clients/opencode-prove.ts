// Contract: how a proof starts OpenCode, and its fork Kilo, against a model on loopback: by a configuration in a variable, which
// is laid over the person's own. Measured on OpenCode 1.18.33 and Kilo 7.7.9, Linux. PURE.
import type { ProveSurface } from '../model/client.ts';
import type { JsonObject } from '../model/json.ts';
import { PROVE_KEY, PROVE_MODEL, PROVE_PROMPT } from './prove-kit.ts';

const PROVIDER = 'praetorctl-prove';
const MODEL = `${PROVIDER}/${PROVE_MODEL}`;

function overlay(url: string): JsonObject {
  return {
    model: MODEL, small_model: MODEL, autoupdate: false, share: 'disabled', permission: { bash: 'allow' },
    provider: { [PROVIDER]: { npm: '@ai-sdk/openai-compatible', name: PROVIDER, options: { baseURL: url, apiKey: PROVE_KEY }, models: { [PROVE_MODEL]: { name: PROVE_MODEL, tool_call: true } } } },
  };
}

/** `prefix` of the client's variables, `flags` behind `run`, `quiet` the variables that keep it from the network and the background. */
function surface(prefix: string, flags: readonly string[], quiet: readonly string[], versions: string): ProveSurface {
  return {
    api: 'openai-chat-completions',
    keptEnv: [`${prefix}_CONFIG`, `${prefix}_CONFIG_DIR`],
    shell: (command) => ({ tool: 'bash', input: { command, description: 'a step of the proof' } }),
    mcp: { prefix: (server) => `${server}_` },
    start: ({ url }) => ({
      argv: ['run', ...flags, '--model', MODEL, PROVE_PROMPT],
      env: { [`${prefix}_CONFIG_CONTENT`]: JSON.stringify(overlay(url)), ...Object.fromEntries(quiet.map((name) => [`${prefix}_${name}`, '1'])) },
      files: {},
    }),
    basis: { text: `a provider with a dummy key in ${prefix}_CONFIG_CONTENT, where shell commands are allowed; run --model`, basis: 'measured', versions },
  };
}

const QUIET = ['DISABLE_AUTOUPDATE', 'DISABLE_MODELS_FETCH', 'DISABLE_LSP_DOWNLOAD'];

export const opencodeProve = surface('OPENCODE', [], QUIET, '1.18.33');
export const kiloProve = surface('KILO', ['--auto'], [...QUIET, 'DISABLE_SHARE', 'NO_DAEMON'], '7.7.9');
