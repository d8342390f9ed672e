// The hook and the runtime agree: generated catalogues and calls, decided by the hook's way (index, lookup) and run through a session.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RISKS, STATES } from '../../src/contract/catalogue.ts';
import { catalogueSchema, type Catalogue } from '../../src/contract/catalogue-schema.ts';
import { gateFacts } from '../../src/contract/gate.ts';
import { decideCall, type ContractIndex } from '../../src/contract/lookup.ts';
import { normalName } from '../../src/contract/catalogue.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { initialize, modernMeta, refusalOf, rig, toolCall, vectorCatalogue, vectors, withLiveTools } from '../mcp/support.ts';

const ZERO = `sha256:${'0'.repeat(64)}`;
const NAMES = ['confirm', 'idempotency_key', 'dry_run', 'id', 'text', 'dryRun', 'Confirm', 'praetor_confirm', '__proto__', 'constructor'];

const operation = (n: number): fc.Arbitrary<JsonObject> => fc.record({
  state: fc.constantFrom(...STATES, 'approved' as const, 'approved' as const), effect: fc.constantFrom('read', 'mutation'), risk: fc.constantFrom(...RISKS), reversible: fc.boolean(),
  idempotency: fc.constantFrom('natural', 'key_supported', 'required', 'none'), confirmationRequired: fc.boolean(), human: fc.constantFrom(undefined, true, false),
  dryRun: fc.constantFrom(undefined, 'runtime', 'upstream'), derive: fc.constantFrom('none', 'request_fingerprint'), known: fc.option(fc.subarray(NAMES)), variant: fc.boolean(),
}).map((o) => ({
  id: `lab.op.${n}`, mcpTool: `op-${n}`, state: o.state, effect: o.effect, risk: o.risk, reversible: o.reversible, idempotency: o.idempotency, retrySafe: false,
  confirmationRequired: o.confirmationRequired, ...(o.human === undefined || (o.human && !o.confirmationRequired) ? {} : { humanApproval: o.human }),
  ...(o.idempotency === 'required' || o.idempotency === 'key_supported' ? { idempotencyKey: { input: 'idempotency_key', derive: o.derive } } : {}),
  ...(o.dryRun === undefined ? {} : { dryRun: { input: 'dry_run', by: o.dryRun } }), ...(o.known === null ? {} : { arguments: o.known }),
  variants: o.variant ? [{ when: { id: ['a'] }, set: { effect: 'read', risk: 'none', confirmationRequired: false } }] : [],
  pin: { definition: ZERO, description: ZERO, input: ZERO, annotations: ZERO }, approval: { by: 'dev', at: '2026-11-30', definition: ZERO },
}));

const catalogues: fc.Arbitrary<Catalogue> = fc.tuple(fc.integer({ min: 1, max: 4 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => operation(i)))), fc.constantFrom('none', 'unsafe', 'all')).map(
  ([operations, tier]) => catalogueSchema.parse({ schema: 'praetor.catalogue/1', service: { id: 'lab', version: '1', source: { kind: 'mcp', digest: ZERO } }, bindings: ['lab'], humanApprovalDefault: tier, operations }),
);

const value: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(true, false, 'true', '', 'a', 'k-1', 'a\nb', 1, null, {}, []);
const given: fc.Arbitrary<JsonObject> = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 6 }).map((entries) => JSON.parse(`{${[...new Map(entries)].map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`) as JsonObject);

function indexOf(catalogue: Catalogue): ContractIndex {
  return {
    serverOf: (server) => (server === 'lab' || server === catalogue.service.id ? { service: catalogue.service.id } : undefined), isQuarantined: () => false,
    operationsOf: (_service, tool) => catalogue.operations.filter(({ mcpTool }) => normalName(mcpTool) === normalName(tool)).map((one) => gateFacts(catalogue, one)),
  };
}

function holds(catalogue: Catalogue, tool: string, input: JsonObject, floor: 'none' | 'unsafe' | 'all', era: 'legacy' | 'modern', elicitation: boolean): void {
  const hook = decideCall(indexOf(catalogue), { pairs: [{ server: catalogue.service.id, tool }], spell: (name) => name }, input, { floor, unlistedServer: 'pass' });
  const live = withLiveTools(catalogue);
  const capabilities = elicitation ? { elicitation: { form: {} } } : {};
  const made = rig(live.catalogue, live.tools, { floor });
  if (era === 'legacy') made.send(initialize(capabilities));
  const got = made.send(toolCall(1, tool, input, era === 'modern' ? modernMeta(capabilities) : {}));
  if (hook.decision === 'deny') {
    expect(got.upstream).toEqual([]);
    expect(refusalOf(got.client[0])['code']).toBe(hook.code);
    return;
  }
  if (hook.decision === 'none') {
    // Passed, or answered by the runtime's own dry run.
    if (!hook.dryRun) expect(got.upstream).toHaveLength(1);
    expect(JSON.stringify(got.client)).not.toContain('"isError":true');
    return;
  }
  expect(got.upstream).toEqual([]);
  if (!elicitation) {
    expect(refusalOf(got.client[0])['code']).toBe('confirmation_required');
    return;
  }
  const [question] = got.client;
  const answer = { action: 'accept', content: { confirm: true } };
  const after = era === 'legacy' ? made.send({ jsonrpc: '2.0', id: question!['id']!, result: answer })
    : made.send(toolCall(2, tool, input, { ...modernMeta(capabilities), inputResponses: { praetor_confirm: answer }, requestState: (question!['result'] as JsonObject)['requestState']! }));
  expect(after.upstream).toHaveLength(1);
}

describe('agreement of hook and runtime', () => {
  it('for generated catalogues and calls, floors and eras', () => {
    let decided = 0;
    fc.assert(fc.property(catalogues, given, fc.constantFrom('none' as const, 'unsafe' as const, 'all' as const), fc.constantFrom('legacy' as const, 'modern' as const), fc.boolean(), (catalogue, input, floor, era, elicitation) => {
      for (const { mcpTool } of catalogue.operations) holds(catalogue, mcpTool, input, floor, era, elicitation);
      decided += catalogue.operations.length;
    }), { numRuns: 1500 });
    expect(decided).toBeGreaterThan(1500);
  });

  it.each(vectors.filter((vector) => vector['kind'] === 'agreement').map((vector) => [String(vector['id']), String(vector['catalogue']), String(vector['tool'])]))('%s: 200 calls of %s %s', (_id, name, tool) => {
    const catalogue = vectorCatalogue(name);
    fc.assert(fc.property(given, fc.constantFrom('legacy' as const, 'modern' as const), fc.boolean(), (input, era, elicitation) => holds(catalogue, tool, input, 'none', era, elicitation)), { numRuns: 200 });
  });
});
