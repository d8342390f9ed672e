// Contract: the checkpoint: how far the receipts were read and what was noted, as one JSON document. PURE. It is an index, never
// evidence: whoever reads a note looks at the receipt itself. What does not have exactly this form is no checkpoint.
import { isObject } from '../model/json.ts';
import { KINDS, NOTES_MAX, SESSIONS_MAX, type Note, type SessionTable } from './history.ts';

export const CHECKPOINT_FILE = 'checkpoint.json';
export const CHECKPOINT_BYTES_MAX = 32 * 1024 * 1024;
export const COVERS_MAX = 4096;
const NOTE_NUMBERS = 9;
const WORDS_MAX = 4 * NOTES_MAX;

/** How far a file was read. `head` and `tail` are digests of the first and the last bytes of that part. */
export interface Cover {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  readonly mtimeNs: string;
  readonly lines: number;
  readonly damagedLines: number;
}

export interface Checkpoint {
  /** Oldest first. A note names a file by its place in this list. */
  readonly covers: readonly Cover[];
  readonly notes: readonly Note[];
  /** Also of files that are gone: a session does not become a later one by that. */
  readonly sessions: SessionTable;
  /** Of receipts before this time, nothing is known for sure; null: everything was read. */
  readonly unknownBefore: number | null;
}

export function formatCheckpoint(checkpoint: Checkpoint): string {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  const word = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, words.length);
    return words.push(text) - 1;
  };
  const notes = checkpoint.notes.flatMap((n) => [word(n.client), word(n.caller), KINDS.indexOf(n.kind), word(n.event), word(n.workspace), n.at, n.begun, n.file, n.offset]);
  const { covers, sessions, unknownBefore } = checkpoint;
  return `${JSON.stringify({ v: 1, unknownBefore, covers, words, notes, sessions: sessions.names, times: sessions.times })}\n`;
}

type List<T> = readonly T[] | undefined;

function listOf<T>(value: unknown, max: number, fits: (item: unknown) => item is T): List<T> {
  return Array.isArray(value) && value.length <= max && value.every(fits) ? value : undefined;
}

const isText = (item: unknown): item is string => typeof item === 'string';
/** Times, numbers and places alike. */
const isWhole = (item: unknown): item is number => Number.isSafeInteger(item);
const isCover = (item: unknown): item is Cover => isObject(item) && isText(item['head']) && isText(item['tail']) && isText(item['mtimeNs']) && ['bytes', 'lines', 'damagedLines'].every((key) => isWhole(item[key]) && item[key] >= 0);

type Words = Pick<Note, 'client' | 'caller' | 'kind' | 'event' | 'workspace'>;
const isWholeNote = (note: { readonly [K in keyof Words]: Words[K] | undefined }): note is Words => Object.values(note).every((value) => value !== undefined);

function notesOf(numbers: readonly number[], words: readonly string[], files: number): readonly Note[] | undefined {
  if (numbers.length % NOTE_NUMBERS !== 0) return undefined;
  const notes: Note[] = [];
  for (let i = 0; i < numbers.length; i += NOTE_NUMBERS) {
    const [client, caller, kind, event, workspace, at = 0, begun = 0, file = -1, offset = -1] = numbers.slice(i, i + NOTE_NUMBERS);
    const note = { client: words[client ?? -1], caller: words[caller ?? -1], kind: KINDS[kind ?? -1], event: words[event ?? -1], workspace: words[workspace ?? -1] };
    if (!isWholeNote(note) || file < 0 || file >= files || offset < 0) return undefined;
    notes.push({ ...note, at, begun, file, offset });
  }
  return notes;
}

export function parseCheckpoint(text: string): Checkpoint | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const { unknownBefore } = value;
  const covers = listOf(value['covers'], COVERS_MAX, isCover);
  const words = listOf(value['words'], WORDS_MAX, isText);
  const numbers = listOf(value['notes'], NOTES_MAX * NOTE_NUMBERS, isWhole);
  const names = listOf(value['sessions'], SESSIONS_MAX, isText);
  const times = listOf(value['times'], 2 * SESSIONS_MAX, isWhole);
  if (covers === undefined || words === undefined || numbers === undefined || names === undefined || times?.length !== 2 * names.length) return undefined;
  if (unknownBefore !== null && !isWhole(unknownBefore)) return undefined;
  const notes = notesOf(numbers, words, covers.length);
  return notes === undefined ? undefined : { covers, notes, sessions: { names, times }, unknownBefore };
}
