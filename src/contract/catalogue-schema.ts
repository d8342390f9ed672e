// Contract: the catalogue document's schema and its reading. schemas/catalogue.schema.json is generated from it. Keys are strict:
// an unknown key is an error with its path, because a misspelt safety key would be a hole. PURE.
import { z } from 'zod';
import { scanJson, type Scan } from '../merge/json-scan.ts';
import { locate } from '../merge/json-walk.ts';
import { positionOf } from '../merge/text.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ACTIONS, APPROVAL_TIERS, BASES, IDEMPOTENCY, METHODS, OPERATIONS_MAX, RISKS, STATES } from './catalogue.ts';

export const CATALOGUE_CHARS_MAX = 64 * 1024 * 1024;

const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'not a sha256 digest');
const argument = z.string().min(1).max(128);
/** A text that is shown in one line of a terminal. */
const line = (max: number): z.ZodString => z.string().max(max).regex(/^[^\u0000-\u001f\u007f]*$/u, 'no control characters');

const posture = z.strictObject({
  effect: z.enum(['read', 'mutation']), risk: z.enum(RISKS), reversible: z.boolean(), idempotency: z.enum(IDEMPOTENCY), retrySafe: z.boolean(),
  confirmationRequired: z.boolean(), humanApproval: z.boolean().optional().describe('Absent: as humanApprovalDefault says. Wins over it, never over an operator\'s floor.'),
});

const variant = z.strictObject({
  when: z.record(argument, z.array(z.union([z.string(), z.number(), z.boolean()])).min(1)).refine((when) => Object.keys(when).length > 0, 'names no argument')
    .describe('Exact values of arguments; all of them must match.'),
  set: posture.partial(),
}).describe('Another posture for exact argument values. The first match wins; the base posture is the worst case.');

/** Where an argument goes in the request of an `openapi` upstream. */
const place = z.strictObject({
  in: z.enum(['path', 'query', 'header', 'body']), name: z.string().min(1).max(256), whole: z.boolean().optional().describe('It is the whole body.'),
  join: z.boolean().optional().describe('A list is one value with commas, not a value for each.'),
});

