// Contract: receipts of the guarding runtime. IO. Written when the call has gone on its way: a client must not wait for a disk. What
// was refused, asked or changes things is written in the same turn; calls that only read are collected for RECEIPTS_MS_MAX.
import { appendReceipt } from '../../receipts/append.ts';
import { formatReceipt, isoTime } from '../../receipts/format.ts';
import type { CallNote } from '../session-types.ts';

export const RECEIPTS_MS_MAX = 50;
/** One write for all, so they stay few enough for it. */
const RECEIPTS_MAX = 64;
/** A file is looked at for its size with one receipt in so many. */
const SIZE_LOOK_EACH = 16;
const KNOWN_MAX = 256;
const TIME_AT = '{"v":1,"time":"'.length;
const TIME_CHARS = '2026-01-01T00:00:00.000Z'.length;
const ENDINGS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface ReceiptStamp { readonly service: string; readonly engine: string; readonly policy: string }

export function receiptWriter(directory: string | undefined, { service, engine, policy }: ReceiptStamp): (note: CallNote) => void {
  if (directory === undefined) return () => undefined;
  let waiting: { readonly note: CallNote; readonly at: number }[] = [];
  /** Of calls that differ in their time only, by everything else: the time has a fixed place and length. */
  const known = new Map<string, string>();
  const written = ({ note, at }: { readonly note: CallNote; readonly at: number }): string => formatReceipt({
    v: 1, time: isoTime(at), client: 'mcp', event: 'mcp-call', caller: note.caller, verdict: note.verdict, ...(note.code === undefined ? {} : { rule: `contract.${note.code}` }),
    kind: 'mcp', tool: `${service}/${note.tool}`, engine, policy, ms: 0,
  });
  const lineOf = (one: { readonly note: CallNote; readonly at: number }): string => {
    const { tool, verdict, code, caller } = one.note;
    const name = [tool, verdict, code, caller].join('\0');
    const same = known.get(name);
    if (same !== undefined) return same.slice(0, TIME_AT) + isoTime(one.at) + same.slice(TIME_AT + TIME_CHARS);
    const line = written(one);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(name, line);
    return line;
  };
  let isSoon = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
    isSoon = false;
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    try {
      appendReceipt(directory, lines.map(lineOf).join(''), Math.random() < lines.length / SIZE_LOOK_EACH);
    } catch {
      process.stderr.write('praetorctl mcp: no receipt: the state directory cannot be written\n');
    }
  };
  let isWatching = false;
  const watchEndings = (): void => {
    isWatching = true;
    process.on('exit', flush);
    // Once: the second time it ends the process, as it would have the first time.
    for (const signal of ENDINGS) process.once(signal, () => { flush(); process.kill(process.pid, signal); });
  };
  return (note) => {
    if (!isWatching) watchEndings();
    // Written out later: the call must not wait for that either.
    waiting.push({ note, at: Date.now() });
    if (note.canWait && waiting.length < RECEIPTS_MAX) timer ??= setTimeout(flush, RECEIPTS_MS_MAX);
    else if (!isSoon) {
      isSoon = true;
      setImmediate(flush);
    }
  };
}
