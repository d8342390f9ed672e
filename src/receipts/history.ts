// Contract: what receipts say in short: for each topic (client, caller, kind, event, workspace) the newest one of each session that
// a question could be about, and when each session began. Folded from receipts in the order of time; bounded, the least recent
// goes first. PURE. A note says where its receipt stands, so that nothing is claimed that is not read again.
import { isCanonicalEvent } from '../model/events.ts';
import type { Receipt } from './format.ts';

/** Only a genuine receipt can be evidence, and only where its caller is the client itself. */
export const KINDS = ['genuine', 'synthetic', 'future'] as const;
export type NoteKind = (typeof KINDS)[number];

/** Where a line of receipts begins: a file (by its number in the store) and a byte in it. */
export interface Place { readonly file: number; readonly offset: number }

interface Topic {
  readonly client: string;
  readonly caller: string;
  readonly kind: NoteKind;
  readonly event: string;
  /** Empty where the receipt names none. */
  readonly workspace: string;
}

export interface Note extends Topic, Place {
  readonly at: number;
  /** When the session of this receipt was first seen; its own time where it names none. */
  readonly begun: number;
}

/** Sessions by `sessionName`, and for each when it was first and last seen: two lists, because there are many and few are asked for. */
export interface SessionTable { readonly names: readonly string[]; readonly times: readonly number[] }

/** A clock may be set back a little; a receipt from further ahead would never age. */
export const FUTURE_MS_MAX = 5 * 60_000;
export const SESSIONS_MAX = 32_768;
export const NOTES_MAX = 65_536;
/** Of sessions that are still followed: their notes are not sifted yet. */
const OPEN_NOTES_MAX = 8 * NOTES_MAX;

type OpenNote = { -readonly [K in keyof Omit<Note, 'begun'>]: Note[K] };
interface OpenSession { readonly id: string; readonly caller: string; begun: number; last: number; readonly notes: OpenNote[] }

export interface Fold {
  /** Those of the receipts that are folded, by id. */
  readonly open: Map<string, OpenSession[]>;
  opened: number;
  openNotes: number;
  /** All others. */
  names: string[];
  times: number[];
  readonly index: Map<string, number>;
  notes: readonly Note[];
  /** The newest time of what was dropped for room: before it nothing is known for sure. */
  forgotten: number;
}

export function newFold({ names, times }: SessionTable, notes: readonly Note[]): Fold {
  const index = new Map<string, number>();
  names.forEach((name, i) => index.set(name, i));
  return { open: new Map(), opened: 0, openNotes: 0, names: [...names], times: [...times], index, notes, forgotten: -Infinity };
}

const sessionName = ({ id, caller }: { readonly id: string; readonly caller: string }): string => `${caller}\n${id}`;

function follow(fold: Fold, session: OpenSession): OpenSession {
  const same = fold.open.get(session.id);
  if (same === undefined) fold.open.set(session.id, [session]);
  else same.push(session);
  fold.opened += 1;
  return session;
}

function openSession(fold: Fold, id: string, caller: string, at: number): OpenSession {
  const known = fold.index.get(sessionName({ id, caller }));
  const begun = known === undefined ? at : fold.times[2 * known] ?? at;
  const last = known === undefined ? at : fold.times[2 * known + 1] ?? at;
  return follow(fold, { id, caller, begun, last, notes: [] });
}

export function foldReceipt(fold: Fold, receipt: Receipt, { file, offset }: Place, now: number): void {
  const at = Date.parse(receipt.time);
  const { client, caller, event } = receipt;
  const id = receipt.session ?? '';
  const session = fold.open.get(id)?.find((one) => one.caller === caller) ?? openSession(fold, id, caller, at);
  if (at < session.begun) session.begun = at;
  if (at > session.last) session.last = at;
  if (!isCanonicalEvent(event) || receipt.verdict === 'skipped' || receipt.verdict === 'recorded') return;
  const kind: NoteKind = receipt.synthetic === true ? 'synthetic' : at > now + FUTURE_MS_MAX ? 'future' : 'genuine';
  const workspace = receipt.workspace ?? '';
  const known = session.notes.find((note) => note.event === event && note.client === client && note.kind === kind && note.workspace === workspace);
  if (known === undefined) {
    session.notes.push({ client, caller, kind, event, workspace, at, file, offset });
    fold.openNotes += 1;
    if (fold.opened > SESSIONS_MAX || fold.openNotes > OPEN_NOTES_MAX) makeRoom(fold);
  } else if (known.at <= at) Object.assign(known, { at, file, offset });
}

