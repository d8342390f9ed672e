// The hook and the runtime agree: generated catalogues and calls, decided by the hook's way (index, lookup) and run through a session.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RISKS, STATES } from '../../src/contract/catalogue.ts';
import { catalogueSchema, type Catalogue } from '../../src/contract/catalogue-schema.ts';
import { gateFacts } from '../../src/contract/gate.ts';
import { decideCall, type ContractIndex } from '../../src/contract/lookup.ts';
import { normalName } from '../../src/contract/catalogue.ts';
import { compileOpenapi, draftOf } from '../../src/contract/openapi.ts';
import type { ToolDefinition } from '../../src/contract/pins.ts';
import { planRequest } from '../../src/contract/request.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { initialize, modernMeta, refusalOf, rig, sha256, toolCall, vectorCatalogue, vectors, withLiveTools } from '../mcp/support.ts';

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

/** `tools`: of a service that the runtime itself calls; without them a server's, made to fit. */
function holds(catalogue: Catalogue, tool: string, input: JsonObject, floor: 'none' | 'unsafe' | 'all', era: 'legacy' | 'modern', elicitation: boolean, tools?: ToolDefinition[]): void {
  const hook = decideCall(indexOf(catalogue), { pairs: [{ server: catalogue.service.id, tool }], spell: (name) => name }, input, { floor, unlistedServer: 'pass' });
  const live = tools === undefined ? withLiveTools(catalogue) : { catalogue, tools };
  const capabilities = elicitation ? { elicitation: { form: {} } } : {};
  const made = rig(live.catalogue, live.tools, { floor, executes: tools !== undefined });
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

// ---- a service behind an OpenAPI document ----

interface Service { readonly catalogue: Catalogue; readonly tools: ToolDefinition[] }

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
const KEY_HEADER = { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } };

const documented = fc.record({
  method: fc.constantFrom(...METHODS), path: fc.constantFrom('/notes', '/notes/{id}', '/notes/{id}/send', '/notes/search'), query: fc.subarray(['text', 'confirm', 'dryRun', 'idempotency_key']), key: fc.constantFrom('none', 'optional', 'required'), body: fc.option(fc.subarray(['text', 'confirm', 'id'])),
  state: fc.constantFrom('approved', 'approved', 'approved', 'review_required', 'blocked'), human: fc.constantFrom(undefined, true, false), derive: fc.boolean(), noDryRun: fc.boolean(),
});

/** Documents that a service could have, compiled as import does it, with what a person may change in the drafts. */
const services: fc.Arbitrary<Service> = fc.tuple(fc.array(documented, { minLength: 1, maxLength: 4 }), fc.constantFrom('none', 'unsafe', 'all')).map(([operations, tier]) => {
  const paths: Record<string, Record<string, JsonValue>> = {};
  operations.forEach(({ method, path, query, key, body }, n) => {
    (paths[`/v${n}${path}`] ??= {})[method] = {
      operationId: `op_${n}`,
      parameters: [...(path.includes('{id}') ? [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }] : []), ...query.map((name) => ({ in: 'query', name, schema: { type: 'string' } })), ...(key === 'none' ? [] : [{ ...KEY_HEADER, required: key === 'required' }])],
      ...(body === null || method === 'get' ? {} : { requestBody: { content: { 'application/json': { schema: { type: 'object', properties: Object.fromEntries(body.map((name) => [name, { type: 'string' }])) } } } } }),
    };
  });
  const compiled = compileOpenapi({ openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths } as JsonValue, sha256);
  if (typeof compiled === 'string') throw new Error(compiled);
  const drafts = compiled.tools.map((one) => {
    const { operation: draft } = draftOf('lab', one, sha256);
    const { state, human, derive, noDryRun } = operations[Number(one.tool.name.slice(3))]!;
    const { dryRun, ...rest } = draft;
    return {
      ...rest, state, approval: { by: 'dev', at: '2026-11-30', definition: draft.pin.definition }, ...(dryRun === undefined || noDryRun ? {} : { dryRun }),
      ...(human === undefined || (human && !draft.confirmationRequired) ? {} : { humanApproval: human }), ...(draft.idempotencyKey === undefined || !derive ? {} : { idempotencyKey: { ...draft.idempotencyKey, derive: 'request_fingerprint' } }),
    };
  });
  const catalogue = catalogueSchema.parse({
    schema: 'praetor.catalogue/1', service: { id: 'lab', version: '1', source: { kind: 'openapi', digest: ZERO } }, bindings: ['lab'], humanApprovalDefault: tier, operations: drafts,
    upstream: { transport: 'openapi', baseUrl: 'https://notes.example.test', allowedHosts: ['notes.example.test'] },
  });
  return { catalogue, tools: compiled.tools.map(({ tool }) => tool) };
});

describe('agreement with a service behind an OpenAPI document', () => {
  it('for generated documents and calls, floors and eras', () => {
    let decided = 0;
    fc.assert(fc.property(services, given, fc.constantFrom('none' as const, 'unsafe' as const, 'all' as const), fc.constantFrom('legacy' as const, 'modern' as const), fc.boolean(), ({ catalogue, tools }, input, floor, era, elicitation) => {
      for (const { mcpTool } of catalogue.operations) holds(catalogue, mcpTool, input, floor, era, elicitation, tools);
      decided += catalogue.operations.length;
    }), { numRuns: 1000 });
    expect(decided).toBeGreaterThan(1000);
  });

  it('what the hook lets pass becomes a request, or is refused for its arguments alone', () => {
    let sent = 0;
    fc.assert(fc.property(services, given, fc.boolean(), fc.boolean(), ({ catalogue, tools }, random, fits, confirmed) => {
      for (const one of catalogue.operations) {
        const { mcpTool } = one;
        // What a model sends that reads the schema, or anything.
        const fitting = { ...Object.fromEntries(Object.keys(one.request!.arguments).map((name) => [name, 'a'])), ...(confirmed ? { [one.confirmationInput]: true } : {}), ...(one.idempotencyKey === undefined ? {} : { [one.idempotencyKey.input]: 'k-1' }) };
        const input: JsonObject = fits ? fitting : random;
        if (decideCall(indexOf(catalogue), { pairs: [{ server: 'lab', tool: mcpTool }], spell: (name) => name }, input, { floor: 'none', unlistedServer: 'pass' }).decision !== 'none') continue;
        const made = rig(catalogue, tools, { executes: true });
        made.send(initialize());
        const params = made.send(toolCall(1, mcpTool, input)).upstream[0]!['params'] as JsonObject;
        const planned = planRequest(one, catalogue.upstream as Extract<Catalogue['upstream'], { transport: 'openapi' }>, params['arguments'] as JsonObject, [], sha256);
        if (planned.ok) {
          sent += 1;
          expect(planned.request.url.host).toBe('notes.example.test');
          // A dry run is shown and not sent, so it needs no key.
          const isDry = one.dryRun !== undefined && input[one.dryRun.input] === true;
          if (one.idempotency === 'required' && !isDry) expect(planned.request.headers).toHaveProperty('idempotency-key');
        } else expect(planned.code).toBe('validation_error');
      }
    }), { numRuns: 500 });
    expect(sent).toBeGreaterThan(50);
  });
});
