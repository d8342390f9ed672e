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

/** Milliseconds of a duration such as `7d`. */
export function durationMs(text: string): number {
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.slice(-1)] ?? 0;
  return Number(text.slice(0, -1)) * unit;
}

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

const DURATION = 'write a number and a unit: s, m, h or d, for example 7d';
const duration = z.string().regex(/^[1-9][0-9]{0,4}(s|m|h|d)$/, DURATION);
const within = (least: string, most: string, shape = duration) => shape.refine((text) => durationMs(text) >= durationMs(least) && durationMs(text) <= durationMs(most), `must be from ${least} to ${most}`);

const evidence = z.strictObject({
  export: z.enum(['off', 'file', 'otlp']).default('off').describe('Where evidence goes: nowhere, into a file, or to an OTLP/HTTP endpoint. Never from a hook.'),
  endpoint: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048).optional().describe('The OTLP/HTTP endpoint.'),
  repository: z.string().min(1).max(2048).refine((text) => !text.startsWith('-') && !text.includes('::'), 'not the address of a repository').optional().describe('The git repository that receipts of workstations are pushed to.'),
  key_file: z.string().min(1).max(4096).optional().describe('The file with the key of the fleet, for keyed hashes.'),
  identity: z.enum(['off', 'hash', 'plain']).default('off').describe('Whether evidence names the person: not, as a keyed hash, or in plain.'),
}).describe('What leaves this workstation for an auditor.');

const update = z.strictObject({
  channel: z.enum(['promoted', 'manual']).default('promoted').describe('promoted: scheduled updates follow what the operational fork promotes. manual: only a person updates.'),
  remote: z.string().min(1).max(2048).optional().describe('Where updates come from, instead of the repository that the installation recorded.'),
  branch: z.string().min(1).max(128).refine((text) => !text.includes('..') && !/^[-/]|[\s~^:?*[\\]|\/$/.test(text), 'not the name of a branch').optional().describe('The branch of promotions, instead of the recorded one.'),
  interval: within('5m', '24h').default('15m').describe('How often a schedule looks for updates: 5m to 24h.'),
  soak: within('0d', '30d', z.string().regex(/^(?:0d|[1-9][0-9]{0,4}(s|m|h|d))$/, DURATION)).default('0d').describe('How old a promotion must be before a scheduled update takes it: 0d to 30d. An urgent one is taken at once.'),
  auto_promote: z.enum(['off', 'verified']).default('off').describe('Whether `fork poll` promotes a candidate by itself once every gate has passed. Of the operational fork, not of a workstation.'),
  pin: z.string().regex(/^[0-9a-f]{40}$/, 'write a full commit: 40 hex digits').optional().describe('The promoted commit to stay at.'),
  max_age: within('1h', '90d').default('7d').describe('A last verified check older than this is reported as stale: 1h to 90d.'),
});

export const settingsSchema = z.strictObject({
  clients: z.strictObject({
    selected: z.record(z.string(), z.strictObject({
      required: z.boolean().optional().describe('true: `clients verify` always looks at it and wants it observed, whatever its command line says.'),
    }).nullable()).optional()
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
    on_missing_runtime: z.enum(['allow', 'deny']).default('allow').describe('What the launcher of an installed workstation answers a hook where no node can be started.'),
    evidence: evidence.prefault({}),
  }).prefault({}),
  contract: z.strictObject({
    human_approval_floor: z.enum(APPROVAL_TIERS).default('none').describe('Confirmed operations of MCP catalogues that a person must approve whatever the catalogue says: none, the unsafe ones, all.'),
    client_servers: z.enum(['guard', 'leave']).default('guard').describe('Servers in a client\'s own file that are what a catalogue starts: clients apply puts the guarding runtime in their place, or leaves them.'),
    unlisted_servers: z.enum(['pass', 'deny']).default('pass').describe('Calls of MCP servers without a catalogue.'),
    human_evidence: z.array(z.enum(['hook', 'grant', 'elicitation'])).min(1).default(['hook', 'grant', 'elicitation']).describe('What counts as a person\'s approval in the guarding runtime.'),
  }).prefault({}),
  update: update.prefault({}),
  mcpServers: z.record(name, z.union([stdioServer, httpServer])).default({})
    .describe('Servers to register in every selected client, in the shape that vendors publish.'),
}).describe('praetorctl operator settings');

export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/** The events to register: those that are named, and those that an evaluator needs. */
export function wantedEvents(settings: Settings): ReadonlySet<CanonicalEvent> {
  return new Set<CanonicalEvent>([...settings.hooks.events, ...settings.hooks.evaluators.flatMap((evaluator) => evaluator.events)]);
}

