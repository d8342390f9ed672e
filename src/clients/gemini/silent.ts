// Contract: everything by which the Gemini CLI leaves our hooks out, as far as its files and the environment show it. Measured on
// 0.61.0, Linux, where it does not say otherwise. PURE.
import type { Fact, Finding, RootContext, SilentWay } from '../../model/client.ts';
import { CANONICAL_EVENTS } from '../../model/events.ts';
import { isObject, valueAt, type JsonObject, type JsonValue } from '../../model/json.ts';
import { commandFor } from '../registration.ts';
import { firstBoolean, folderRule, off, type Layer } from '../silent-kit.ts';

const SEEN = { basis: 'measured', versions: '0.61.0' } as const;

const WAYS = {
  off: { id: 'gemini.hooks-off', looks: '`hooksConfig.enabled: false` in the user, workspace, system or system-defaults settings', fix: 'set hooksConfig.enabled to true', ...SEEN },
  disabled: { id: 'gemini.hook-disabled', looks: 'our command in a `hooksConfig.disabled` list of any settings; no layer can clear it', fix: 'remove it from hooksConfig.disabled', ...SEEN },
  type: { id: 'gemini.hooks-type', looks: '`hooks` is not an object', fix: 'make hooks an object', ...SEEN },
  untrusted: { id: 'gemini.folder-untrusted', looks: '`DO_NOT_TRUST` for this folder, or one above it, in trustedFolders.json', fix: 'trust the folder in the dialog of Gemini CLI itself', ...SEEN },
} as const satisfies Record<string, SilentWay>;

export const GEMINI_SILENT: readonly SilentWay[] = Object.values(WAYS);

const seen = (text: string): Fact => ({ text, ...SEEN });
export const GEMINI_UNSEEN: readonly Fact[] = [
  seen('`--skip-trust` leaves the workspace\'s settings out, and with them a project registration'),
  seen('a session that is started in a subdirectory does not read the workspace\'s settings'),
  seen('system settings below a directory that others may write are refused, so a `hooksConfig.enabled: true` there pins nothing'),
  seen('a folder that nobody has trusted yet: `-p` stops with exit 55 before any tool call'),
  seen('variables that only the client\'s own start gives it, such as another GEMINI_CLI_HOME'),
];

// The strongest layer first.
const LAYERS: readonly Layer[] = [['system', 'the system settings'], ['project', 'the workspace settings'], ['own', 'the user settings'], ['defaults', 'the system-defaults settings']];
const DISABLED = ['hooksConfig', 'disabled'];
const OURS: readonly string[] = CANONICAL_EVENTS.map((event) => commandFor('gemini', event));

/** Trust is asked for unless the person, the system or the environment says otherwise. */
function untrusted(documents: ReadonlyMap<string, JsonObject>, context: RootContext): Finding[] {
  if (context.env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return [];
  if (firstBoolean(documents, [['system', ''], ['own', ''], ['defaults', '']], ['security', 'folderTrust', 'enabled'])?.value === false) return [];
  const rule = folderRule(documents.get('trust'), context);
  if (rule?.value !== 'DO_NOT_TRUST') return [];
  return [off(WAYS.untrusted, 'this folder is marked as not trusted, and Gemini CLI drops all hooks of settings there', { source: 'trust', path: [rule.dir] })];
}

export function switches(documents: ReadonlyMap<string, JsonObject>, _env: RootContext['env'], context: RootContext): Finding[] {
  const found: Finding[] = [];
  const enabled = firstBoolean(documents, LAYERS, ['hooksConfig', 'enabled'], new Map<JsonValue, boolean>([['false', false], [0, false]]));
  if (enabled?.value === false) {
    const [source, label] = enabled.layer;
    found.push(off(WAYS.off, `hooksConfig.enabled is false in ${label}`, { source, path: ['hooksConfig', 'enabled'] }, `set hooksConfig.enabled to true in ${label}`));
  }
  // The lists are a union; an unnamed hook is listed by its command.
  for (const [source, label] of LAYERS) {
    const list = valueAt(documents.get(source), DISABLED);
    if (Array.isArray(list) && list.some((entry) => typeof entry === 'string' && OURS.includes(entry))) {
      found.push(off(WAYS.disabled, `our hook is in the hooksConfig.disabled list of ${label}`, { source, path: DISABLED }));
    }
  }
  return [...found, ...untrusted(documents, context)];
}

export function lint(document: JsonObject): Finding[] {
  const hooks = document['hooks'];
  return hooks === undefined || isObject(hooks) ? [] : [off(WAYS.type, 'hooks is not an object', { path: ['hooks'] })];
}
