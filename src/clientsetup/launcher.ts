// Contract: the launcher file ~/.local/bin/praetorctl. The registered command is bare words, so it must resolve on the PATH
// of the clients: a missing program makes Gemini CLI and Antigravity refuse every call and others run unguarded. Where it
// does not resolve, apply writes this launcher as part of the plan and remove takes it out again. PURE.
import type { RootContext } from '../model/client.ts';
import type { FileSpec } from '../model/client.ts';
import type { EntryChange, FilePlan, FileRecord, Snapshot } from '../model/plan.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';
import { withExecute } from './plan.ts';

/** Never a package name: whoever owns it on a registry would be installed. */
export const INSTALL_FIX = 'run in the praetorctl checkout: npm install -g .';

export const LAUNCHER_OWNER = 'praetorctl';

/** POSIX only: on Windows a program directory on PATH is not ours to choose, so the person installs it with npm. */
export function launcherSpec(context: RootContext): FileSpec | undefined {
  if (context.platform === 'win32') return undefined;
  return {
    role: 'launcher', scope: 'user', path: joinPath(context.platform, context.home, '.local', 'bin', 'praetorctl'), format: 'json', secret: false, executable: true,
    tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false },
  };
}

const quoted = (path: string): string => `'${path.replace(/'/g, `'\\''`)}'`;

export function launcherText(node: string, script: string): string {
  return `#!/bin/sh\n# Written by "praetorctl clients apply"; "praetorctl clients remove" takes it away.\nexec ${quoted(node)} ${quoted(script)} "$@"\n`;
}

export interface LauncherInput {
  readonly spec: FileSpec;
  readonly snapshot: Snapshot;
  readonly record: FileRecord | undefined;
  /** undefined: no launcher is wanted. */
  readonly text: string | undefined;
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

export function planLauncher(input: LauncherInput): { file: FilePlan | undefined; diagnostics: readonly Diagnostic[] } {
  const { spec, snapshot, record, text } = input;
  if (snapshot.state === 'refused') return { file: undefined, diagnostics: text === undefined ? [] : [snapshot.diagnostic] };
  const entry = (action: EntryChange['action']): EntryChange => ({ client: LAUNCHER_OWNER, kind: 'launcher', name: 'praetorctl', action, at: '', detail: 'the program that the hooks call' });
  const base = { client: LAUNCHER_OWNER, spec, before: snapshot, created: [], ownedServers: [], mode: 0o755 };
  if (text === undefined) {
    if (record === undefined || snapshot.state === 'absent') return { file: undefined, diagnostics: [] };
    return { file: { ...base, action: 'delete', after: null, entries: [entry('remove')] }, diagnostics: [] };
  }
  const after = new TextEncoder().encode(text);
  if (snapshot.state === 'absent') return { file: { ...base, action: 'create', after, entries: [entry('add')] }, diagnostics: [] };
  const mode = withExecute(spec, snapshot.stamp.mode);
  if (sameBytes(snapshot.bytes, after) && mode === snapshot.stamp.mode) return { file: { ...base, action: 'none', after: null, entries: [entry('none')] }, diagnostics: [] };
  if (record !== undefined || sameBytes(snapshot.bytes, after)) return { file: { ...base, action: 'edit', after, mode, entries: [entry('change')] }, diagnostics: [] };
  return {
    file: undefined,
    diagnostics: [{
      code: 'entrypoint-not-on-path', severity: 'warning', where: { path: spec.path },
      message: 'praetorctl does not resolve on PATH, and a foreign file stands where its launcher would go', fix: INSTALL_FIX,
    }],
  };
}
