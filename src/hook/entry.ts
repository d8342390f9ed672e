// Contract: the hook process: `praetorctl hook <client> <event>`. IO. Reads one document, answers in the client's dialect,
// appends a receipt, exits. It never exits 1 or 2 by accident: every fault of ours is answered with the dialect's encoded
// error, and words of a newer version (unknown client or event) are answered with silence.
// Start-up cost is the product: no packages, no console, no process.stdout, no node:crypto, no Intl.
import type { HookDialect } from '../clients/dialect-kit.ts';
import { dialectFor } from '../clients/dialects.ts';
import { isCanonicalEvent, type CanonicalEvent } from '../model/events.ts';
import type { JsonObject } from '../model/json.ts';
import type { DecodeFault } from '../model/payload.ts';
import { NEUTRAL } from '../model/verdict.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../policy/build-info.ts';
import { appendReceipt } from '../receipts/append.ts';
import { formatReceipt, isoTime, sessionHash } from '../receipts/format.ts';
import { hasContracts } from './contract-place.ts';
import { hookPlace, type HookPlace } from './facts.ts';
import { loadPart, SETTINGS_PARTS } from './load-parts.ts';
import { loadPolicy } from './load-policy.ts';
import { deliver, writeAll } from './output.ts';
import { errorResponse, respond, type Effects, type Response } from './respond.ts';
import { knownServers } from './servers.ts';
import { readSettings } from './settings-index.ts';
import type { HookSettings } from './settings-types.ts';
import { rawInput, readInput, restoreInput, type Input } from './stdin.ts';

function main(): void {
  const client = process.argv[3] ?? '';
  const event = process.argv[4] ?? '';
  const dialect = dialectFor(client);
  const recordings = process.env['PRAETORCTL_HOOK_RECORD_DIR'];
  if (recordings !== undefined && recordings !== '' && recording(recordings, client, event, dialect)) return;
  if (dialect === undefined || !isCanonicalEvent(event)) return skip(client, event, dialect === undefined ? 'client' : 'event');
  const answer = (input: Input): void => finish(dialect, event, input);
  try {
    const words = process.argv.slice(5);
    if (dialect.fromWords !== undefined && words.length > 0) return answer(inputOf(dialect.fromWords(words, process.cwd())));
    readInput(process.platform, answer, () => process.on('uncaughtException', () => lastResort(dialect, event)));
  } catch {
    lastResort(dialect, event);
  }
}

/**
 * Record mode: the input is kept, and the answer is the dialect's neutral one; a client or event that this version does not know
 * is recorded too. False where nothing can be recorded: then the call is judged as always.
 */
function recording(directory: string, client: string, event: string, dialect: HookDialect | undefined): boolean {
  try {
    const why = loadPart('record').refusal(directory, process.platform);
    if (why !== undefined) {
      writeAll(2, `praetorctl: not recorded: ${why}\n`);
      return false;
    }
    readInput(process.platform, (input) => recorded(directory, client, event, dialect, input), () => undefined);
    return true;
  } catch {
    writeAll(2, 'praetorctl: not recorded: internal error\n');
    return false;
  }
}

function recorded(directory: string, client: string, event: string, dialect: HookDialect | undefined, input: Input): void {
  try {
    loadPart('record').record(directory, client, event, rawInput());
  } catch {
    writeAll(2, 'praetorctl: not recorded: the file could not be written\n');
    return dialect === undefined || !isCanonicalEvent(event) ? skip(client, event, dialect === undefined ? 'client' : 'event') : finish(dialect, event, input);
  }
  const answer = dialect !== undefined && isCanonicalEvent(event) ? dialect.neutral(event) : { stdout: '', stderr: '', exit: 0 };
  const complaint = leaveReceipt(client, event, { answer, verdict: 'recorded' }, hookPlace(process.platform, process.env));
  restoreInput();
  const exit = deliver(answer, false);
  if (complaint !== undefined) writeAll(2, complaint);
  process.exit(exit);
}

/** dist/ is where the stub that starts this file stands. */
const installation = parentOf(__dirname);

function parentOf(directory: string): string | undefined {
  const cut = Math.max(directory.lastIndexOf('/'), directory.lastIndexOf('\\'));
  return cut <= 0 ? undefined : directory.slice(0, cut);
}

function inputOf(document: JsonObject | DecodeFault): Input {
  return typeof document['fault'] === 'string' ? { ok: false, reason: document['fault'] } : { ok: true, value: document };
}

/** Read once for each call, and only where an event wants them. */
function withSettings(place: HookPlace): HookPlace {
  let known: HookSettings | undefined;
  return { ...place, settings: (workspace) => known ??= readSettings(place, workspace, SETTINGS_PARTS), servers: (client) => knownServers(place, client) };
}

