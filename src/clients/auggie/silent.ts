// Contract: everything by which Auggie leaves our hooks out, as far as files show it. Read in the shipped bundle of 0.36.0; no hook
// was run. PURE.
import type { Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject, type JsonValue, type Path } from '../../model/json.ts';
import { unknown } from '../facts.ts';
import { wrappedArrays } from '../registration.ts';
import { off } from '../silent-kit.ts';

const READ = { basis: 'documented', versions: '0.36.0, read in its bundle' } as const;

const IGNORED = { id: 'auggie.hooks-ignored', looks: '`hooks` that is no object, an entry of anybody that is no group of command handlers, or an event of another client\'s form', fix: 'correct that entry, then run: praetorctl clients plan --client auggie', ...READ } as const satisfies SilentWay;

export const AUGGIE_SILENT: readonly SilentWay[] = [IGNORED];

export const AUGGIE_UNSEEN: readonly Fact[] = [
  unknown('a settings.json that is a symbolic link: for servers the client sees an empty file; for hooks it was not looked at'),
  unknown('settings of the system and of the organisation'),
  unknown('variables that only the client\'s own start gives it, such as another HOME'),
];

/** Names of another client's form: with one of them the whole file is checked against that form, in which ours is a fault. */
const OTHER_FORM = ['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'afterFileEdit', 'afterShellExecution', 'afterMCPExecution', 'stop'];

function isHandler(value: JsonValue): boolean {
  return isObject(value) && value['type'] === 'command' && typeof value['command'] === 'string';
}

export function lintSettings(document: JsonObject): Finding[] {
  const hooks = document['hooks'];
  if (hooks === undefined) return [];
  const drop = (path: Path, message: string): Finding => off(IGNORED, message, { path });
  if (!isObject(hooks)) return [drop(['hooks'], 'hooks is not an object; Auggie runs none')];
  const other = OTHER_FORM.find((name) => Array.isArray(hooks[name]));
  const found = other === undefined ? [] : [drop(['hooks', other], `${other} is of another form; beside it Auggie ignores all hooks of the file`)];
  for (const array of wrappedArrays(document)) {
    const wrong = OTHER_FORM.includes(array.native) ? -1
      : array.items.findIndex((item) => !isObject(item) || !Array.isArray(item['hooks']) || !item['hooks'].every(isHandler));
    if (wrong !== -1) found.push(drop([...array.path, wrong], `this entry is no group of command handlers; Auggie ignores all hooks of ${array.native}`));
  }
  return found;
}
