// Contract: everything by which Cursor leaves our hooks out, as far as files show it. From documents and one third party's
// measurement; nothing was run. PURE.
import type { Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject, type Path } from '../../model/json.ts';
import { documented, unknown } from '../facts.ts';
import { doubtful } from '../silent-kit.ts';

const WAYS = {
  dropped: { id: 'cursor.file-dropped', looks: 'an event that is not documented, `hooks` that is no object, or a version other than 1, of anybody, in hooks.json', fix: 'correct that entry, then run: praetorctl clients plan --client cursor', basis: 'documented' },
} as const satisfies Record<string, SilentWay>;

export const CURSOR_SILENT: readonly SilentWay[] = Object.values(WAYS);

export const CURSOR_UNSEEN: readonly Fact[] = [
  documented('cursor-agent -p fires fewer events than the editor: no beforeSubmitPrompt and no stop'),
  documented('a version that does not know one of our events and drops the whole file for it'),
  unknown('hooks that a server of the organisation sends, or a switch in the editor\'s own database'),
];

const KNOWN_EVENTS = [
  'sessionStart', 'sessionEnd', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'subagentStart', 'subagentStop', 'beforeShellExecution',
  'afterShellExecution', 'beforeMCPExecution', 'afterMCPExecution', 'beforeReadFile', 'afterFileEdit', 'beforeSubmitPrompt', 'preCompact',
  'stop', 'afterAgentResponse', 'afterAgentThought', 'beforeTabFileRead', 'afterTabFileEdit',
];

/** Seen by a third party on one version, and a newer version may know more events: so none of it is certain. */
export function lintHooks(document: JsonObject): Finding[] {
  const dropped = (path: Path, message: string, fix: string): Finding => (
    { ...doubtful(WAYS.dropped, `${message}; Cursor may drop the whole file in silence`, { path }, fix), effect: 'file' });
  const found: Finding[] = [];
  const { hooks, version } = document;
  if (version !== 1) found.push(dropped(['version'], 'version is not 1', 'set version to 1'));
  if (hooks === undefined) return found;
  if (!isObject(hooks)) return [...found, dropped(['hooks'], 'hooks is not an object', 'make hooks an object')];
  for (const name of Object.keys(hooks)) {
    if (!KNOWN_EVENTS.includes(name)) found.push(dropped(['hooks', name], 'an event that is not documented', 'correct or remove that event'));
  }
  return found;
}
