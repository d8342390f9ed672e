// Contract: the archive of a version: regular files only, sorted, modes 0644 and 0755, times, owners and names zero, so that the
// same files become the same bytes. An archive is accepted only if it is byte for byte what would be written from what was read
// out of it: links, directories, extensions, odd paths, second copies and trailing bytes have no form to come in. PURE but for gzip.
import { gunzipSync, gzipSync } from 'node:zlib';
import { PraetorError } from '../model/diagnostic.ts';

/** Of the gzip'd archive. */
export const ARTEFACT_BYTES_MAX = 32 * 1024 * 1024;
/** Of what is in it, headers included. */
export const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
export const ENTRIES_MAX = 2_000;
const PATH_CHARS_MAX = 200;
const SEGMENTS_MAX = 12;

export interface TarEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const NAME_BYTES_MAX = 100;
const PREFIX_BYTES_MAX = 155;
const GZIP_OS_BYTE = 9;
const GZIP_OS_UNKNOWN = 255;

const refuse = (message: string): PraetorError => new PraetorError({ code: 'artefact-invalid', message, fix: 'take the artefact of another promotion; if it was just made: praetorctl fork prepare' });

/** Names that Windows gives to devices, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Why a path may not be in an archive, or undefined. What is allowed means the same file on every platform. */
export function pathFault(path: string): string | undefined {
  const parts = path.split('/');
  if (path.length > PATH_CHARS_MAX || parts.length > SEGMENTS_MAX) return 'too long';
  if (parts.some((part) => !/^[A-Za-z0-9._@+=~,-]+$/.test(part))) return 'empty parts or characters that are not allowed';
  if (parts.some((part) => /^\.{1,2}$/.test(part))) return 'it leads upwards';
  if (parts.some((part) => part.endsWith('.') || DEVICE.test(part))) return 'not a name on every platform';
  return undefined;
}

const byPath = (a: TarEntry, b: TarEntry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** Two names that one file system takes for the same, and a file where another entry needs a directory. */
function clash(entries: readonly TarEntry[]): string | undefined {
  const files = new Set<string>();
  for (const { path } of entries) {
    const folded = path.toLowerCase();
    if (files.has(folded)) return path;
    files.add(folded);
  }
  return entries.map(({ path }) => path).find((path) => path.split('/').slice(0, -1).some((_part, i, dirs) => files.has(dirs.slice(0, i + 1).join('/').toLowerCase())));
}

function checkEntries(entries: readonly TarEntry[]): void {
  if (entries.length === 0 || entries.length > ENTRIES_MAX) throw refuse(`an archive holds 1 to ${ENTRIES_MAX} files, this one ${entries.length}`);
  for (const { path } of entries) {
    const fault = pathFault(path);
    if (fault !== undefined) throw refuse(`a path in the archive is refused (${fault}): ${JSON.stringify(path.slice(0, 80))}`);
  }
  const twice = clash(entries);
  if (twice !== undefined) throw refuse(`two entries of the archive claim one place: ${twice}`);
}

function nameParts(path: string): readonly [name: string, prefix: string] {
  if (path.length <= NAME_BYTES_MAX) return [path, ''];
  const cut = path.indexOf('/', path.length - NAME_BYTES_MAX - 1);
  if (cut <= 0 || cut > PREFIX_BYTES_MAX) throw refuse(`a path has no form in an archive: ${path.slice(0, 80)}`);
  return [path.slice(cut + 1), path.slice(0, cut)];
}

function header({ path, executable, bytes }: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [name, prefix] = nameParts(path);
  const octal = (value: number, at: number, digits: number): void => { block.write(value.toString(8).padStart(digits, '0'), at, 'latin1'); };
  block.write(name, 0, 'latin1');
  octal(executable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes.length, 124, 11);
  octal(0, 136, 11);
  block.write('        0', 148, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  block.write(prefix, 345, 'latin1');
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 6);
  block[154] = 0;
  return block;
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function encode(entries: readonly TarEntry[]): Buffer {
  checkEntries(entries);
  const blocks = [...entries].sort(byPath).flatMap((entry) => [header(entry), entry.bytes, padding(entry.bytes.length)]);
  const archive = Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
  if (archive.length > UNPACKED_BYTES_MAX) throw refuse(`the files are larger than ${UNPACKED_BYTES_MAX} bytes`);
  return archive;
}

export function packTar(entries: readonly TarEntry[]): Uint8Array {
  const packed = gzipSync(encode(entries), { level: 9 });
  // The system that packed is the one byte that differs between machines.
  packed[GZIP_OS_BYTE] = GZIP_OS_UNKNOWN;
  if (packed.length > ARTEFACT_BYTES_MAX) throw refuse(`the archive is larger than ${ARTEFACT_BYTES_MAX} bytes`);
  return packed;
}

function inflated(packed: Uint8Array): Buffer {
  if (packed.length > ARTEFACT_BYTES_MAX) throw refuse(`the archive is larger than ${ARTEFACT_BYTES_MAX} bytes`);
  try {
    return gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch {
    throw refuse(`the archive is damaged, or larger than ${UNPACKED_BYTES_MAX} bytes when unpacked`);
  }
}

/** The bytes of a field up to its first NUL. */
function text(block: Buffer, at: number, length: number): string {
  const field = block.toString('latin1', at, at + length);
  const end = field.indexOf('\0');
  return end < 0 ? field : field.slice(0, end);
}

function decode(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0 && entries.length <= ENTRIES_MAX;) {
    const block = archive.subarray(at, at + BLOCK);
    const prefix = text(block, 345, PREFIX_BYTES_MAX);
    const size = /^[0-7]{11}$/.exec(text(block, 124, 12))?.[0];
    if (size === undefined) throw refuse('an entry of the archive has no size');
    const start = at + BLOCK;
    const end = start + Number.parseInt(size, 8);
    if (end > archive.length) throw refuse('the archive ends within a file');
    entries.push({ path: (prefix === '' ? '' : `${prefix}/`) + text(block, 0, NAME_BYTES_MAX), executable: text(block, 100, 8) === '0000755', bytes: archive.subarray(start, end) });
    at = end + padding(end - start).length;
  }
  return entries;
}

/** The files of an archive of ours, sorted. Throws `artefact-invalid` on anything else. */
export function unpackTar(packed: Uint8Array): readonly TarEntry[] {
  const archive = inflated(packed);
  const entries = decode(archive);
  if (!encode(entries).equals(archive)) throw refuse('the archive holds more than regular files in the form in which they are packed');
  return entries;
}
