// Contract: everything by which Claude Code leaves our hooks out, as far as its files and the environment show it. Measured on
// 2.1.197 (A) and 2.1.332 (B), Linux, where it does not say otherwise. PURE.
import type { Fact, Finding, RootContext, SilentWay } from '../../model/client.ts';
import { isObject, showPath, valueAt, type JsonObject, type JsonValue, type Path } from '../../model/json.ts';
import { unknown } from '../facts.ts';
import { doubtful, dropped, firstBoolean, off, variableOn, type Layer } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '2.1.197, 2.1.332' } as const;
const ADMINISTRATOR = 'ask the administrator to register praetorctl in managed settings';

const WAYS = {
  ignored: { id: 'claude.settings-ignored', looks: 'a value of the wrong type, or a damaged hook entry of anybody, in the same settings file', fix: 'correct that entry, then run: praetorctl clients plan --client claude', ...SEEN },
  disabled: { id: 'claude.disable-all-hooks', looks: '`disableAllHooks: true` in the user, project, local or managed settings', fix: 'set disableAllHooks to false or remove it', ...SEEN },
  managedOnly: { id: 'claude.managed-hooks-only', looks: '`allowManagedHooksOnly: true` in managed settings, also in a file of managed-settings.d', fix: ADMINISTRATOR, ...SEEN },
  pluginOnly: { id: 'claude.plugin-only', looks: '`strictPluginOnlyCustomization` true or with `hooks`, in managed settings', fix: ADMINISTRATOR, ...SEEN },
  simple: { id: 'claude.simple-mode', looks: '`CLAUDE_CODE_SIMPLE` on (`1`, `true`, `yes` or `on`, in any case) in the environment, or in `env` of any settings', fix: 'unset CLAUDE_CODE_SIMPLE', ...SEEN },
  safe: { id: 'claude.safe-mode', looks: '`CLAUDE_CODE_SAFE_MODE` on in the same words in the environment, or in `env` of any settings', fix: 'unset CLAUDE_CODE_SAFE_MODE', ...SEEN },
  record: { id: 'claude.record-mode', looks: '`PRAETORCTL_HOOK_RECORD_DIR` in `env` of any settings: the hook records and refuses nothing', fix: 'remove PRAETORCTL_HOOK_RECORD_DIR from env in the settings', ...SEEN },
  moved: { id: 'claude.env-moves-hook', looks: '`PATH`, `HOME`, `NODE_OPTIONS`, `CLAUDE_CONFIG_DIR`, `CLAUDE_CODE_SHELL_PREFIX` or one of our directories in `env` of any settings: the hook runs another program, in another way or not at all (2.1.332 then blocks the call, by onFailure), or leaves its receipts elsewhere', fix: 'remove that variable from env in the settings', basis: 'measured', versions: '2.1.332, with PATH' },
} as const satisfies Record<string, SilentWay>;

export const CLAUDE_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const CLAUDE_UNSEEN: readonly Fact[] = [
  seen('`--bare`, `--safe-mode`, `--setting-sources` and a `--settings` file with `disableAllHooks`, given to one session'),
  seen('a session that is started in a subdirectory does not read the project\'s settings'),
  seen('while the dialog that asks for trust in a folder is open, no hook runs (2.1.197)'),
  seen('a `.claude` directory that is made after the session began is not read (2.1.197)'),
  seen('variables that only the client\'s own start gives it, such as another HOME or CLAUDE_CONFIG_DIR'),
  unknown('settings that a server of the organisation sends'),
];

const HANDLER_TYPES = ['command', 'http', 'prompt', 'agent', 'mcp_tool'];
// Under these two events B drops the whole file too; elsewhere it drops only the entry. A drops the file for any.
const FATAL_EVENTS = ['PreToolUse', 'PermissionRequest'];

