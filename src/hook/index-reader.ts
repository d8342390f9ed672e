// Contract: reads a table (layout: model/table.ts) by offset. IO. One read for header and meta, one for the slots of a key, one
// for its rows; the whole is never parsed. What is damaged is said, never taken for "no rows".
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type BigIntStats } from 'node:fs';
import {
  HEAD_READ_BYTES, HEADER_BYTES, META_BYTES_MAX, PROBE_SLOTS, ROWS_BYTES_MAX, SLOT_BYTES, TABLE_FORMAT, hashBytes, hashText, slotCheck, type SourceStamp,
} from '../model/table.ts';
import type { OperatorRule } from '../policy/operator.ts';
import { INDEX_MAGIC, type PolicyMeta } from '../policy/operator-index.ts';

export interface TableDocument<Meta, Row> {
  readonly meta: Meta;
  /** Rows of one key; `''`: those without a key. Throws where the table is damaged. */
  readonly rowsFor: (key: string) => readonly Row[];
}

/** A document of rules by program, from an index or from its text. */
export type PolicyDocument = TableDocument<PolicyMeta, OperatorRule>;

interface Header {
  readonly slots: number;
  readonly tableAt: number;
  readonly metaAt: number;
  readonly metaLength: number;
  readonly metaCheck: number;
  readonly length: number;
  readonly seed: number;
  readonly starLength: number;
  readonly starAt: number;
}

interface Opened { readonly fd: number; readonly ino: bigint; readonly mtimeNs: bigint; readonly document: unknown }

/** Files that stay open, so that rows come from the file whose header was read even where it is replaced meanwhile. */
const open = new Map<string, Opened>();

/** Undefined where nothing is there, also where a file stands in the place of a directory. Throws where that cannot be known. */
export function lookAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function openIndex(path: string): PolicyDocument | 'missing' | 'bad' {
  return openTable<PolicyMeta, OperatorRule>(path, INDEX_MAGIC);
}

/** `missing`: nothing is there. `bad`: damaged, of another format, or unreadable. */
export function openTable<Meta, Row>(path: string, magic: string): TableDocument<Meta, Row> | 'missing' | 'bad' {
  let fd: number;
  try {
    // Asked first: an exception costs more than a second look.
    if (lookAt(path) === undefined) return 'missing';
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return 'bad';
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    const before = open.get(path);
    if (before !== undefined && before.ino === stat.ino && before.mtimeNs === stat.mtimeNs) {
      closeSync(fd);
      return before.document as TableDocument<Meta, Row>;
    }
    const document = stat.isFile() ? documentOf<Meta, Row>(fd, Number(stat.size), magic) : undefined;
    if (document === undefined) {
      closeSync(fd);
      return 'bad';
    }
    if (before !== undefined) closeSync(before.fd);
    open.set(path, { fd, ino: stat.ino, mtimeNs: stat.mtimeNs, document });
    return document;
  } catch {
    closeSync(fd);
    return 'bad';
  }
}

function documentOf<Meta, Row>(fd: number, size: number, magic: string): TableDocument<Meta, Row> | undefined {
  const head = Buffer.allocUnsafe(HEAD_READ_BYTES);
  const got = readSync(fd, head, 0, HEAD_READ_BYTES, 0);
  const header = headerOf(head, got, size, magic);
  if (header === undefined) return undefined;
  const end = header.metaAt + header.metaLength;
  const whole = end <= got ? head : bytesAt(fd, 0, end);
  if (hashBytes(whole, header.metaAt, end, header.seed) !== header.metaCheck) return undefined;
  const meta = JSON.parse(whole.toString('utf8', header.metaAt, end)) as Meta;
  const rows = new Map<string, readonly Row[]>();
  return {
    meta,
    rowsFor: (key) => {
      const known = rows.get(key);
      if (known !== undefined) return known;
      const found = (key === '' ? keylessRows(fd, header) : keyRows(fd, header, key)) as readonly Row[];
      rows.set(key, found);
      return found;
    },
  };
}

function headerOf(head: Buffer, got: number, size: number, magic: string): Header | undefined {
  if (got < HEADER_BYTES || head.toString('latin1', 0, 8) !== magic || head.readUInt32LE(60) !== hashBytes(head, 0, 60, 0)) return undefined;
  const at = (i: number): number => head.readUInt32LE(8 + 4 * i);
  const header = { slots: at(1), tableAt: at(2), metaAt: at(3), metaLength: at(4), metaCheck: at(5), length: at(6), seed: at(7), starLength: at(8), starAt: at(9) };
  return at(0) === TABLE_FORMAT && header.length === size && header.metaLength <= META_BYTES_MAX && header.slots > 0 ? header : undefined;
}

function bytesAt(fd: number, offset: number, length: number): Buffer {
  if (length > ROWS_BYTES_MAX) throw new Error('the compiled table is damaged');
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const n = readSync(fd, bytes, done, length - done, offset + done);
    if (n === 0) throw new Error('the compiled table is damaged');
    done += n;
  }
  return bytes;
}

function keylessRows(fd: number, header: Header): readonly unknown[] {
  return header.starLength === 0 ? [] : rowsAt(fd, header, header.starAt, header.starLength, '');
}

function rowsAt(fd: number, { seed }: Header, offset: number, length: number, key: string): readonly unknown[] {
  const bytes = bytesAt(fd, offset, length);
  if (length < 4 || hashBytes(bytes, 4, length, seed) !== bytes.readUInt32LE(0)) throw new Error('the compiled table is damaged');
  const [name, rows] = JSON.parse(bytes.toString('utf8', 4)) as [string, readonly unknown[]];
  return name === key ? rows : [];
}

/** Probes from the key's slot on. Two keys of one hash are told apart by the name in the rows. */
function keyRows(fd: number, header: Header, key: string): readonly unknown[] {
  const { slots, tableAt, seed } = header;
  const hash = hashText(key) || 1;
  let slot = hash % slots;
  for (let probed = 0; probed < slots;) {
    const count = Math.min(PROBE_SLOTS, slots - slot);
    const bytes = bytesAt(fd, tableAt + slot * SLOT_BYTES, count * SLOT_BYTES);
    for (let i = 0; i < count; i++, probed++) {
      const at = i * SLOT_BYTES;
      const found = bytes.readUInt32LE(at);
      const offset = bytes.readUInt32LE(at + 4);
      const length = bytes.readUInt32LE(at + 8);
      if (bytes.readUInt32LE(at + 12) !== slotCheck(slot + i, found, offset, length, seed)) throw new Error('the compiled table is damaged');
      if (offset === 0) return [];
      if (found !== hash) continue;
      const rows = rowsAt(fd, header, offset, length, key);
      if (rows.length > 0) return rows;
    }
    slot = (slot + count) % slots;
  }
  return [];
}

export function stampOf(path: string, stat: BigIntStats): SourceStamp {
  return { path, size: Number(stat.size), mtimeNs: String(stat.mtimeNs), ctimeNs: String(stat.ctimeNs), ino: String(stat.ino) };
}

export function sameStamp(a: SourceStamp, b: SourceStamp): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino && a.path === b.path;
}
