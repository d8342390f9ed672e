// Contract: the plan of a file that is ours as a whole: it is written, left or taken away, never edited. Ours is what the records
// know and what already has the bytes; anything else that stands there is somebody else's. PURE.
import type { FileSpec } from '../model/client.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { EntryChange, FilePlan, FileRecord, Snapshot } from '../model/plan.ts';
import { withExecute } from './plan.ts';

export interface OwnFileInput {
  /** In the place of a client: who needs the file. */
  readonly owner: string;
  readonly spec: FileSpec;
  readonly entry: Pick<EntryChange, 'kind' | 'name' | 'detail'>;
  readonly snapshot: Snapshot;
  readonly record: FileRecord | undefined;
  /** undefined: no such file is wanted. */
  readonly text: string | undefined;
  /** What is said where a file of somebody else stands in the way. */
  readonly foreign: Diagnostic;
}

export interface OwnFileVerdict { readonly file: FilePlan | undefined; readonly diagnostics: readonly Diagnostic[] }

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

export function planOwnFile(input: OwnFileInput): OwnFileVerdict {
  const { owner, spec, snapshot, record, text } = input;
  if (snapshot.state === 'refused') return { file: undefined, diagnostics: text === undefined ? [] : [snapshot.diagnostic] };
  const entry = (action: EntryChange['action']): EntryChange => ({ client: owner, ...input.entry, action, at: '' });
  const base = { client: owner, spec, before: snapshot, created: [], ownedServers: [], mode: spec.executable === true ? 0o755 : 0o644 };
  if (text === undefined) {
    if (record === undefined || snapshot.state === 'absent') return { file: undefined, diagnostics: [] };
    return { file: { ...base, action: 'delete', after: null, entries: [entry('remove')] }, diagnostics: [] };
  }
  const after = new TextEncoder().encode(text);
  if (snapshot.state === 'absent') return { file: { ...base, action: 'create', after, entries: [entry('add')] }, diagnostics: [] };
  const same = sameBytes(snapshot.bytes, after);
  const mode = withExecute(spec, snapshot.stamp.mode);
  if (same && mode === snapshot.stamp.mode) return { file: { ...base, action: 'none', after: null, entries: [entry('none')] }, diagnostics: [] };
  if (record !== undefined || same) return { file: { ...base, action: 'edit', after, mode, entries: [entry('change')] }, diagnostics: [] };
  return { file: undefined, diagnostics: [input.foreign] };
}
