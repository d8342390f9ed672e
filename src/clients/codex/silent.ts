// Contract: everything by which the Codex CLI leaves our hooks out besides missing trust, as far as files show it. Measured on
// 0.171.0, Linux. PURE.
import type { Fact, Finding, RootContext, SilentWay } from '../../model/client.ts';
import { isObject, valueAt, type JsonObject, type JsonValue, type Path } from '../../model/json.ts';
import { wrappedArrays } from '../registration.ts';
import { ancestors, doubtful, dropped, note, off, perhapsDropped } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '0.171.0' } as const;

const WAYS = {
  dropped: { id: 'codex.hooks-file-dropped', looks: 'an unknown top-level key, a handler of an unknown type, an event or group without a list, or a description, matcher, command, timeout or async of the wrong kind, of anybody, in hooks.json', fix: 'correct that entry, then run: praetorctl clients plan --client codex', ...SEEN },
  feature: { id: 'codex.feature-off', looks: '`features.hooks = false` (or `codex_hooks`) in the user, system or managed config.toml, in requirements.toml, or in the project\'s of a trusted project', fix: 'remove features.hooks = false', ...SEEN },
  profile: { id: 'codex.profile-feature-off', looks: '`features.hooks = false` in a `NAME.config.toml` beside the user\'s config.toml: sessions with `-p NAME` run without hooks', fix: 'remove features.hooks = false from that profile', ...SEEN },
  above: { id: 'codex.feature-off-above', looks: '`features.hooks = false` in `.codex/config.toml` of a directory above the project', fix: 'remove features.hooks = false', ...SEEN },
  managedOnly: { id: 'codex.managed-hooks-only', looks: '`allow_managed_hooks_only = true` in requirements.toml', fix: 'ask the administrator to register praetorctl in /etc/codex', ...SEEN },
  untrusted: { id: 'codex.project-untrusted', looks: 'a registration of a project that the user\'s config.toml does not name as trusted', fix: 'start codex in the project and trust the folder, or: codex exec --trust', ...SEEN },
  twoSources: { id: 'codex.two-hook-sources', looks: 'hooks in hooks.json and in config.toml: both run, with a warning', fix: 'move those hooks into hooks.json to silence the warning', ...SEEN },
} as const satisfies Record<string, SilentWay>;

export const CODEX_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const CODEX_UNSEEN: readonly Fact[] = [
  seen('`--disable hooks`, `-c features.hooks=false` and `--ignore-user-config` (the trust lies in the ignored file), given to one session'),
  seen('a project registration in a linked worktree: the main checkout\'s hooks.json is read instead'),
  seen('another CODEX_HOME that only the client\'s own start gives it'),
  seen('`write_stdin`: text typed into an approved running shell passes no hook'),
];

