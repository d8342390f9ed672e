// The decision against the vectors that were worked out by an independent reference. Encodings: test/contract/hook.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { normalName } from '../../src/contract/catalogue.ts';
import { parseCatalogue, type Catalogue } from '../../src/contract/catalogue-schema.ts';
import { gateFacts } from '../../src/contract/gate.ts';
import { decideCall, type ContractIndex, type ContractPolicy } from '../../src/contract/lookup.ts';
import type { JsonValue } from '../../src/model/json.ts';

interface Vector {
  id: string; kind: string; why: string; name: string; client: string; catalogue: Catalogue; disputed?: string;
  payload: { tool_input?: JsonValue; args?: JsonValue; toolCall?: { args: { Arguments?: JsonValue } } };
  resolve: { server: string; tool: string } | null;
  policy?: { humanApprovalFloor?: 'none' | 'unsafe' | 'all'; unlistedServer?: 'deny' };
  expect: { decision: string; code: string | null; detail?: string; tier?: string; required?: string[]; state?: string; context?: boolean; contextNames?: string[] };
}

const vectors = readFileSync(join(import.meta.dirname, '../fixtures/contract/vectors.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Vector);
const catalogues = vectors.filter(({ kind }) => kind === 'catalogue').map(({ catalogue }) => {
  const parsed = parseCatalogue('vectors', JSON.stringify(catalogue));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.catalogue;
});

const index: ContractIndex = {
  serverOf: (server) => {
    const found = catalogues.find(({ bindings }) => bindings.some((binding) => normalName(binding) === normalName(server)));
    return found === undefined ? undefined : { service: found.service.id };
  },
  operationsOf: (service, tool) => {
    const catalogue = catalogues.find((one) => one.service.id === service);
    return (catalogue?.operations ?? []).filter(({ mcpTool }) => normalName(mcpTool) === normalName(tool)).map((operation) => gateFacts(catalogue!, operation));
  },
  isQuarantined: () => false,
};

const SPELLED = ['codex'];
const decided = vectors.filter(({ id, kind, resolve }) => kind === 'hook' && (resolve !== null || id === 'cv-077' || id === 'cv-079'));

describe('decideCall', () => {
  it('is asked with enough vectors', () => expect(decided.length).toBeGreaterThan(35));

  it.each(decided.map((vector) => [vector.id, vector.why, vector] as const))('%s %s', (_id, _why, vector) => {
    const { server, tool } = vector.resolve ?? { server: 'payments', tool: 'payments_create_refund' };
    const policy: ContractPolicy = { floor: vector.policy?.humanApprovalFloor ?? 'none', unlistedServer: vector.policy?.unlistedServer ?? 'pass' };
    const input = vector.payload.toolCall === undefined ? vector.payload.tool_input ?? vector.payload.args : vector.payload.toolCall.args.Arguments;
    const got = decideCall(index, { pairs: [{ server, tool }], spell: SPELLED.includes(vector.client) ? normalName : (name) => name }, input, policy);
    const want = vector.expect;
    // What the model can put right comes first, as the disputed vectors recommend.
    if (vector.disputed !== undefined) return expect(got).toMatchObject({ decision: 'deny', code: 'idempotency_required', required: want.required });
    expect(got.decision).toBe(want.decision === 'allow' ? 'none' : want.decision);
    expect('code' in got ? got.code : null).toBe(want.code);
    for (const key of ['detail', 'tier', 'required', 'state'] as const) if (want[key] !== undefined) expect(got).toHaveProperty(key, want[key]);
    if (want.context === true) expect(got).toMatchObject({ context: expect.any(String) as string, contextNames: want.contextNames });
    else expect(got).not.toHaveProperty('context');
  });
});
