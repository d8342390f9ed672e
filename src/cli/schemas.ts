// Contract: the shapes of every JSON answer. schemas/*.schema.json are generated from these, and tests hold real answers
// against them. Never loaded by the program itself (zod costs 20 ms). PURE.
import { z } from 'zod';
import { ALL_CODES } from '../model/diagnostic.ts';
import { LAYERS } from '../settings/merge-rules.ts';
import { MANAGED_OS } from '../fleet/managed.ts';
import { RESULTS } from '../fleet/attempts.ts';
import { SCHEDULE_KINDS } from '../fleet/schedule.ts';
import { EVENT_SCHEMA } from '../fleet/event.ts';
import { EVENT_FORMATS } from '../fleet/event-formats.ts';
import { STATION_STATES } from '../fleet/status.ts';
import { PROOF_CAUSES } from '../verify/prove-cause.ts';
import { PROBE_VERDICTS } from '../verify/probe-conclude.ts';

const diagnostic = z.strictObject({
  code: z.enum(ALL_CODES as [string, ...string[]]), severity: z.enum(['error', 'warning', 'info']), message: z.string(), fix: z.string(),
  client: z.string().optional(),
  where: z.strictObject({ path: z.string(), line: z.int().min(1).optional(), column: z.int().min(1).optional() }).optional(),
});

const header = {
  schemaVersion: z.literal(1), version: z.string(), ok: z.boolean(), exit: z.int(), diagnostics: z.array(diagnostic),
};

const entry = z.strictObject({
  client: z.string(), kind: z.enum(['hook', 'mcp', 'launcher', 'schedule']), name: z.string(), action: z.enum(['add', 'change', 'remove', 'none']),
  at: z.string().describe('Position in the document.'), detail: z.string().describe('What is registered; never a value of env or headers.'),
});

const counts = z.strictObject({ add: z.int(), change: z.int(), remove: z.int(), unchanged: z.int() });

const plan = z.strictObject({
  purpose: z.enum(['apply', 'remove', 'rollback']), counts,
  files: z.array(z.strictObject({
    client: z.string(), path: z.string(), target: z.string().describe('The real file behind all symbolic links.'), links: z.array(z.string()),
    role: z.enum(['hooks', 'mcp', 'hooks+mcp', 'launcher', 'schedule']), scope: z.enum(['user', 'project']),
    action: z.enum(['create', 'edit', 'restore', 'delete', 'none']), entries: z.array(entry),
  })),
});

const report = z.strictObject({
  run: z.string().nullable().describe('Id for praetorctl clients rollback --to.'),
  files: z.array(z.strictObject({
    client: z.string(), path: z.string(), outcome: z.enum(['written', 'deleted', 'unchanged', 'conflict', 'failed', 'not-reached']), entries: z.array(entry),
  })),
});

const fact = z.strictObject({ text: z.string(), basis: z.enum(['measured', 'documented', 'unknown']), versions: z.string().optional() });
const tri = z.union([z.boolean(), z.literal('unknown')]);
const seen = z.strictObject({
  file: z.string().nullable().describe('Null: the environment.'), key: z.string().nullable(), seen: z.string().describe('In words, never a value.'),
});
const check = z.string().describe('The id of the check in docs/verify.md that found it.');
const reason = z.strictObject({ code: z.string(), text: z.string(), fix: z.string(), check: check.optional(), evidence: seen.optional() });
const entryStatus = z.enum(['as-desired', 'missing', 'changed', 'surplus', 'conflict', 'unknown']);

const verifiedClient = z.looseObject({
  client: z.string(), name: z.string(), version: z.string().nullable(),
  states: z.strictObject({ absent: tri, installed: tri, discovered: tri, observed: tri, drifted: tri, stale: tri }),
  observed: z.boolean(), proven: z.string().nullable(),
  trust: z.enum(['trusted', 'untrusted', 'modified', 'disabled', 'none', 'unknown']),
  probe: z.strictObject({ hooks: z.enum(PROBE_VERDICTS), servers: z.enum(PROBE_VERDICTS), notes: z.array(z.string()) }).nullable().describe('What the client itself lists; null where it was not asked (--probe).'),
  hooks: z.array(z.looseObject({ origin: z.enum(['user', 'project', 'managed']).describe('Whose file: managed is the administrator\'s.'), event: z.string(), native: z.string(), path: z.string(), status: entryStatus })),
  mcp: z.array(z.looseObject({ name: z.string(), path: z.string(), status: entryStatus })),
  reasons: z.array(reason), next: z.string(),
});

