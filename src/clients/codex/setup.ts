// Contract: the Codex CLI's row. Measured on codex-cli 0.171.0, Linux; what is only documented says so. PURE.
import type { ClientDefinition, HookEvent, TrustState } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { isObject, valueAt, type JsonObject, type JsonValue } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { hasReference, stdioEntry, strings, wholeReference, type EntryResult } from '../mcp-kit.ts';
import { commandHandler, isKnownEvent, ownedHooks, wrappedArrays } from '../registration.ts';
import type { McpServer } from '../../model/client.ts';
import { documented, measuredOn } from '../facts.ts';
import { sampleCommand } from '../sample.ts';
import { filesAbove } from '../silent-kit.ts';
import { codexBundle } from './bundle.ts';
import { codexProbe } from './probe.ts';
import { codexProve } from './prove.ts';
import { CODEX_SILENT, CODEX_UNSEEN, lintHooks, switches } from './silent.ts';
import { codexManaged } from './managed.ts';

// hooks.json: a BOM, a comment or an unknown top-level key drops the whole file (measured).
const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
const CONFIG: Tolerance = { comments: true, trailingCommas: true, bom: false, utf16le: false, emptyIsObject: true };

// Anchored: otherwise the pattern is an unanchored regular expression. The shell tool is called `Bash` in hooks.
const GUARDED_TOOLS = '^(Bash|apply_patch)$|^mcp__';
const TIMEOUT_SECONDS = 30;
const TIMEOUT_DEFAULT_SECONDS = 600;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'permission', native: 'PermissionRequest', timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: 3, note: 'the client clamps this timeout to 3 s' },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS },
  { canonical: 'subagent-start', native: 'SubagentStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'subagent-stop', native: 'SubagentStop', timeout: TIMEOUT_SECONDS },
];

const TRUST_FIX = 'start codex in any folder and choose "Trust all and continue", or type /hooks there';
const MATCHERLESS = ['UserPromptSubmit', 'Stop'];
const SHORT_EVENTS = ['SessionEnd', 'Interrupt'];

const snake = (native: string): string => native.replace(/[A-Z]/g, (c, i: number) => (i === 0 ? '' : '_') + c.toLowerCase());

/** JSON with recursively sorted keys and no spaces: the form over which Codex hashes a hook. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((k) => `${JSON.stringify(k)}:${canonical(value[k] ?? null)}`).join(',')}}`;
}

function effectiveTimeout(native: string, handler: JsonObject): number {
  const given = handler['timeout'];
  if (SHORT_EVENTS.includes(native)) return Math.min(typeof given === 'number' ? Math.max(given, 1) : 1, 3);
  return typeof given === 'number' ? Math.max(given, 1) : TIMEOUT_DEFAULT_SECONDS;
}

/** The trust hash of one handler, reproduced from the eight captured vectors (test/clients/codex-trust.test.ts). */
export function trustHash(native: string, group: JsonObject, handler: JsonObject, sha256: (text: string) => string): string {
  const hashed: JsonObject = {
    async: handler['async'] === true, command: handler['command'] ?? '', timeout: effectiveTimeout(native, handler), type: 'command',
  };
  for (const key of ['statusMessage', 'additionalContextLimit']) {
    const value = handler[key];
    if (value !== undefined) hashed[key] = value;
  }
  const document: JsonObject = { event_name: snake(native), hooks: [hashed] };
  if (typeof group['matcher'] === 'string' && !MATCHERLESS.includes(native)) document['matcher'] = group['matcher'];
  return `sha256:${sha256(canonical(document))}`;
}

function trust(documents: ReadonlyMap<string, JsonObject>, hooksFile: string, sha256: (text: string) => string): TrustState[] {
  const hooks = documents.get('own');
  if (hooks === undefined) return [];
  const records = valueAt(documents.get('mcp') ?? {}, ['hooks', 'state']);
  return ownedHooks(codex.hooks, hooks, ['codex']).flatMap((own): TrustState[] => {
    if (!isKnownEvent(own.event) || !isObject(own.item)) return [];
    // The key is positional: group and handler index within the event.
    const key = `${hooksFile}:${snake(own.native)}:${own.index}:${own.handlerIndex ?? 0}`;
    const record = isObject(records) ? records[key] : undefined;
    const state = !isObject(record) || typeof record['trusted_hash'] !== 'string' ? 'untrusted'
      : record['enabled'] === false ? 'disabled'
        : record['trusted_hash'] === trustHash(own.native, own.item, own.handler, sha256) ? 'trusted' : 'modified';
    return [{ canonical: own.event as TrustState['canonical'], state, fix: state === 'trusted' ? '' : TRUST_FIX, source: 'mcp', path: ['hooks', 'state', key, state === 'disabled' ? 'enabled' : 'trusted_hash'] }];
  });
}

/** Codex passes variables through by name; it does not expand `${NAME}` inside values. */
function mcpEntry(server: McpServer): EntryResult {
  const values = server.kind === 'stdio' ? server.env : server.headers;
  const literals: Record<string, string> = {};
  const passed: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = wholeReference(value);
    if (name === undefined && hasReference(value)) return { ok: false, why: `Codex cannot mix text and a variable in ${key}` };
    if (name === undefined) literals[key] = value;
    else if (server.kind === 'stdio' && name !== key) return { ok: false, why: `Codex passes variables by their own name only: ${key} cannot come from ${name}` };
    else passed[key] = name;
  }
  if (server.kind === 'stdio') {
    const entry = stdioEntry({ ...server, env: literals });
    if (Object.keys(passed).length > 0) entry['env_vars'] = Object.keys(passed).sort();
    return { ok: true, entry };
  }
  const entry: JsonObject = { url: server.url };
  if (Object.keys(literals).length > 0) entry['http_headers'] = strings(literals);
  if (Object.keys(passed).length > 0) entry['env_http_headers'] = strings(passed);
  return { ok: true, entry };
}

