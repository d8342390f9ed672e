// Contract: what the rows of clients without hooks share. Nothing of ours runs in such a client: its row says so by a hook
// surface without events, and everything that asks about hooks asks hasHooks first. PURE.
import type { ClientDefinition, Fact } from '../model/client.ts';
import type { Tolerance } from '../model/edit.ts';

/** Whether a client tells anybody about its tool calls. */
export function hasHooks(client: ClientDefinition): boolean {
  return client.hooks.events.length > 0;
}

/** Said of such a client wherever one would look for a verdict. */
export const NO_HOOK_SURFACE = 'no hook surface: only MCP servers behind the guarding proxy are judged';

/** A strict JSON document, which is what is assumed of a client of which nothing else is known. */
export const STRICT_JSON: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

/** The parts of a row that are about hooks, for a client of which `why` is known. */
export function noHooks(why: Fact): Pick<ClientDefinition, 'hooks' | 'lint' | 'evidenceFiles' | 'switches' | 'sample' | 'verdicts' | 'prove'> {
  const none: Fact = { ...why, text: 'no hook surface' };
  return {
    hooks: { shape: 'none', timeoutUnit: 's', events: [], positional: false, arrayPath: (native) => [native], arrays: () => [], handler: { make: () => ({}), commandOf: () => undefined } },
    lint: () => [],
    evidenceFiles: () => [],
    switches: () => [],
    sample: () => ({ command: '', payload: {} }),
    verdicts: { deny: none, ask: none, neutral: none, crash: none, timeout: none, missingBinary: none, denyEffect: 'none' },
    prove: { unsupported: why.text },
  };
}