const httpRequest = z.strictObject({
  method: z.enum(METHODS), path: z.string().max(2048).regex(/^\/[^?#\s\\]*$/, 'not a path'), arguments: z.record(argument, place),
  body: z.string().regex(/^application\/(?:json|x-www-form-urlencoded|[a-z0-9.-]+\+json)$/, 'not a type of body that is sent').optional(),
  auth: z.array(z.array(line(128))).optional().describe('Sets of headers of headerEnv, one of which is sent. Absent: all of them.'),
}).describe('What a call becomes. Part of what is approved: the description ends with it in words.');

const operation = posture.extend({
  id: z.string().max(256).regex(/^[a-z0-9_-]+(\.[a-z0-9_.-]+)+$/, 'not an operation id'),
  mcpTool: z.string().min(1).max(128).describe('The server\'s own spelling, verbatim.'),
  title: line(160).optional(),
  state: z.enum(STATES),
  action: z.enum(ACTIONS).optional(),
  idempotencyKey: z.strictObject({
    input: argument, derive: z.enum(['none', 'request_fingerprint']).default('none'),
    carrier: z.strictObject({ in: z.enum(['argument', 'header', 'query', 'path', 'body']), name: z.string().min(1).max(128) }).optional(),
  }).optional(),
  confirmationInput: argument.default('confirm'),
  confirmationReason: line(300).optional(),
  dryRun: z.strictObject({ input: argument, by: z.enum(['upstream', 'runtime']).default('runtime') }).optional(),
  request: httpRequest.optional(),
  output: z.enum(['strip', 'verify', 'guaranteed']).default('verify').describe('What the server promises of its results. Whatever stands here, the runtime does not show a declared output schema: docs/mcp.md says why.'),
  arguments: z.array(z.string().max(256)).max(1000).optional().describe('The tool\'s own top-level arguments: anything else that looks like a control is refused.'),
  variants: z.array(variant).max(100).default([]),
  pin: z.strictObject({ definition: sha256, description: sha256, input: sha256, inputShape: sha256.optional(), annotations: sha256, output: sha256.optional() }),
  basis: z.record(z.string(), z.enum(BASES)).default({}),
  approval: z.strictObject({ by: line(256), at: line(64), definition: sha256, note: line(300).optional() }).optional(),
}).superRefine((value, context) => {
  const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (value.state === 'approved' && value.approval === undefined) fault('approval', 'an approved operation has the record of its approval');
  if (value.state === 'approved' && value.approval !== undefined && value.approval.definition !== value.pin.definition) fault('approval', 'the approval is of another definition than the pin');
  if (value.idempotency === 'required' && value.idempotencyKey === undefined) fault('idempotencyKey', 'a required key has an argument');
  if (value.humanApproval === true && !value.confirmationRequired) fault('confirmationRequired', 'an operation that a person approves is one that is confirmed');
  if (value.effect === 'mutation' && value.idempotency === 'none' && value.retrySafe) fault('retrySafe', 'a mutation without idempotency is not safe to retry');
  const controls = [value.confirmationInput, value.idempotencyKey?.input, value.dryRun?.by === 'runtime' ? value.dryRun.input : undefined].filter((name) => name !== undefined);
  if (new Set(controls).size !== controls.length) fault('confirmationInput', 'two controls have one name');
});

const hosts = z.array(z.string().min(1).max(253)).min(1);
const headerEnv = z.record(z.string(), z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a variable name')).default({}).describe('Header name to the name of the variable that holds its value.');

const upstream = z.union([
  z.strictObject({
    transport: z.literal('stdio'), command: z.string().min(1), args: z.array(z.string()).default([]), cwd: z.string().optional(),
    envNames: z.array(z.string()).default([]).describe('Names of variables that are passed on, never values.'), package: z.string().optional().describe('name@exact-version'),
  }),
  z.strictObject({ transport: z.literal('http'), url: z.url({ protocol: /^https?$/ }), allowedHosts: hosts, headerEnv }),
  z.strictObject({ transport: z.literal('openapi'), baseUrl: z.url({ protocol: /^https?$/ }), allowedHosts: hosts, headerEnv, document: z.string().optional().describe('Path of the OpenAPI document.') }),
]);

export const catalogueSchema = z.strictObject({
  schema: z.literal('praetor.catalogue/1'),
  service: z.strictObject({
    id: z.string().regex(/^[a-z](?:[a-z0-9_-]{0,62}[a-z0-9])?$/, 'use lower-case letters, digits, "_" and "-"'), version: line(64), displayName: line(160).optional(),
    source: z.strictObject({ kind: z.enum(['mcp', 'openapi', 'manual']), uri: z.string().optional(), digest: sha256, protocolVersion: z.string().optional(), capturedWith: z.array(z.string()).optional() }),
  }),
  bindings: z.array(z.string().min(1).max(256)).min(1).describe('Names under which clients see this server.'),
  upstream: upstream.optional(),
  humanApprovalDefault: z.enum(APPROVAL_TIERS).default('none'),
  operations: z.array(operation).max(OPERATIONS_MAX),
}).superRefine(({ operations }, context) => {
  const tools = new Set<string>();
  operations.forEach(({ mcpTool }, i) => {
    if (tools.has(mcpTool)) context.addIssue({ code: 'custom', path: ['operations', i, 'mcpTool'], message: 'another operation is of this tool' });
    tools.add(mcpTool);
  });
}).describe('praetorctl operation catalogue of one MCP server');

export type Catalogue = z.infer<typeof catalogueSchema>;
export type Operation = z.infer<typeof operation>;
export type Posture = z.infer<typeof posture>;
export type Variant = z.infer<typeof variant>;
export type Upstream = z.infer<typeof upstream>;
export type HttpRequest = z.infer<typeof httpRequest>;
export type OpenapiUpstream = Extract<Upstream, { transport: 'openapi' }>;
export type Pin = Operation['pin'];

export type CatalogueResult = { readonly ok: true; readonly catalogue: Catalogue } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const FIX = 'correct the catalogue, or make it anew: praetorctl contract import SERVER';

/** Reads a catalogue's text. JSON only: it is written by the program and reviewed as a diff. */
export function parseCatalogue(path: string, text: string): CatalogueResult {
  const refuse = (message: string, at = {}): CatalogueResult => ({ ok: false, diagnostics: [{ code: 'catalogue-invalid', severity: 'error', message, where: { path, ...at }, fix: FIX }] });
  if (text.length > CATALOGUE_CHARS_MAX) return refuse(`the catalogue is larger than ${CATALOGUE_CHARS_MAX} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const offset = /at position ([0-9]+)/.exec(message)?.[1];
    return refuse(`the catalogue is not JSON: ${message.slice(0, 160)}`, positionOf(text, offset === undefined ? text.length : Number(offset)));
  }
  const parsed = catalogueSchema.safeParse(value);
  if (parsed.success) return { ok: true, catalogue: parsed.data };
  const scanned = scanJson(text);
  const at = (steps: readonly PropertyKey[]): { line?: number; column?: number } => (scanned.ok ? positionIn(text, scanned, steps.map((step) => (typeof step === 'number' ? step : String(step)))) : {});
  return {
    ok: false,
    diagnostics: parsed.error.issues.slice(0, 20).map((issue) => ({
      code: 'catalogue-invalid', severity: 'error', message: `${issue.path.map(String).join('.') || 'the document'}: ${issue.message}`, where: { path, ...at(issue.path) }, fix: FIX,
    })),
  };
}

/** Of the value at a path; where it is missing, of what lacks it. */
function positionIn(text: string, scan: Scan, steps: readonly (string | number)[]): { line?: number; column?: number } {
  for (let length = steps.length; length >= 0; length--) {
    const spot = locate({ text, ends: scan.ends }, scan.root, steps.slice(0, length));
    if (spot.kind === 'found') return positionOf(text, length === 0 ? scan.root : spot.valueStart);
  }
  return {};
}