const measured = measuredOn('0.171.0');

export const codex: ClientDefinition = {
  id: 'codex', name: 'Codex CLI', aliases: ['codex-cli'], vendor: 'OpenAI',
  seenOn: measured('0.171.0 on Linux'),
  binaries: ['codex'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.local', 'bin', 'codex')],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = overrideDir(context, 'codex', 'CODEX_HOME') ?? joinPath(platform, home, '.codex');
    const projectDir = joinPath(platform, project, '.codex');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks.json'), config: joinPath(platform, dir, 'config.toml'),
        projectHooks: joinPath(platform, projectDir, 'hooks.json'), projectConfig: joinPath(platform, projectDir, 'config.toml'),
        system: '/etc/codex/config.toml', managed: '/etc/codex/managed_config.toml', requirements: '/etc/codex/requirements.toml',
      },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks', scope, path: (scope === 'user' ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: HOOKS, secret: scope === 'user' },
    { role: 'mcp', scope, path: (scope === 'user' ? paths['config'] : paths['projectConfig']) ?? '', format: 'toml', tolerance: CONFIG, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: true,
    // Measured on Linux: the shell of the account, not a login shell. Windows as reported by users: PowerShell, cmd where there is none.
    shells: { posix: ['sh'], win32: ['powershell', 'cmd'] },
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcp_servers', ownedKeys: ['command', 'args', 'env', 'env_vars', 'url', 'http_headers', 'env_http_headers'],
    toolNaming: 'mcp__<server>__<tool>, both with every other character turned into _',
    validName: (name) => /^[A-Za-z0-9_\-:@/.]+$/.test(name),
    entry: mcpEntry,
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: ({ paths }, context) => [
    { name: 'project', path: paths['projectConfig'] ?? '', format: 'toml', tolerance: CONFIG },
    // Every directory from the repository's root to the session's is a layer; where the root is, the path alone does not say.
    ...filesAbove(context, 'above', ['.codex', 'config.toml'], { format: 'toml', tolerance: CONFIG }).filter(({ path }) => path !== paths['config']),
    { name: 'profile', path: paths['dir'] ?? '', format: 'toml', tolerance: CONFIG, each: '.config.toml' },
    { name: 'system', path: paths['system'] ?? '', format: 'toml', tolerance: CONFIG },
    { name: 'managed', path: paths['managed'] ?? '', format: 'toml', tolerance: CONFIG },
    { name: 'requirements', path: paths['requirements'] ?? '', format: 'toml', tolerance: CONFIG },
  ],
  // Both are run, and so is every layer.
  otherHooks: {
    lists: () => [],
    places: ({ paths }) => [paths['config'], paths['projectConfig'], paths['managed']].map((path) => ({ name: 'config.toml', path: path ?? '', format: 'toml', tolerance: CONFIG })),
  },
  switches, silent: CODEX_SILENT, unseen: CODEX_UNSEEN,
  trust,
  managed: codexManaged,
  afterApply: [TRUST_FIX],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', turn_id: 'sample', cwd: workspace, hook_event_name: 'PreToolUse', model: 'sample', permission_mode: 'default', tool_name: 'Bash', tool_input: { command }, tool_use_id: 'sample' } };
  },
  verdicts: {
    deny: measured('one JSON document on exit 0 blocks the call (exit 2 would not survive PowerShell)'),
    ask: measured('not supported (it would run the tool): degraded to deny'),
    neutral: measured('exit 0 and empty stdout; an explicit allow is reported as Failed'),
    crash: measured('runs the tool'), timeout: measured('runs the tool'), missingBinary: measured('runs the tool'),
    denyEffect: 'call',
  },
  prove: codexProve,
  launch: {
    bypass: [
      { word: '--disable', value: 'hooks', does: measured('no hook runs') }, { word: '--disable', value: 'codex_hooks', does: documented('no hook runs') },
      { word: '-c', value: 'features.hooks', does: measured('features.hooks=false: no hook runs') }, { word: '--config', value: 'features.hooks', does: documented('the long form of -c') },
      { word: '-c', value: 'features.codex_hooks', does: documented('the older name of features.hooks') }, { word: '--config', value: 'features.codex_hooks', does: documented('the older name of features.hooks') },
      { word: '--ignore-user-config', does: measured('the trust of our hooks lies in the file that is ignored: they do not run') },
    ],
    open: 'a profile (-p) that switches hooks off; what docs/clients.md lists as gaps',
  },
  probe: codexProbe,
  bundle: codexBundle,
  gaps: [
    measured('write_stdin: text typed into an approved running shell passes no hook'),
    measured('a trusted repository can switch user hooks off with [features] hooks = false'),
    measured('an untrusted hook is skipped by codex exec in silence'),
    measured('-p PROFILE, --disable hooks and --ignore-user-config can leave the hook out'),
  ],
};