function handlerFault(handler: JsonValue): string | undefined {
  if (!isObject(handler)) return 'a handler is not an object';
  const type = handler['type'];
  if (typeof type !== 'string' || !HANDLER_TYPES.includes(type)) return 'a handler has an unknown or missing type';
  if (type === 'command' && typeof handler['command'] !== 'string') return 'a command handler has no command';
  const timeout = handler['timeout'];
  if (timeout !== undefined && (typeof timeout !== 'number' || timeout <= 0)) return 'a timeout is not a positive number';
  const onFailure = handler['onFailure'];
  if (onFailure !== undefined && onFailure !== 'block' && onFailure !== 'continue') return 'onFailure is neither block nor continue';
  return undefined;
}

function groupFault(group: JsonValue): string | undefined {
  if (!isObject(group)) return 'a group is not an object';
  if (group['matcher'] !== undefined && typeof group['matcher'] !== 'string') return 'a matcher is not a string';
  const handlers = group['hooks'];
  if (!Array.isArray(handlers)) return 'a group has no hooks list';
  for (const handler of handlers) {
    const fault = handlerFault(handler);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function ignored(path: Path, message: string, certain: boolean): Finding {
  return (certain ? dropped : doubtful)(WAYS.ignored, `${message}; Claude Code ignores the whole file${certain ? '' : ' (some versions only this entry)'}`, { path });
}

type Kind = 'a boolean' | 'a string' | 'a number' | 'a list' | 'an object';

const IS: Readonly<Record<Kind, (value: JsonValue) => boolean>> = {
  'a boolean': (value) => typeof value === 'boolean', 'a string': (value) => typeof value === 'string', 'a number': (value) => typeof value === 'number',
  'a list': Array.isArray, 'an object': isObject,
};

// As read in the binary of B; `delegate` is an older version's.
const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'delegate', 'dontAsk', 'manual', 'plan'];
const CHANNELS = ['latest', 'stable', 'rc'];

// One value of another kind under these keys and the whole file is dropped. Not so, measured: a `theme` or `enabledMcpjsonServers`
// of another kind, a damaged entry within `permissions.allow` or within `env`.
const KINDS: readonly (readonly [path: Path, kind: Kind, words?: readonly string[]])[] = [
  [['model'], 'a string'], [['permissions'], 'an object'], [['hooks'], 'an object'], [['disableAllHooks'], 'a boolean'],
  [['permissions', 'deny'], 'a list'], [['permissions', 'defaultMode'], 'a string', MODES],
  [['env'], 'an object'], [['apiKeyHelper'], 'a string'], [['cleanupPeriodDays'], 'a number'], [['statusLine'], 'an object'],
  [['enabledPlugins'], 'an object'], [['includeCoAuthoredBy'], 'a boolean'], [['sandbox'], 'an object'], [['outputStyle'], 'a string'],
  [['spinnerTipsEnabled'], 'a boolean'], [['autoUpdatesChannel'], 'a string', CHANNELS],
];

function wrongKinds(document: JsonObject): Finding[] {
  return KINDS.flatMap(([path, kind, words]) => {
    const value = valueAt(document, path);
    if (value === undefined) return [];
    if (!IS[kind](value)) return [ignored(path, `${showPath(path)} is not ${kind}`, true)];
    return words === undefined || words.includes(String(value)) ? [] : [ignored(path, `${showPath(path)} is none of ${words.join(', ')}`, true)];
  });
}

export function lintSettings(document: JsonObject): Finding[] {
  const found = wrongKinds(document);
  const hooks = document['hooks'];
  if (!isObject(hooks)) return found;
  for (const event of Object.keys(hooks)) {
    const groups = hooks[event];
    if (!Array.isArray(groups)) continue; // Tolerated with a warning in A and B.
    groups.forEach((group, index) => {
      const fault = groupFault(group);
      if (fault !== undefined) found.push(ignored(['hooks', event, index], fault, FATAL_EVENTS.includes(event)));
    });
  }
  return found;
}

/** Managed settings and their drop-ins, of which the last by name wins. */
function managedLayers(documents: ReadonlyMap<string, JsonObject>): Layer[] {
  const more = [...documents.keys()].filter((name) => name.startsWith('managed/')).sort().reverse();
  return [...more, 'managed'].map((name): Layer => [name, 'managed']);
}

const MOVING = ['PATH', 'HOME', 'NODE_OPTIONS', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_SHELL_PREFIX', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'PRAETORCTL_STATE_DIR', 'PRAETORCTL_CONFIG_DIR', 'PRAETORCTL_DATA_DIR'];

// Measured: in any case and with spaces around, also as a number or a boolean in the settings.
const ON = ['1', 'true', 'yes', 'on'];
const saysOn = (value: JsonValue | undefined): boolean => ON.includes(String(value).trim().toLowerCase());

/** `env` of any settings reaches the client and its hooks. */
function throughSettings(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  return [...documents].flatMap(([source, document]) => {
    const env = document['env'];
    if (!isObject(env)) return [];
    const at = (name: string): { source: string; path: Path } => ({ source, path: ['env', name] });
    const found: Finding[] = [];
    for (const [name, way] of [['CLAUDE_CODE_SIMPLE', WAYS.simple], ['CLAUDE_CODE_SAFE_MODE', WAYS.safe]] as const) {
      if (saysOn(env[name])) found.push(off(way, `${name}=${String(env[name]).trim()} turns hooks off`, at(name), `remove ${name} from env in the settings`));
    }
    if ((env['PRAETORCTL_HOOK_RECORD_DIR'] ?? '') !== '') found.push(off(WAYS.record, 'PRAETORCTL_HOOK_RECORD_DIR is set: the hook records and refuses nothing', at('PRAETORCTL_HOOK_RECORD_DIR')));
    for (const name of MOVING) if (env[name] !== undefined) found.push(doubtful(WAYS.moved, `the settings give the client and its hooks another ${name}`, at(name)));
    return found;
  });
}

const saidOn = (env: RootContext['env'], name: string): string => `${name}=${(env[name] ?? '').trim()} turns hooks off`;

/** Hooks in the managed settings themselves go on (measured). */
const SPARES = { sparesManaged: true } as const;

export function switches(documents: ReadonlyMap<string, JsonObject>, env: RootContext['env']): Finding[] {
  const found: Finding[] = [];
  const managed = managedLayers(documents);
  // Ordinary precedence, measured: a project `false` re-enables hooks over a user `true`, managed wins over both.
  const disabled = firstBoolean(documents, [...managed, ['local', 'local'], ['project', 'project'], ['own', 'user']], ['disableAllHooks']);
  if (disabled?.value === true) {
    const spares = disabled.layer[1] === 'managed' ? {} : SPARES;
    found.push({ ...off(WAYS.disabled, `disableAllHooks is true in the ${disabled.layer[1]} settings`, { source: disabled.layer[0], path: ['disableAllHooks'] }), ...spares });
  }
  const only = firstBoolean(documents, managed, ['allowManagedHooksOnly']);
  if (only?.value === true) found.push({ ...off(WAYS.managedOnly, 'managed settings allow managed hooks only', { source: only.layer[0], path: ['allowManagedHooksOnly'] }), ...SPARES });
  const strict = managed.find(([name]) => documents.get(name)?.['strictPluginOnlyCustomization'] !== undefined);
  const value = strict === undefined ? undefined : documents.get(strict[0])?.['strictPluginOnlyCustomization'];
  if (strict !== undefined && (value === true || (Array.isArray(value) && value.includes('hooks')))) {
    found.push({ ...off(WAYS.pluginOnly, 'managed settings allow hooks from plugins only', { source: strict[0], path: ['strictPluginOnlyCustomization'] }), ...SPARES });
  }
  return [
    ...found, ...variableOn(env, 'CLAUDE_CODE_SIMPLE', WAYS.simple, saidOn(env, 'CLAUDE_CODE_SIMPLE'), ON),
    ...variableOn(env, 'CLAUDE_CODE_SAFE_MODE', WAYS.safe, saidOn(env, 'CLAUDE_CODE_SAFE_MODE'), ON), ...throughSettings(documents),
  ];
}