const outcome = z.enum(['closed', 'open', 'depends', 'none']).describe('What becomes of a call: refused, run, or it depends, as the verdict says in words.');
const capabilities = z.array(z.strictObject({
  vendor: z.string(), surface: z.enum(['hooks in settings', 'files of our own', 'none']),
  brief: z.strictObject({ ask: z.enum(['asks', 'denied', 'partly', 'none']).describe('denied: where a person would be asked, the call is refused.'), crash: outcome, timeout: outcome, missingBinary: outcome }),
  id: z.string(), name: z.string(), seenOn: fact, denyEffect: z.string(), mcp: z.strictObject({ toolNaming: z.string() }), trust: z.boolean(), gaps: z.array(fact),
  probe: z.strictObject({ source: fact, cost: fact, effects: fact }).nullable().describe('How verify --probe asks the client itself; null where it cannot be asked.'),
  events: z.array(z.strictObject({ canonical: z.string(), native: z.string(), note: z.string().nullable() })),
  verdicts: z.strictObject({ deny: fact, ask: fact, neutral: fact, crash: fact, timeout: fact, missingBinary: fact }),
}));

const span = z.tuple([z.int().min(0), z.int().min(0)]).describe('Characters [start, end) of the command line, in UTF-16 units.');
const level = z.enum(['deny', 'ask', 'off']);

const verdict = {
  verdict: z.enum(['neutral', 'allow', 'ask', 'deny', 'error']).describe("neutral: no opinion, the client's own rules go on. error: it could not be judged, and the hook refuses."),
  rule: z.string().nullable(), reason: z.string().nullable(),
  message: z.string().nullable().describe('What the model reads: the reason and the rule.'),
  instead: z.string().nullable().describe('The part of the reason that says what to do instead.'),
  level: z.strictObject({ level: z.string(), from: z.enum(['rule default', 'pack setting', 'rule setting', 'further layer', 'operator rule', 'mode']), note: z.string().describe('The pack, the mode, or where the operator rule is written.') }).nullable(),
  span: span.nullable(), command: z.string().nullable(), cwd: z.string().nullable(), workspace: z.string().nullable(),
  client: z.string().nullable().describe('Whose dialect decoded the payload; null for a command line.'), event: z.string(),
  tool: z.strictObject({ name: z.string(), kind: z.enum(['shell', 'file-write', 'file-read', 'mcp', 'other']), paths: z.array(z.string()) }).nullable(),
  settings: z.enum(['', 'stale', 'source', 'invalid']).describe('Empty: none, or from a fresh index. stale: the document changed since it was compiled. source: nothing was compiled. invalid: a document cannot be read.'),
  answer: z.strictObject({ stdout: z.string(), stderr: z.string(), exit: z.int() }).nullable().describe('What the hook process writes for this payload.'),
};

const explanation = {
  why: z.string(), quick: z.boolean().describe('The hook answers without loading the rules.'), steps: z.int().nullable(),
  commands: z.array(z.looseObject({
    program: z.string(), args: z.array(z.string()), chain: z.array(z.string()).describe('Wrappers taken off, outermost first.'),
    within: z.string(), unresolved: z.string(), cwd: z.string().nullable().describe('null: unknown.'), span,
  })),
  trail: z.array(z.strictObject({ rule: z.string(), result: z.enum(['deny', 'ask', 'allow', 'off', 'none', 'unresolved']), span: span.nullable(), note: z.string().nullable() })),
};

const share = z.number().min(0).max(1).nullable();
const classRow = z.strictObject({
  class: z.string(), rows: z.int(), right: z.int(), falsePositives: z.int(),
  recall: share.describe('Of the rows that expect to be stopped, those that are; null without such rows.'),
  precision: share.describe('Of the rows that are stopped, those that expect it; null where none is.'),
});

const receiptVerdict = z.enum(['neutral', 'allow', 'ask', 'deny', 'error', 'skipped', 'recorded']);