/** The less recent half is closed: its notes are sifted with the others. */
function makeRoom(fold: Fold): void {
  const all = [...fold.open.values()].flat().sort((a, b) => b.last - a.last);
  const kept = all.slice(0, Math.floor(SESSIONS_MAX / 2));
  const closed = all.slice(kept.length);
  for (const session of closed) remember(fold, session);
  sift(fold, closed);
  fold.open.clear();
  fold.opened = 0;
  for (const session of kept) follow(fold, session);
  fold.openNotes = kept.reduce((sum, { notes }) => sum + notes.length, 0);
  if (fold.openNotes <= OPEN_NOTES_MAX / 2) return;
  sift(fold, kept);
  for (const { notes } of kept) notes.length = 0;
  fold.openNotes = 0;
}

function remember(fold: Fold, session: OpenSession): void {
  if (session.id === '') return;
  const name = sessionName(session);
  const at = fold.index.get(name) ?? fold.names.push(name) - 1;
  fold.index.set(name, at);
  fold.times[2 * at] = session.begun;
  fold.times[2 * at + 1] = session.last;
  if (fold.names.length > 2 * SESSIONS_MAX) forgetSessions(fold);
}

/** Down to the most recently seen. */
function forgetSessions(fold: Fold): void {
  const rows = fold.names.map((name, i) => ({ name, begun: fold.times[2 * i] ?? 0, last: fold.times[2 * i + 1] ?? 0 }));
  const kept = rows.sort((a, b) => b.last - a.last).slice(0, SESSIONS_MAX);
  fold.names = kept.map(({ name }) => name);
  fold.times = kept.flatMap(({ begun, last }) => [begun, last]);
  fold.index.clear();
  kept.forEach(({ name }, i) => fold.index.set(name, i));
}

const topicOf = (note: Topic): string => `${note.client}\0${note.caller}\0${note.kind}\0${note.event}\0${note.workspace}`;

/**
 * Adds the notes of sessions to the others, newest first in each topic. One that is older than another of a session that began
 * no earlier can be no answer to any question, so it goes.
 */
function sift(fold: Fold, sessions: readonly OpenSession[]): void {
  const topics = new Map<string, Note[]>();
  const put = (note: Note): void => {
    const topic = topicOf(note);
    const list = topics.get(topic);
    if (list === undefined) topics.set(topic, [note]);
    else list.push(note);
  };
  fold.notes.forEach(put);
  // Without a session each receipt stands for itself, and the newest says it all.
  for (const { id, begun, notes } of sessions) for (const note of notes) put({ ...note, begun: id === '' ? note.at : begun });
  const all = [...topics.values()].flatMap((notes) => {
    let latest = -Infinity;
    return notes.sort((a, b) => b.at - a.at || b.begun - a.begun).filter(({ begun }) => {
      const answers = begun > latest;
      latest = Math.max(latest, begun);
      return answers;
    });
  });
  fold.notes = all;
  if (all.length <= NOTES_MAX) return;
  all.sort((a, b) => b.at - a.at);
  fold.forgotten = Math.max(fold.forgotten, all[NOTES_MAX]?.at ?? 0);
  fold.notes = all.slice(0, NOTES_MAX);
}

/** The notes of everything that was folded. */
export function settle(fold: Fold): { readonly notes: readonly Note[]; readonly forgotten: number } {
  sift(fold, [...fold.open.values()].flat());
  return { notes: fold.notes, forgotten: fold.forgotten };
}

/** When the sessions began that are worth remembering. */
export function sessionTable(fold: Fold): SessionTable {
  for (const session of [...fold.open.values()].flat()) remember(fold, session);
  if (fold.names.length > SESSIONS_MAX) forgetSessions(fold);
  return { names: fold.names, times: fold.times };
}
