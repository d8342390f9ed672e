// Contract: the operator settings document. The JSON Schema in schemas/settings.schema.json is generated from this one
// definition (scripts/generate.mjs). Keys are strict: an unknown key is an error with its line. PURE.
import { z } from 'zod';
import { APPROVAL_TIERS } from '../contract/catalogue.ts';
import { CANONICAL_EVENTS, type CanonicalEvent } from '../model/events.ts';
import { commandPolicySchema, EVALUATORS_MAX, evaluatorSchema } from './command-policy.ts';

/** Room for 20,000 operator rules. */
export const SETTINGS_CHARS_MAX = 4 * 1024 * 1024;
/** No character of UTF-8 takes more than three bytes for one unit of a string. */
export const SETTINGS_BYTES_MAX = SETTINGS_CHARS_MAX * 3;
export const SERVERS_MAX = 200;

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'use letters, digits, ".", "_" and "-", at most 64');
const value = z.string().max(8192);
const values = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a variable name'), value);
const headers = z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name'), value);

const stdioServer = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1).max(4096).describe('Executable, by name or absolute path.'),
  args: z.array(z.string().max(8192)).max(256).default([]),
  env: values.default({}).describe('Values are literals or ${NAME} references to the environment of the client.'),
}).describe('A server that the client starts and talks to over standard input and output.');

const httpServer = z.strictObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  headers: headers.default({}).describe('Values are literals or ${NAME} references to the environment of the client.'),
}).describe('A server reached over streamable HTTP.');

const duration = z.string().regex(/^[1-9][0-9]{0,4}(s|m|h|d)$/, 'write a number and a unit: s, m, h or d, for example 7d');

export const settingsSchema = z.strictObject({
  clients: z.strictObject({
    selected: z.record(z.string(), z.strictObject({}).nullable()).optional()
      .describe('Clients to register in, by id. Without this key: every client that is detected.'),
    places: z.record(z.string(), z.string().min(1).max(4096)).default({})
      .describe('The file of a client\'s MCP servers, by id of the client, as an absolute path: where documents disagree about it, or the client keeps it elsewhere.'),
    verified_max_age: duration.default('7d').describe('Evidence older than this is stale.'),
  }).prefault({}),
  hooks: z.strictObject({
    events: z.array(z.enum(CANONICAL_EVENTS)).min(1).default(['pre-tool', 'session-start'])
      .describe('Canonical events to register. A client that lacks one is registered without it.'),
    command_policy: commandPolicySchema.prefault({}),
    evaluators: z.array(evaluatorSchema).max(EVALUATORS_MAX).default([]).describe('Checks of your own. The events they need are registered too.'),
  }).prefault({}),
  contract: z.strictObject({
    human_approval_floor: z.enum(APPROVAL_TIERS).default('none').describe('Confirmed operations of MCP catalogues that a person must approve whatever the catalogue says: none, the unsafe ones, all.'),
    unlisted_servers: z.enum(['pass', 'deny']).default('pass').describe('Calls of MCP servers without a catalogue.'),
    human_evidence: z.array(z.enum(['hook', 'grant', 'elicitation'])).min(1).default(['hook', 'grant', 'elicitation']).describe('What counts as a person\'s approval in the guarding runtime.'),
  }).prefault({}),
  update: z.strictObject({
    channel: z.literal('manual').default('manual').describe('This version is updated by hand.'),
  }).prefault({}),
  mcpServers: z.record(name, z.union([stdioServer, httpServer])).default({})
    .describe('Servers to register in every selected client, in the shape that vendors publish.'),
}).describe('praetorctl operator settings');

export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/** The events to register: those that are named, and those that an evaluator needs. */
export function wantedEvents(settings: Settings): ReadonlySet<CanonicalEvent> {
  return new Set<CanonicalEvent>([...settings.hooks.events, ...settings.hooks.evaluators.flatMap((evaluator) => evaluator.events)]);
}

/** Milliseconds of a duration such as `7d`. */
export function durationMs(text: string): number {
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.slice(-1)] ?? 0;
  return Number(text.slice(0, -1)) * unit;
}