const receipt = z.looseObject({
  id: z.string(), v: z.literal(1), time: z.string(), client: z.string(), event: z.string(), caller: z.string(),
  verdict: receiptVerdict, rule: z.string().optional(), kind: z.string().optional(), tool: z.string().optional(),
  session: z.string().optional(), engine: z.string(), policy: z.string(), ms: z.number(), synthetic: z.literal(true).optional(), workspace: z.string().optional(),
});

const failed = z.strictObject({ schema: z.string(), ...header }).describe('Any command that failed before it had an answer.');

function answer<T extends z.ZodRawShape>(kind: string, body: T): z.ZodType {
  return z.union([z.strictObject({ schema: z.literal(`praetorctl/${kind}`), ...header, ...body }), failed]);
}

const contractChange = z.strictObject({
  tool: z.string(), part: z.enum(['new', 'missing', 'description', 'input', 'annotations', 'output']), severity: z.enum(['blocking', 'high', 'notation', 'info']), text: z.string(),
});

const times = z.union([
  z.strictObject({ every: z.literal('hour'), minutes: z.array(z.int().min(0).max(59)) }),
  z.strictObject({ every: z.literal('day'), hours: z.array(z.int().min(0).max(23)), minute: z.int().min(0).max(59) }),
]);
const version = z.string().regex(/^[0-9a-f]{16}$/).describe("The id of a version: of its artefact's sha512.");
const attempt = z.strictObject({ at: z.string(), result: z.enum(RESULTS), code: z.string().nullable(), from: version.nullable(), to: version.nullable(), seq: z.int().nullable(), message: z.string() });
const scheduleKind = z.enum(SCHEDULE_KINDS);

const commitId = z.string().regex(/^[0-9a-f]{40}$/);

const forkPlan = {
  state: z.enum(['up-to-date', 'sync-possible', 'refused']), repository: z.string().describe('owner/name of the fork.'), upstream: z.string().describe('owner/name of where it comes from.'),
  owner: commitId, base: commitId.nullable().describe('The commit of upstream that the fork contains; null where there is not exactly one.'), source: commitId,
  behind: z.int().describe('Commits of upstream that the fork lacks.'), ahead: z.int().describe('Commits of the fork that upstream does not have.'), ownerFiles: z.array(z.string()),
  findings: z.array(z.strictObject({ rule: z.string(), path: z.string().nullable(), text: z.string() })),
};
const fleetFinding = z.strictObject({
  code: z.string(), severity: z.enum(['finding', 'note']).describe('A note does not fail the run.'), host: z.string().nullable(), ref: z.string().nullable(), seq: z.int().nullable(),
  key: z.string().nullable().describe('Fingerprint.'), commit: z.string().nullable(), message: z.string(),
});
/** Documents that are no answers of a command. */
export const DOCUMENT_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  event: z.strictObject({
    schema: z.literal(EVENT_SCHEMA), id: z.string().describe('Host and sequence number: the same event keeps it if it is sent twice.'), seq: z.int().min(1),
    prev: z.string().nullable().describe('sha256 of the event before it, as one line of JSON.'), at: z.string(), host: z.string().describe('Random; of no meaning elsewhere.'), os: z.string(), engine: z.string(), policy: z.string(),
    user: z.string().optional().describe('Only where hooks.evidence.identity asks for it: a keyed hash, or the name.'), client: z.string(), caller: z.string().describe('Which client ran the hook.'),
    session: z.string().optional().describe('Keyed hash.'), event: z.string(), kind: z.enum(['shell', 'file-write', 'file-read', 'mcp', 'other']).optional(), tool: z.string().optional(),
    verdict: receiptVerdict, rule: z.string().optional(), settings: z.string().optional(), asked: z.literal(true).optional(), duration_us: z.int(), workspace: z.string().optional().describe('Keyed hash.'),
    dropped: z.int().optional().describe('Receipts right before this one that were not exported.'), lost: z.literal(true).optional(),
  }).describe('One hook call, as evidence export writes it.'),
};
const fleetGroups = z.array(z.strictObject({ value: z.string(), hosts: z.int() }));

