// Contract: `evidence export`: receipts of hooks -> events -> batches -> a file or an endpoint. The cursor moves when a batch is out, never before:
// what was killed in between is sent again under the same numbers. One run at a time, bounded in batches. Never from a hook. Through Host.
import { makeDirs, OWN_DIR_MODE, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { digest } from './crypto.ts';
import { toEvent, type EventContext } from './event.ts';
import { bodyOf, recordText, type EventFormat } from './event-formats.ts';
import { waitingReceipts, WAITING_BYTES_MAX, type Positions } from './event-source.ts';
import { sendBatch, type Endpoint } from './otlp-send.ts';

export const BATCH_RECORDS_MAX = 500;
export const BATCH_BYTES_MAX = 1024 * 1024;
const BATCHES_PER_RUN_MAX = 400;
/** Files that nobody fetched. */
export const FILES_BYTES_MAX = 64 * 1024 * 1024;
const CURSOR_FILE = 'cursor.json';
const CURSOR_SCHEMA = 'praetor.cursor/1';
const CURSOR_BYTES_MAX = 64 * 1024;
const LOCK_MS_MAX = 2_000;

interface Cursor {
  /** Of a workstation that is not installed: an id of its own. */
  readonly host: string;
  readonly seq: number;
  readonly prev: string | null;
  readonly files: Positions;
  readonly last: string | null;
  /** Not told yet. */
  readonly dropped: number;
  readonly lost: boolean;
}

export type Destination = { readonly kind: 'endpoint'; readonly endpoint: Endpoint } | { readonly kind: 'files'; readonly directory: string } | { readonly kind: 'show' };

export interface ExportInput {
  readonly host: Host;
  readonly receipts: string;
  /** Of our own: cursor and lock. */
  readonly directory: string;
  readonly format: EventFormat;
  readonly destination: Destination;
  readonly hostId: string | undefined;
  readonly context: Omit<EventContext, 'host'>;
  readonly version: string;
  readonly waitingBytesMax?: number;
}

export interface ExportResult {
  readonly records: number;
  readonly batches: number;
  readonly rejected: number;
  readonly dropped: number;
  readonly lost: boolean;
  /** More waits: the bound of one run was reached. */
  readonly more: boolean;
  readonly seq: number;
  readonly files: readonly string[];
  /** What would leave, where it is only shown. */
  readonly bodies: readonly string[];
}

function readCursor({ host, directory, hostId }: ExportInput): Cursor {
  const path = joinPath(host.platform, directory, CURSOR_FILE);
  let value: unknown;
  try {
    value = JSON.parse(toText(host.readFile(path, CURSOR_BYTES_MAX)));
  } catch (error) {
    if (hostErrorCode(error) === 'ENOENT') return { host: hostId ?? randomId(host), seq: 0, prev: null, files: {}, last: null, dropped: 0, lost: false };
  }
  if (!isObject(value) || value['schema'] !== CURSOR_SCHEMA || typeof value['host'] !== 'string' || typeof value['seq'] !== 'number' || typeof value['dropped'] !== 'number' || !isObject(value['files'])) {
    throw new PraetorError({ code: 'state-damaged', where: { path }, message: 'it is not known what was exported', fix: 'restore the file; without it everything that is still there is exported again, under new numbers' });
  }
  const { seq, prev, files, last, dropped, lost } = value;
  const before = { host: value['host'], seq, prev: typeof prev === 'string' ? prev : null, files: files as Record<string, number>, last: typeof last === 'string' ? last : null, dropped, lost: lost === true };
  // Numbers belong to a host: one that got its id begins anew.
  return hostId === undefined || hostId === before.host ? before : { ...before, host: hostId, seq: 0, prev: null };
}

function randomId(host: Host): string {
  const hex = host.nonce(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

interface Batch { readonly records: readonly string[]; readonly cursor: Cursor; readonly first: number }

/** Batches with the cursor that holds once each is out. */
function* batchesOf(input: ExportInput, start: Cursor, receipts: ReturnType<typeof waitingReceipts>['receipts']): Generator<Batch> {
  const context = { ...input.context, host: start.host };
  let cursor = start;
  let records: string[] = [];
  let [bytes, first] = [0, start.seq + 1];
  for (const { receipt, file, end } of receipts) {
    const event = toEvent(receipt, context, { seq: cursor.seq + 1, prev: cursor.prev, dropped: cursor.dropped, lost: cursor.lost });
    const record = recordText(input.format, event);
    if (records.length === BATCH_RECORDS_MAX || (records.length > 0 && bytes + record.length > BATCH_BYTES_MAX)) {
      yield { records, cursor, first };
      [records, bytes, first] = [[], 0, cursor.seq + 1];
    }
    records.push(record);
    bytes += record.length + 1;
    cursor = { ...cursor, seq: event.seq, prev: digest('sha256', JSON.stringify(event)).toString('hex'), files: { ...cursor.files, [file]: end }, last: file, dropped: 0, lost: false };
  }
  if (records.length > 0) yield { records, cursor, first };
}

function waitingInFiles(host: Host, directory: string): number {
  return host.readDir(directory).reduce((sum, name) => sum + (name.startsWith('events-') ? host.stat(joinPath(host.platform, directory, name))?.size ?? 0 : 0), 0);
}

/** Named by its first number: a run that was killed before its cursor moved writes the same file again. */
function writeBatch({ host, format }: ExportInput, directory: string, { cursor, first }: Batch, body: string): string {
  makeDirs(host, directory, OWN_DIR_MODE);
  if (waitingInFiles(host, directory) + body.length > FILES_BYTES_MAX) throw new PraetorError({ code: 'export-failed', where: { path: directory }, message: `more than ${FILES_BYTES_MAX / 1024 / 1024} MiB of events wait there`, fix: 'have them fetched and taken away; what is not exported waits in the receipts' });
  const path = joinPath(host.platform, directory, `events-${cursor.host.slice(0, 8)}-${String(first).padStart(12, '0')}${format === 'jsonl' ? '' : `.${format}`}.jsonl`);
  putFile(host, path, toBytes(body));
  return path;
}

async function out(input: ExportInput, batch: Batch): Promise<{ readonly rejected: number; readonly file?: string; readonly body?: string }> {
  const body = bodyOf(input.format, batch.records, { host: batch.cursor.host, os: input.context.os, version: input.version });
  const { destination } = input;
  if (destination.kind === 'show') return { rejected: 0, body };
  if (destination.kind === 'files') return { rejected: 0, file: writeBatch(input, destination.directory, batch, body) };
  return { rejected: (await sendBatch(input.host, destination.endpoint, body)).rejected };
}

async function exportLocked(input: ExportInput): Promise<ExportResult> {
  const { host, directory, destination } = input;
  const saved = readCursor(input);
  const waiting = waitingReceipts(host, input.receipts, saved.files, saved.last, input.waitingBytesMax ?? WAITING_BYTES_MAX);
  const files = Object.fromEntries(Object.entries({ ...saved.files, ...waiting.skipped }).filter(([id]) => waiting.known.has(id)));
  const start: Cursor = { ...saved, files, dropped: saved.dropped + waiting.dropped, lost: saved.lost || waiting.lost, last: waiting.lost ? null : saved.last };
  const move = (cursor: Cursor): void => { if (destination.kind !== 'show') putFile(host, joinPath(host.platform, directory, CURSOR_FILE), toBytes(`${JSON.stringify({ schema: CURSOR_SCHEMA, ...cursor })}\n`)); };
  const done = { records: 0, batches: 0, rejected: 0, seq: start.seq, more: false };
  const [written, bodies]: [string[], string[]] = [[], []];
  for (const batch of batchesOf(input, start, waiting.receipts)) {
    if (done.batches === BATCHES_PER_RUN_MAX) {
      done.more = true;
      break;
    }
    const { rejected, file, body } = await out(input, batch);
    move(batch.cursor);
    done.records += batch.records.length;
    done.batches += 1;
    done.rejected += rejected;
    done.seq = batch.cursor.seq;
    if (file !== undefined) written.push(file);
    if (body !== undefined) bodies.push(body);
  }
  // What was passed over stays counted until an event can tell it.
  if (done.batches === 0 && (start.dropped !== saved.dropped || start.lost !== saved.lost)) move(start);
  return { ...done, dropped: start.dropped, lost: start.lost, files: written, bodies };
}

export async function exportEvidence(input: ExportInput): Promise<ExportResult> {
  const { host, directory, destination } = input;
  if (destination.kind === 'show') return exportLocked(input);
  makeDirs(host, directory, OWN_DIR_MODE);
  let release: () => Promise<void>;
  try {
    release = await host.lock(joinPath(host.platform, directory, 'export.lock'), LOCK_MS_MAX);
  } catch (error) {
    throw new PraetorError({ code: 'lock-held', where: { path: directory }, message: 'another run is exporting', fix: 'run it again when that one has ended' }, error);
  }
  try {
    return await exportLocked(input);
  } finally {
    await release();
  }
}
