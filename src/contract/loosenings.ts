// Contract: what newer catalogues let pass that older ones did not, of one operation, of a server, of all of them. PURE.
import { normalName } from './catalogue.ts';
import type { Catalogue } from './catalogue-schema.ts';
import { gateFacts, isUnsafe, type GateFacts, type GatePosture } from './gate.ts';

export interface Loosening { readonly operation: string; readonly text: string }
export interface StoreLoosening extends Loosening { readonly service: string }

const looser = (before: GatePosture, after: GatePosture): string[] => [
  ...(before.gated && !after.gated ? ['it is no longer confirmed'] : []),
  ...(before.human && after.gated && !after.human ? ['a person is no longer asked'] : []),
  ...(before.keyRequired && !after.keyRequired ? ['it no longer needs a key'] : []),
  ...(isUnsafe(before) && !isUnsafe(after) ? ['it no longer counts as unsafe'] : []),
];

const controls = ({ confirmInput, dryRunInput, keyInput }: GateFacts): string => JSON.stringify([confirmInput, dryRunInput, keyInput]);

/** Of operations that were and are approved, and of those that nobody may approve by hand. */
export function loosenings(before: Catalogue, after: Catalogue): Loosening[] {
  const old = new Map(before.operations.map((operation) => [operation.mcpTool, operation]));
  return after.operations.flatMap((operation) => {
    const was = old.get(operation.mcpTool);
    if (was === undefined || operation.state !== 'approved') return [];
    if (was.state === 'blocked' || was.state === 'deprecated') return [{ operation: operation.id, text: `it was ${was.state} and is approved` }];
    if (was.state !== 'approved') return [];
    const [a, b] = [gateFacts(before, was), gateFacts(after, operation)];
    const texts = looser(a.base, b.base);
    if (controls(a) !== controls(b)) texts.push('the arguments that confirm it, or that make it a dry run, are others');
    if (JSON.stringify(a.variants) !== JSON.stringify(b.variants) && b.variants.some(({ posture }) => looser(b.base, posture).length > 0 || !posture.gated)) texts.push('its exceptions changed');
    return texts.map((text) => ({ operation: operation.id, text }));
  });
}

/** Where the document lies that a catalogue was made from is nothing that a call reaches. */
const PASSIVE: ReadonlySet<string> = new Set(['document']);

/** What approved operations are of: another program, directory, variable or address is another server. */
function otherUpstream(before: Catalogue, after: Catalogue): string[] {
  if (!after.operations.some(({ state }) => state === 'approved')) return [];
  const [a, b] = [before.upstream ?? {}, after.upstream ?? {}] as Record<string, unknown>[];
  return [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])].filter((key) => !PASSIVE.has(key) && JSON.stringify(a?.[key]) !== JSON.stringify(b?.[key])).map((key) => `upstream.${key} is another one than the operations were approved for`);
}

/** A catalogue that is gone and a name that is bound no more let everything pass that they judged. */
export function storeLoosenings(before: readonly Catalogue[], after: readonly Catalogue[]): StoreLoosening[] {
  const byService = new Map(after.map((catalogue) => [catalogue.service.id, catalogue]));
  return before.flatMap((was) => {
    const service = was.service.id;
    const now = byService.get(service);
    if (now === undefined) return [{ service, operation: service, text: 'its catalogue is gone, so nothing judges its calls' }];
    const bound = new Set(now.bindings.map(normalName));
    const unbound = was.bindings.filter((name) => !bound.has(normalName(name))).map((name) => `the server ${name} is bound no more, so nothing judges its calls`);
    return [...[...unbound, ...otherUpstream(was, now)].map((text) => ({ operation: service, text })), ...loosenings(was, now)].map((one) => ({ ...one, service }));
  });
}