const gate = z.strictObject({ command: z.string(), exit: z.int(), sha256: z.string().describe('Of what it said.') });

const candidate = {
  repository: z.string(), upstream: z.string(), owner: commitId, base: commitId.describe('The commit of upstream that it contains.'), commit: commitId, version: z.string(), at: z.string(), gates: z.array(gate),
  artefact: z.strictObject({ bytes: z.int(), sha512: z.string() }).nullable().describe('Null where a gate failed.'), destination: z.string().nullable().describe('Null where it was not kept.'), behind: z.int(),
};

const promotion = z.looseObject({
  repository: z.string(), seq: z.int(), prev: z.string().nullable(), at: z.string(), commit: commitId, base: commitId, artifact: z.strictObject({ ref: z.string(), bytes: z.int(), sha512: z.string() }),
  version: z.string(), gates: z.array(gate), urgent: z.boolean(), minFrom: z.int(), withdraws: z.array(z.string()), resets: commitId.nullable(), expires: z.string().nullable(), signers: z.array(z.string()).nullable(),
});

const promoted = {
  promoted: z.boolean(), id: z.string().nullable().describe('Of the version that workstations take.'), fingerprint: z.string().nullable(), line: z.string().nullable().describe('The sha256 of the signed line.'),
  why: z.string().nullable().describe('Where there was nothing to promote.'), promotion: promotion.nullable(),
};

const shownDocument = z.strictObject({ layer: z.enum(LAYERS), path: z.string(), by: z.string().describe('What selected it.') });
const shownOrigin = z.strictObject({ layer: z.enum(LAYERS), path: z.string(), line: z.int().min(1).nullable() });
const shownValue = z.strictObject({
  key: z.string(), value: z.json().describe('Of env and headers only the names.'), merge: z.enum(['replace', 'tighten', 'append', 'conflict']),
  from: z.array(shownOrigin).describe('The documents that say it, weakest first; empty: the default.'), overruled: z.array(shownOrigin), items: z.array(shownOrigin).describe('Where each item of a merged list was written.'),
});