// Measured with an object under Stop; the other events that Codex knows are taken to be read alike. Other names may pass as unknown.
const EVENTS = ['PreToolUse', 'PostToolUse', 'PermissionRequest', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop'];

/** Values of the wrong kind that were not each tried in every place. */
function wrongKinds(document: JsonObject): Finding[] {
  const found: Finding[] = [];
  const check = (right: boolean, message: string, path: Path): void => { if (!right) found.push(perhapsDropped(WAYS.dropped, `${message}; Codex drops the whole file`, { path })); };
  const optional = (value: JsonValue | undefined, kind: 'string' | 'boolean'): boolean => value === undefined || typeof value === kind;
  check(optional(document['description'], 'string'), 'description is not a string', ['description']);
  const hooks = document['hooks'];
  for (const [event, groups] of isObject(hooks) ? Object.entries(hooks) : []) {
    if (isObject(groups) && EVENTS.includes(event)) found.push(dropped(WAYS.dropped, 'an event has no list; Codex drops the whole file', { path: ['hooks', event] }));
    else check(Array.isArray(groups), 'an event has no list', ['hooks', event]);
  }
  for (const { path, items } of wrappedArrays(document)) {
    items.forEach((group, index) => {
      if (!isObject(group)) return;
      check(group['matcher'] === null || optional(group['matcher'], 'string'), 'a matcher is not a string', [...path, index, 'matcher']);
      for (const [h, handler] of Array.isArray(group['hooks']) ? group['hooks'].entries() : []) {
        if (!isObject(handler)) continue;
        const at = [...path, index, 'hooks', h];
        check(handler['type'] !== 'command' || typeof handler['command'] === 'string', 'a handler has no command that is a string', at);
        check(Number(handler['timeout'] ?? 0) >= 0, 'a timeout is negative', at);
        check(optional(handler['async'], 'boolean'), 'async is not a boolean', at);
      }
    });
  }
  return found;
}

export function lintHooks(document: JsonObject): Finding[] {
  const found = wrongKinds(document);
  const drop = (message: string, path: Path): void => { found.push(dropped(WAYS.dropped, `${message}; Codex drops the whole file`, { path })); };
  for (const key of Object.keys(document)) {
    if (key !== 'hooks' && key !== 'description') drop('an unknown top-level key', [key]);
  }
  if (document['hooks'] !== undefined && !isObject(document['hooks'])) drop('hooks is not an object', ['hooks']);
  for (const array of wrappedArrays(document)) {
    array.items.forEach((group, index) => {
      const handlers = isObject(group) ? group['hooks'] : undefined;
      if (!Array.isArray(handlers)) return drop('a group has no hooks list', [...array.path, index]);
      handlers.forEach((handler, h) => {
        const at = [...array.path, index, 'hooks', h];
        if (!isObject(handler) || !['command', 'mcp_tool', 'prompt', 'agent'].includes(String(handler['type']))) drop('a handler has an unknown type', at);
        else if (handler['timeout'] !== undefined && !Number.isInteger(handler['timeout'])) drop('a timeout is not a whole number', at);
      });
    });
  }
  return found;
}

/** The person trusts a folder by its path; a repository by its root. */
function isTrusted(documents: ReadonlyMap<string, JsonObject>, context: RootContext): boolean {
  const projects = documents.get('mcp')?.['projects'];
  if (!isObject(projects)) return false;
  return [context.project, ...ancestors(context, context.project)].some((dir) => valueAt(projects, [dir, 'trust_level']) === 'trusted');
}

type Documents = ReadonlyMap<string, JsonObject>;

/** The key of the feature that is named in a document, with its value. */
function featureIn(documents: Documents, name: string): { readonly key: string; readonly on: boolean } | undefined {
  for (const key of ['hooks', 'codex_hooks']) {
    const value = valueAt(documents.get(name), ['features', key]);
    if (typeof value === 'boolean') return { key, on: value };
  }
  return undefined;
}

function features(documents: Documents, context: RootContext): Finding[] {
  // A requirement is no layer: it pins the feature, whatever the layers say.
  const pinned = featureIn(documents, 'requirements');
  const said = (label: string, key: string): string => `features.${key} is false in ${label}`;
  const at = (source: string, key: string): { source: string; path: Path } => ({ source, path: ['features', key] });
  if (pinned !== undefined) return pinned.on ? [] : [off(WAYS.feature, said('requirements.toml', pinned.key), at('requirements', pinned.key))];
  const found: Finding[] = [];
  const trusted = isTrusted(documents, context);
  // The strongest layer first; a project\'s counts only once the person trusts it.
  for (const [name, label] of [['managed', 'the managed config.toml'], ['project', 'the project config.toml'], ['mcp', 'the user config.toml'], ['system', 'the system config.toml']] as const) {
    const feature = featureIn(documents, name);
    if (feature === undefined) continue;
    const certain = name !== 'project' || trusted;
    if (!feature.on) found.push((certain ? off : doubtful)(WAYS.feature, said(label, feature.key), at(name, feature.key), `remove features.${feature.key} = false from ${label}`));
    if (certain) break;
  }
  for (const name of documents.keys()) {
    const way = name.startsWith('profile/') ? WAYS.profile : name.startsWith('above/') ? WAYS.above : undefined;
    const feature = way === undefined ? undefined : featureIn(documents, name);
    if (way === undefined || feature === undefined || feature.on) continue;
    found.push(doubtful(way, said(way === WAYS.profile ? `the profile ${name.slice('profile/'.length)}` : 'the config.toml of a directory above the project', feature.key), at(name, feature.key)));
  }
  return found;
}

export function switches(documents: Documents, _env: RootContext['env'], context: RootContext): Finding[] {
  const found = features(documents, context);
  if (documents.get('requirements')?.['allow_managed_hooks_only'] === true) {
    found.push({ ...off(WAYS.managedOnly, 'requirements.toml allows managed hooks only', { source: 'requirements', path: ['allow_managed_hooks_only'] }), sparesManaged: true });
  }
  if (documents.has('scoped') && !isTrusted(documents, context)) {
    found.push(off(WAYS.untrusted, 'the project is not trusted in Codex, so its hooks are left out', { source: 'mcp', path: ['projects', context.project, 'trust_level'] }));
  }
  const inConfig = valueAt(documents.get('mcp'), ['hooks', 'PreToolUse']);
  if (isObject(inConfig) || Array.isArray(inConfig)) {
    found.push(note(WAYS.twoSources, 'config.toml has hooks too; Codex runs both and warns', { source: 'mcp', path: ['hooks', 'PreToolUse'] }));
  }
  return found;
}