const isSynthetic = (): boolean => process.env['PRAETORCTL_HOOK_SYNTHETIC'] === '1';

function effectsOf(place: HookPlace): Effects {
  return {
    evaluate: (specs, payload) => loadPart('evaluators').runEvaluators(specs, payload, place),
    contract: (tool, spell, { contract }) => (hasContracts(place, contract) ? loadPart('contract').contractVerdict(place, tool, spell, { floor: contract.floor, unlistedServer: contract.unlisted }) : NEUTRAL),
    callEvidence: (tool, about) => loadPart('contract').callEvidence(tool, about),
    // A test of ours takes no grant and leaves no code behind.
    takeGrant: (call) => !isSynthetic() && loadPart('contract').takeGrant(place, { ...call, now: Date.now() }),
    passOn: (call) => loadPart('contract').passOn(place, { ...call, now: Date.now() }),
    allowOnce: (payload, verdict) => (isSynthetic() ? verdict : loadPart('once').allowOnce(place, payload, verdict, Date.now())),
  };
}

/** Whatever went wrong becomes the encoded error; if even that fails, exit 2 refuses where refusing is possible. */
function lastResort(dialect: HookDialect, event: CanonicalEvent): void {
  let exit = isRefusable(event) ? 2 : 0;
  try {
    exit = deliver(dialect.encodeError(event, 'internal error'), isRefusable(event));
  } catch {
    writeAll(2, 'praetorctl: internal error\n');
  }
  process.exit(exit);
}

function finish(dialect: HookDialect, event: CanonicalEvent, input: Input): void {
  const place = withSettings(hookPlace(process.platform, process.env, installation));
  const response = input.ok ? attempt(dialect, event, input.value, place) : errorResponse(dialect, event, input.reason);
  const complaint = leaveReceipt(dialect.id, event, response, place);
  const refuses = isRefusable(event) && (response.verdict === 'deny' || response.verdict === 'ask' || response.verdict === 'error');
  restoreInput();
  const exit = deliver(response.answer, refuses);
  if (complaint !== undefined) writeAll(2, complaint);
  if (response.complaint !== undefined) writeAll(2, response.complaint);
  process.exit(exit);
}

function isRefusable(event: CanonicalEvent): boolean {
  return event === 'pre-tool' || event === 'permission';
}

function attempt(dialect: HookDialect, event: CanonicalEvent, value: unknown, place: HookPlace): Response {
  try {
    return respond(dialect, event, value, process.env, place, loadPolicy, effectsOf(place));
  } catch {
    return errorResponse(dialect, event, 'internal error');
  }
}

/** Appends the receipt; what goes wrong is returned as a line for stderr and changes nothing else. */
function leaveReceipt(client: string, event: string, response: Response, place: HookPlace): string | undefined {
  if (place.receipts === undefined) return `praetorctl: no receipt: ${place.problem ?? 'no state directory'}\n`;
  try {
    const { payload } = response;
    const now = Date.now();
    appendReceipt(place.receipts, formatReceipt({
      v: 1,
      time: isoTime(now),
      client,
      event,
      caller: payload?.caller ?? response.caller ?? 'unknown',
      verdict: response.verdict,
      ...(response.rule === undefined ? {} : { rule: response.rule }),
      ...(payload?.tool === undefined ? {} : { kind: payload.tool.kind, tool: payload.tool.name }),
      ...(payload?.sessionId === undefined ? {} : { session: sessionHash(payload.sessionId) }),
      engine: ENGINE_VERSION,
      policy: POLICY_DIGEST,
      ms: process.uptime() * 1000,
      ...(process.env['PRAETORCTL_HOOK_SYNTHETIC'] === '1' ? { synthetic: true as const } : {}),
      ...(response.settings === undefined ? {} : { settings: response.settings }),
      ...(response.evaluators === undefined ? {} : { evaluators: response.evaluators }),
      ...(response.call === undefined ? {} : { call: response.call }),
      ...(payload?.workspace === undefined ? {} : { workspace: payload.workspace }),
    }), now % 16 === 0);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
    return `praetorctl: no receipt: the state directory cannot be written${code}\n`;
  }
}

/** A client or event of another version: no opinion. Empty stdout is neutral in every dialect. */
function skip(client: string, event: string, what: 'client' | 'event'): void {
  const response: Response = { answer: { stdout: '', stderr: '', exit: 0 }, verdict: 'skipped' };
  let complaint: string | undefined;
  try {
    complaint = leaveReceipt(client, event, response, hookPlace(process.platform, process.env));
  } catch { /* said below */ }
  writeAll(2, `praetorctl: this version does not know the ${what} of this hook, no opinion. usage: praetorctl hook <client> <event>\n${complaint ?? ''}`);
  process.exit(0);
}

main();
