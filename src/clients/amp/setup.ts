// Contract: Amp's row. Its permission rules were measured on 0.0.1790142911, Linux, with its own `permissions test`; no session of
// it was run, because that needs a login. PURE.
// Amp has no hook commands: a rule of ours among the person's delegates the decision to a program of ours. It stands behind
// theirs, because the first rule that matches ends the search: before them, our "no opinion" would overrule what they forbid.
import type { ClientDefinition, EventArray, Fact, Finding, HookEvent, SilentWay } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { configHome, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandFor } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { note, off } from '../silent-kit.ts';
import { SHIM_BODY } from './shim.ts';

// Comments and trailing commas are read and kept; with a BOM the file is not read.
const SETTINGS: Tolerance = { comments: true, trailingCommas: true, bom: false, utf16le: false, emptyIsObject: false };
const SHIM: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };

const RULES = 'amp.permissions';
const PROGRAM = 'program';
/** The tilde is expanded by Amp, and one path without arguments is all that it takes. */
const SHIM_PATH = '~/.config/amp/praetorctl-amp';
const GUARDED = ['Bash', 'shell_command', 'async_shell_command', 'create_file', 'edit_file', 'delete_file', 'apply_patch', 'mcp__*'];
// Amp has no limit of its own; the hook's deadline counts.
const NO_TIMEOUT = 0;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: PROGRAM, timeout: NO_TIMEOUT, flat: true, note: 'the program to which the rule delegates' },
  { canonical: 'pre-tool', native: RULES, timeout: NO_TIMEOUT, flat: true, note: 'the rule' },
];

function arrays(document: JsonObject): EventArray[] {
  return [PROGRAM, RULES].flatMap((native) => {
    const items = document[native];
    return Array.isArray(items) ? [{ path: [native], native, items }] : [];
  });
}

const isOurs = (rule: JsonObject): boolean => rule['action'] === 'delegate' && rule['to'] === SHIM_PATH;

function isRule(value: JsonValue): value is JsonObject {
  return isObject(value) && typeof value['tool'] === 'string' && ['allow', 'ask', 'reject', 'delegate'].includes(String(value['action']))
    && (value['action'] !== 'delegate' || typeof value['to'] === 'string');
}

