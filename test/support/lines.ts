// Contract: a planner for tests of the applier. A "client file" is text; our entry is one line at its end. Bytes in, bytes out:
// nothing here knows JSON, so that the applier is tested alone.
import type { ApplyOptions } from '../../src/clientsetup/apply.ts';
import { readOriginal } from '../../src/clientsetup/backups.ts';
import { readRecords } from '../../src/clientsetup/records.ts';
import { takeSnapshot } from '../../src/clientsetup/snapshot.ts';
import type { StateDirs } from '../../src/clientsetup/statefiles.ts';
import type { Host } from '../../src/host.ts';
import type { FileSpec } from '../../src/model/client.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { EntryChange, FilePlan, FileRecord, Plan, Snapshot } from '../../src/model/plan.ts';

export const OUR_LINE = 'praetorctl hook test pre-tool\n';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

export function withLine(text: string): string {
  if (text.includes(OUR_LINE)) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${OUR_LINE}`;
}

export function withoutLine(text: string): string {
  return text.replace(OUR_LINE, '');
}

export interface LineFile { readonly path: string; readonly want: boolean; readonly secret?: boolean; readonly clientLock?: string }

export function specOf(file: LineFile): FileSpec {
  return {
    role: 'hooks', scope: 'user', path: file.path, format: 'json', secret: file.secret ?? false,
    tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false },
    ...(file.clientLock === undefined ? {} : { clientLock: file.clientLock }),
  };
}

function entry(action: EntryChange['action']): EntryChange {
  return { client: 'test', kind: 'hook', name: 'pre-tool', action, at: 'last line', detail: 'praetorctl hook test pre-tool' };
}

type Change = Pick<FilePlan, 'action' | 'after' | 'entries'> & { readonly mode?: number };

function removal(host: Host, dirs: StateDirs, now: Extract<Snapshot, { state: 'file' }>, record: FileRecord | undefined): Change {
  const text = decode(now.bytes);
  const entries = [entry('remove')];
  const untouched = record !== undefined && record.pristine && record.lastDigest === now.stamp.digest;
  if (untouched && !record.existed) return { action: 'delete', after: null, entries };
  const original = untouched ? readOriginal(host, dirs, record) : undefined;
  if (original !== undefined) return { action: 'restore', after: original, entries, mode: record?.original?.mode ?? 0o600 };
  if (!text.includes(OUR_LINE)) return { action: 'none', after: null, entries: [] };
  return { action: 'edit', after: encode(withoutLine(text)), entries };
}

function changeFor(host: Host, dirs: StateDirs, file: LineFile, now: Exclude<Snapshot, { state: 'refused' }>): Change {
  if (now.state === 'absent') return file.want ? { action: 'create', after: encode(OUR_LINE), entries: [entry('add')] } : { action: 'none', after: null, entries: [] };
  if (!file.want) return removal(host, dirs, now, readRecords(host, dirs).get(file.path));
  const text = decode(now.bytes);
  if (text.includes(OUR_LINE)) return { action: 'none', after: null, entries: [entry('none')] };
  return { action: 'edit', after: encode(withLine(text)), entries: [entry('add')] };
}

export function planLine(host: Host, dirs: StateDirs, file: LineFile, now: Snapshot = takeSnapshot(host, file.path)): FilePlan | Diagnostic {
  if (now.state === 'refused') return now.diagnostic;
  const change = changeFor(host, dirs, file, now);
  return {
    client: 'test', spec: specOf(file), before: now, created: [], ownedServers: [],
    ...change, mode: change.mode ?? (file.secret === true ? 0o600 : 0o644),
  };
}

export function planLines(host: Host, dirs: StateDirs, files: readonly LineFile[], purpose: Plan['purpose'] = 'apply'): Plan {
  const all = files.map((file) => planLine(host, dirs, file));
  const plans = all.flatMap((one) => ('severity' in one ? [] : [one]));
  const entries = plans.flatMap((one) => one.entries);
  const count = (action: EntryChange['action']): number => entries.filter((e) => e.action === action).length;
  return {
    purpose, files: plans, diagnostics: all.flatMap((one) => ('severity' in one ? [one] : [])),
    counts: { add: count('add'), change: count('change'), remove: count('remove'), unchanged: count('none') },
  };
}

/** Replanning and reading back for these files. `wrong` makes the readback find something else than was intended. */
export function lineOptions(host: Host, dirs: StateDirs, files: readonly LineFile[]): ApplyOptions {
  const fileOf = (plan: FilePlan): LineFile => files.find((file) => file.path === plan.spec.path) ?? { path: plan.spec.path, want: true };
  return {
    engine: '0.0.0-test',
    replan: (plan, now) => planLine(host, dirs, fileOf(plan), now),
    readback: (plan, bytes) => {
      const there = bytes !== null && decode(bytes).includes(OUR_LINE);
      if (there === fileOf(plan).want) return { entries: plan.entries };
      return { code: 'readback-failed', severity: 'error', where: { path: plan.spec.path }, message: 'the line is not as intended', fix: 'look at the file' };
    },
    countForeign: (_plan, bytes) => ({ hooks: bytes === null ? 0 : decode(bytes).split('\n').filter((line) => line !== '' && `${line}\n` !== OUR_LINE).length, servers: 0 }),
  };
}