/** By kind: the `schema` field of an answer is `praetorctl/<kind>`. */
export const OUTPUT_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  plan: answer('plan', plan.shape),
  report: answer('report', { dryRun: z.boolean(), plan, report: report.nullable() }),
  runs: answer('runs', { runs: z.array(z.looseObject({ id: z.string() })) }),
  verify: answer('verify', { require: z.enum(['installed', 'discovered', 'observed']), clients: z.array(verifiedClient), pendingRuns: z.array(z.looseObject({ id: z.string() })) }),
  'clients-report': answer('clients-report', {
    html: z.string().describe('The page.'), clients: z.array(verifiedClient), pendingRuns: z.array(z.looseObject({ id: z.string() })),
    proofs: z.array(z.strictObject({
      time: z.string(), client: z.string(), result: z.enum(['proven', 'not-proven']), cause: z.string(), clientVersion: z.string().nullable(), engine: z.string(),
      binds: z.boolean().describe('It still says something about today.'),
    })), proofsUnread: z.string().nullable(),
    history: z.strictObject({
      days: z.array(z.strictObject({ day: z.string(), counts: z.record(receiptVerdict, z.int()) })), counted: z.int(), synthetic: z.int(), leftOut: z.int(),
      complete: z.boolean().describe('False: there are more receipts of these days than are read.'), unread: z.string().nullable(),
    }),
    gaps: z.array(z.strictObject({ client: z.string(), seenOn: fact, gaps: z.array(fact) })),
  }),
  'clients-render': answer('clients-render', {
    os: z.enum(MANAGED_OS), out: z.string(), launcher: z.strictObject({ path: z.string(), registeredAs: z.string(), why: z.string() }),
    files: z.array(z.strictObject({
      client: z.string(), dest: z.string(), source: z.string().describe('Below the output directory.'), mode: z.string(), owner: z.string(), sha256: z.string(),
      ifPresent: z.enum(['replace', 'refuse']).describe('refuse: others may keep things in this file, so it is put only where none stands.'),
      merge: z.array(z.union([z.strictObject({ append: z.string(), value: z.unknown() }), z.strictObject({ set: z.string(), value: z.unknown() })])).describe('What to add to such a file by hand.'),
      basis: fact, winsOver: fact, blockedBy: z.array(fact), verify: z.string(),
    })),
    profiles: z.array(z.strictObject({ client: z.string(), domain: z.string(), source: z.string(), basis: fact })), none: z.array(z.strictObject({ client: z.string(), why: fact })),
    written: z.int(), removed: z.array(z.string()),
  }),
  prove: answer('prove', {
    clients: z.array(z.strictObject({
      client: z.string(), name: z.string(), version: z.string().nullable(), program: z.string().nullable(), proven: z.boolean(),
      cause: z.enum(PROOF_CAUSES).nullable().describe('Null where proven.'), text: z.string(), fix: z.string(), seconds: z.number(),
      control: z.enum(['ran', 'did not run']).nullable().describe('Null where nothing was started.'), canary: z.enum(['refused', 'ran', 'not reached']).nullable(),
      mcp: z.string(), time: z.string().nullable(),
    })),
  }),
  launch: answer('launch', {}),
  list: answer('list', {
    clients: z.array(z.strictObject({
      id: z.string(), name: z.string(), aliases: z.array(z.string()), vendor: z.string(), detected: z.enum(['program', 'configuration', 'none']), program: z.string().nullable().describe('What a shell would start.'),
      installs: z.array(z.strictObject({ kind: z.enum(['program', 'app', 'extension']), path: z.string() })).describe('All of them; none where only the configuration is here.'),
    })),
  }),
  capabilities: answer('capabilities', { clients: capabilities }),
  doctor: answer('doctor', {
    rows: z.array(z.strictObject({ status: z.enum(['ok', 'info', 'warning', 'error', 'skipped', 'unknown']), id: z.string(), message: z.string(), fix: z.string(), check: check.optional(), evidence: seen.optional() })),
  }),
  start: answer('start', {
    demonstration: z.boolean(), plan: plan.optional(), report: report.nullable().optional(), dryRun: z.boolean().optional(), clients: z.array(verifiedClient).optional(),
    calls: z.array(z.strictObject({ client: z.string(), kind: z.enum(['allow', 'deny']), asExpected: z.boolean() })).optional(), changed: z.array(z.string()).optional(),
  }),
  'workstation-status': answer('workstation-status', {
    state: z.enum(STATION_STATES), says: z.string(), reasons: z.array(z.strictObject({ code: z.string(), text: z.string(), fix: z.string() })), lastAttempt: attempt.nullable(),
    installed: z.strictObject({
      hostId: z.string(), current: version, version: z.string().nullable(), seq: z.int().nullable(), previous: version.nullable(), pin: z.strictObject({ id: version, by: z.string(), at: z.string() }).nullable(),
      blocked: z.array(z.strictObject({ id: version, code: z.string(), at: z.string() })), target: version.nullable().describe('What the newest promotion that was verified asks for.'), lastSeq: z.int(),
      withdrawn: z.boolean(), remote: z.string().nullable(), branch: z.string(), org: z.string().nullable(), name: z.string().nullable(), launcher: z.string(), installedAt: z.string(), lastVerifiedAt: z.string().nullable(),
    }).nullable(),
  }),
  'workstation-install': answer('workstation-install', {
    result: z.enum(['installed', 'unchanged']), id: version, release: z.string(), previous: version.nullable(), hostId: z.string(), launcher: z.string(),
    key: z.strictObject({ fingerprint: z.string(), publicLine: z.string().describe('Its public half, with the host as comment.'), allowed: z.string().describe('Its line of hosts.allowed.') }),
  }),
  'workstation-update': answer('workstation-update', { result: z.enum(RESULTS), code: z.string().nullable().describe('Why, in one stable word.'), from: version, to: version.nullable(), seq: z.int().nullable(), message: z.string() }),
  'workstation-version': answer('workstation-version', {
    result: z.enum(['rolled-back', 'already-rolled-back', 'pinned', 'already-pinned', 'unpinned', 'not-pinned']), from: version, current: version, message: z.string(),
  }),
  'schedule-render': answer('schedule-render', {
    kind: scheduleKind, interval: z.strictObject({ asked: z.string(), minutes: z.int().describe('What is scheduled: the longest that divides the day evenly and is not longer.') }),
    jobs: z.array(z.strictObject({ id: z.string(), command: z.string(), times })), files: z.array(z.strictObject({ path: z.string(), text: z.string() })),
    block: z.string().nullable().describe('cron: what stands in the crontab.'), notes: z.array(z.string()),
  }),
  schedule: answer('schedule', {
    dryRun: z.boolean(), kind: scheduleKind, plan: z.union([plan, z.strictObject({ purpose: z.enum(['apply', 'remove']), block: z.string() })]), report: report.nullable(),
    commands: z.array(z.strictObject({ command: z.string(), exit: z.int().nullable().describe('Null: not started.') })),
  }),
  'fork-init': answer('fork-init', { repository: z.string(), source: z.string(), head: commitId, files: z.array(z.string()) }),
  'fork-plan': answer('fork-plan', forkPlan),
  'fork-prepare': answer('fork-prepare', candidate),
  'fork-promote': answer('fork-promote', promoted),
  'fork-poll': answer('fork-poll', {
    state: z.enum(['up-to-date', 'refused', 'gate-failed', 'waiting', 'promoted']), review: z.string().nullable().describe('The reference on which the candidate can be reviewed.'), gate: z.string().nullable().describe('The one that failed.'),
    remembered: z.boolean().describe('The answer of an earlier run: nothing has moved since.'), plan: z.strictObject(forkPlan), candidate: z.strictObject(candidate).nullable(), promotion: z.strictObject(promoted).nullable(),
  }),
  'policy-test': answer('policy-test', verdict),
  'policy-explain': answer('policy-explain', { ...verdict, ...explanation }),
  'policy-cases': answer('policy-cases', {
    file: z.string(), total: classRow, classes: z.array(classRow),
    mismatches: z.array(z.strictObject({
      id: z.string(), line: z.int(), class: z.string(), command: z.string(), expect: z.enum(['deny', 'ask', 'allow', 'stop']), verdict: z.enum(['neutral', 'allow', 'ask', 'deny']),
      rule: z.string().nullable(), reason: z.string().nullable(),
    })),
  }),
  'policy-list': answer('policy-list', {
    mode: z.enum(['default', 'strict']),
    rules: z.array(z.strictObject({
      id: z.string(), pack: z.string(), level, from: z.enum(['rule default', 'pack setting', 'rule setting', 'further layer']), default: level, contested: z.boolean(), title: z.string(), reason: z.string(),
    })),
  }),
  'policy-lint': answer('policy-lint', {
    documents: z.array(z.strictObject({ path: z.string(), layer: z.enum(['operator', 'workspace']) })),
    findings: z.array(z.strictObject({
      code: z.enum(['invalid', 'loosening', 'unknown-rule', 'unreachable', 'too-broad', 'note']), severity: z.enum(['error', 'warning']), path: z.string(),
      line: z.int().nullable(), column: z.int().nullable(), message: z.string(),
    })),
  }),
  'settings-check': answer('settings-check', {
    documents: z.array(shownDocument), digest: z.string().nullable().describe('Of what was written, in canonical form; null where the documents are not valid together.'),
    inForce: z.boolean().describe('What the hook reads was compiled from exactly these documents.'),
  }),
  'settings-show': answer('settings-show', { documents: z.array(shownDocument), digest: z.string().nullable(), values: z.array(shownValue) }),
  'settings-explain': answer('settings-explain', {
    key: z.string(), keys: z.array(z.strictObject({ key: z.string(), what: z.string(), rule: z.string(), layers: z.array(z.enum(LAYERS)), default: z.json(), values: z.array(shownValue) })),
  }),
  'policy-compile': answer('policy-compile', {
    index: z.string().nullable().describe('null: there is no document, or it is not valid; then what was in force stays.'), source: z.string().nullable(), digest: z.string().nullable(),
    rules: z.int(), evaluators: z.int(),
  }),
  'policy-allow': answer('policy-allow', { code: z.string(), rule: z.string(), workspace: z.string(), once: z.boolean(), granted: z.boolean(), expires: z.string().nullable() }),
  'contract-list': answer('contract-list', {
    services: z.array(z.strictObject({ service: z.string(), path: z.string(), bindings: z.array(z.string()), operations: z.int(), approved: z.int(), waiting: z.int() })),
  }),
  'contract-import': answer('contract-import', {
    service: z.string(), path: z.string().describe('Of the catalogue.'), operations: z.int(), added: z.int(), changes: z.array(contractChange), dependent: z.array(z.string()).describe('Tools that the server shows only to clients that can do more.'),
    problems: z.array(z.strictObject({ where: z.string(), message: z.string() })).describe('Operations of a document that were left out, and references that lead nowhere.'),
  }),
  'contract-review': answer('contract-review', { service: z.string(), path: z.string(), operations: z.array(z.looseObject({ id: z.string(), mcpTool: z.string(), tier: z.enum(['none', 'model', 'person']) })).describe('As in the catalogue, with whom a call asks.') }),
  'contract-approve': answer('contract-approve', { service: z.string(), approved: z.array(z.string()) }),
  'contract-diff': answer('contract-diff', { service: z.string(), changes: z.array(contractChange) }),
  'contract-lint': answer('contract-lint', { services: z.int(), operations: z.int(), loosened: z.int() }),
  'contract-grant': answer('contract-grant', { operation: z.string(), expires: z.string() }),
  'contract-bundle': answer('contract-bundle', {
    service: z.string().nullable().describe("null: praetorctl's own registrations."), out: z.string(), files: z.array(z.strictObject({ path: z.string(), digest: z.string() })).describe('The whole bundle.'),
    written: z.int().describe('Files that were not as they are now.'), removed: z.array(z.string()), bindings: z.array(z.string()).describe('Names that the catalogue governs from now on.'),
  }),
  receipts: answer('receipts', { receipts: z.array(receipt), more: z.boolean().describe('Older receipts match too.'), damagedLines: z.int() }),
  receipt: answer('receipt', { receipt, reason: z.string().nullable().describe('What the rule says, in this version.') }),
  'receipts-push': answer('receipts-push', {
    result: z.enum(['pushed', 'unchanged']), ref: z.string(), seq: z.int(), commit: z.string(), pushes: z.int(), why: z.enum(['first', 'changed', 'heartbeat', 'asked', 'unsent']).nullable(), key: z.string().nullable(),
  }),
  'receipts-pull': answer('receipts-pull', {
    hosts: z.int(), changed: z.int(), forked: z.int().describe('Histories that do not continue what is known.'), strange: z.int().describe('References that belong to no host.'), unread: z.int(),
  }),
  'receipts-verify': answer('receipts-verify', {
    pulledAt: z.string(), hosts: z.int(), receipts: z.int().describe('Read in this run.'), findings: z.array(fleetFinding),
    accepted: z.strictObject({ host: z.string(), from: z.string().nullable(), to: z.string().nullable() }).nullable(),
  }),
  'receipts-summary': answer('receipts-summary', {
    pulledAt: z.string(), total: z.int(), byVersion: fleetGroups, bySettings: fleetGroups, byState: fleetGroups, byAge: fleetGroups,
    hosts: z.array(z.strictObject({ host: z.string(), version: z.string(), id: z.string().nullable(), settings: z.string().nullable(), state: z.string(), at: z.string(), ageSeconds: z.int(), findings: z.array(z.string()) })),
  }),
  'receipts-server-hook': answer('receipts-server-hook', { file: z.string(), mode: z.string(), script: z.string() }),
  'evidence-export': answer('evidence-export', {
    export: z.enum(['off', 'shown', 'endpoint', 'files']), format: z.enum(EVENT_FORMATS).nullable(), target: z.string().nullable(), records: z.int(), batches: z.int(),
    rejected: z.int().describe('By the endpoint; they are not sent again.'), dropped: z.int().describe('Older ones that were passed over because too many waited.'), lost: z.boolean(),
    more: z.boolean(), seq: z.int().describe('Of the last event.'), files: z.array(z.string()), bodies: z.array(z.string()).nullable().describe('With --dry-run: what would leave.'),
  }),
  fixtures: answer('fixtures', { written: z.array(z.string()), skipped: z.array(z.string()).describe('Files that are no recording.') }),
  completion: answer('completion', { shell: z.string(), script: z.string() }),
  error: failed,
};