/** Whether a rule can take a call that ours should get. Its own globs are not worked out: one that may match is named. */
function takesGuarded(rule: JsonObject): boolean {
  const tool = String(rule['tool']);
  return GUARDED.includes(tool) || /[*?{[]/.test(tool) || tool.startsWith('mcp__');
}

const SEEN = { basis: 'measured', versions: '0.0.1790142911, permissions test' } as const;

const WAYS = {
  invalid: { id: 'amp.rules-invalid', looks: 'an entry of anybody in `amp.permissions` that is no rule: Amp then takes none of them', fix: 'correct or remove that rule', ...SEEN },
  before: { id: 'amp.rule-before-ours', looks: 'a rule that allows or delegates before ours: `hooks-off` where it takes every tool, else a note', fix: 'move it behind the rule that delegates to praetorctl-amp, or remove it', ...SEEN },
} as const satisfies Record<string, SilentWay>;

const UNSEEN: readonly Fact[] = [
  unknown('a `--settings-file` or a flag that allows everything, given to one session'),
  unknown('rules of a project or of the organisation that stand before the person\'s'),
  unknown('variables that only the client\'s own start gives it, such as another XDG_CONFIG_HOME'),
];

function lint(document: JsonObject): Finding[] {
  const rules = document[RULES];
  if (!Array.isArray(rules)) return [];
  const wrong = rules.findIndex((rule) => !isRule(rule));
  if (wrong !== -1) return [off(WAYS.invalid, 'this is no rule of Amp, and with one such entry it takes none of them', { path: [RULES, wrong] })];
  const own = rules.findIndex((rule) => isObject(rule) && isOurs(rule));
  const before = rules.slice(0, own === -1 ? rules.length : own);
  const at = before.findIndex((rule) => isObject(rule) && (rule['action'] === 'allow' || rule['action'] === 'delegate') && takesGuarded(rule));
  const rule = before[at];
  if (!isObject(rule)) return [];
  const all = rule['tool'] === '*' && rule['matches'] === undefined && rule['context'] === undefined;
  return [(all ? off : note)(WAYS.before, 'a rule of the person answers before ours: what it lets through, the guard is not asked about', { path: [RULES, at] })];
}

const measured = (text: string): Fact => ({ text, ...SEEN });

export const amp: ClientDefinition = {
  id: 'amp', name: 'Amp', aliases: [], vendor: 'Amp',
  seenOn: documented('0.0.1790142911 on Linux: its rules with offline commands, no session'),
  binaries: ['amp'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['settings'] ?? '', paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = joinPath(platform, configHome(context), 'amp');
    return {
      diagnostics: [],
      paths: {
        dir, settings: joinPath(platform, dir, 'settings.json'), projectSettings: joinPath(platform, project, '.amp', 'settings.json'),
        // Where the rule says, whatever the variable for configuration says. Windows cannot start a shell script by its path.
        ...(platform === 'win32' ? {} : { shim: joinPath(platform, home, '.config', 'amp', 'praetorctl-amp') }),
      },
    };
  },
  // A project's rules need an approval of the person in the client, so in scope project only servers are registered.
  files: ({ paths }, scope) => {
    const shim = scope === 'user' ? paths['shim'] : undefined;
    const settings = { scope, path: (scope === 'user' ? paths['settings'] : paths['projectSettings']) ?? '', format: 'json' as const, tolerance: SETTINGS, secret: scope === 'user' };
    if (shim === undefined) return [{ ...settings, role: 'mcp' }];
    return [
      { role: 'hooks', scope, path: shim, format: 'artefact', natives: [PROGRAM], tolerance: SHIM, secret: false, executable: true },
      { ...settings, role: 'hooks+mcp', natives: [RULES] },
    ];
  },
  hooks: {
    shape: 'artefact', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => [native],
    arrays,
    handler: {
      make: (command, event) => (event.native === PROGRAM ? { type: 'command', command, body: SHIM_BODY } : { tool: `{${GUARDED.join(',')}}`, action: 'delegate', to: SHIM_PATH }),
      commandOf: (handler) => (isOurs(handler) ? commandFor('amp', 'pre-tool') : handler['command']),
    },
  },
  mcp: {
    key: 'amp.mcpServers', ownedKeys: ['command', 'args', 'env', 'url', 'headers'], toolNaming: 'mcp__<server>__<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? stdioEntry(server) : httpEntry(server, 'url') }),
  },
  lint: (_role, document) => lint(document),
  evidenceFiles: () => [],
  switches: () => [], silent: Object.values(WAYS), unseen: UNSEEN,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { tool: 'shell_command', directory: workspace, args: { command, workdir: workspace } } };
  },
  verdicts: {
    deny: measured('exit 2 rejects the call with the text on stderr'),
    ask: measured('exit 1 asks the person'),
    neutral: measured('an edit or a tool of a server is allowed, as by Amp\'s own rules; a shell command is asked about, because exit 0 would grant it'),
    crash: measured('rejects the call: the program takes only an answer that the hook gives'),
    timeout: measured('there is none: Amp waits, the hook\'s own deadline counts'),
    missingBinary: measured('rejects every guarded call'),
    denyEffect: 'call',
  },
  gaps: [
    unknown('whether a session applies these rules was not seen: that needs a login'),
    measured('rules of the person stand before ours: what one of them allows, the guard is not asked about'),
    measured('one entry that is no rule makes all rules invalid'),
    measured('a rule is told neither the session nor the thread, so receipts name none'),
    unknown('on Windows no rule is registered: the program is a shell script, which cannot be started by its path there'),
    documented('a plugin could see the session too, but one that fails to load lets every call pass; none is written'),
  ],
};
