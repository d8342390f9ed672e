// Contract: Antigravity's row (CLI `agy`, IDE, app). Documented and third-party measured only (1.0.x to 1.5.x): nothing here
// was run by us, so every fact is marked documented. PURE.
import type { ClientDefinition, EventArray, Finding, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { hasReference, httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler } from '../registration.ts';
import { sampleCommand } from '../sample.ts';

// Strict JSON. For mcp_config.json a syntax error ends the client with exit 1; hooks.json is dropped in silence.
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

// manage_task can type into a running command, so it needs the command policy too; MCP calls arrive as call_mcp_tool.
const GUARDED_TOOLS = '^(run_command|manage_task|write_to_file|replace_file_content|multi_replace_file_content|call_mcp_tool)$|^mcp_';
const TIMEOUT_SECONDS = 30;
const GROUP = 'praetorctl';

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  {
    canonical: 'session-start', native: 'PreInvocation', timeout: TIMEOUT_SECONDS, flat: true,
    note: 'there is no reliable session event; PreInvocation fires before every model call and cannot block',
  },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS, flat: true },
];

const FLAT_EVENTS = ['PreInvocation', 'PostInvocation', 'Stop', 'SessionStart'];

/** Named groups at top level: `{name: {enabled?, Event: [...]}}`. */
function arrays(document: JsonObject): EventArray[] {
  return Object.keys(document).flatMap((name) => {
    const group = document[name];
    if (!isObject(group)) return [];
    return Object.keys(group).flatMap((native) => {
      const items = group[native];
      return Array.isArray(items) ? [{ path: [name, native], native, items }] : [];
    });
  });
}

function lint(document: JsonObject): Finding[] {
  const found: Finding[] = [];
  const drop = (message: string, path: (string | number)[]): void => {
    found.push({ id: 'agy.hooks-file-dropped', effect: 'file', certain: true, path, message: `${message}; Antigravity drops the whole file`, fix: 'correct that entry, then run: praetorctl clients plan --client agy' });
  };
  for (const name of Object.keys(document)) {
    const group = document[name];
    if (!isObject(group)) { drop('a named hook is not an object', [name]); continue; }
    for (const key of Object.keys(group)) {
      if (key === 'enabled') { if (typeof group[key] !== 'boolean') drop('enabled is not a boolean', [name, key]); continue; }
      if (/^[A-Z]/.test(key) && !Array.isArray(group[key])) drop('an event is not a list', [name, key]);
    }
  }
  for (const array of arrays(document)) {
    array.items.forEach((item, index) => {
      const grouped = isObject(item) && Array.isArray(item['hooks']);
      const at = [...array.path, index];
      if (grouped && FLAT_EVENTS.includes(array.native)) drop('an event that takes a flat list has a group', at);
      const handlers = isObject(item) && Array.isArray(item['hooks']) ? item['hooks'] : [item];
      for (const handler of handlers) {
        if (!isObject(handler)) drop('a handler is not an object', at);
        else if (handler['timeout'] !== undefined && !Number.isInteger(handler['timeout'])) drop('a timeout is not a whole number', at);
      }
    });
  }
  return found;
}

function switches(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  const group = (documents.get('scoped') ?? documents.get('own'))?.[GROUP];
  if (!isObject(group) || group['enabled'] !== false) return [];
  return [{ id: 'agy.group-disabled', effect: 'hooks', certain: true, path: [GROUP, 'enabled'], message: `the hook group ${GROUP} has enabled = false`, fix: `remove ${GROUP}.enabled or set it to true` }];
}

function unverified(client: string, variable: string): Diagnostic {
  return {
    code: 'unverified-root', severity: 'warning', client, message: `${variable} is honoured here, but no version of Antigravity was seen to honour it`,
    fix: `unset ${variable} if Antigravity does not find its hooks (agy -p /hooks --output-format json)`,
  };
}

const documented = (text: string): { text: string; basis: 'documented'; versions: string } => ({ text, basis: 'documented', versions: '1.0.x to 1.5.x, third-party reports' });

export const agy: ClientDefinition = {
  id: 'agy', name: 'Antigravity', aliases: ['antigravity'], vendor: 'Google',
  seenOn: documented('documents and third-party measurements only'),
  binaries: ['agy'],
  installPaths: ({ platform, home, env }) => (platform === 'win32'
    ? [joinPath(platform, env['LOCALAPPDATA'] ?? joinPath(platform, home, 'AppData', 'Local'), 'agy', 'bin', 'agy.exe')]
    : [joinPath(platform, home, '.local', 'bin', 'agy')]),
  configMarks: ({ paths }) => [paths['config'] ?? '', paths['cli'] ?? '', paths['ide'] ?? '', paths['app'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const tree = overrideDir(context, 'agy', 'GEMINI_CONFIG_DIR');
    const own = overrideDir(context, 'agy', 'ANTIGRAVITY_CONFIG_DIR');
    const root = tree ?? joinPath(platform, home, '.gemini');
    const config = own ?? joinPath(platform, root, 'config');
    return {
      diagnostics: [...(tree === undefined ? [] : [unverified('agy', 'GEMINI_CONFIG_DIR')]), ...(own === undefined ? [] : [unverified('agy', 'ANTIGRAVITY_CONFIG_DIR')])],
      paths: {
        config, hooks: joinPath(platform, config, 'hooks.json'), mcp: joinPath(platform, config, 'mcp_config.json'),
        cli: joinPath(platform, root, 'antigravity-cli'), ide: joinPath(platform, root, 'antigravity-ide'), app: joinPath(platform, root, 'antigravity'),
        projectHooks: joinPath(platform, project, '.agents', 'hooks.json'), projectMcp: joinPath(platform, project, '.agents', 'mcp_config.json'),
      },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks', scope, path: (scope === 'user' ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: STRICT, secret: scope === 'user' },
    { role: 'mcp', scope, path: (scope === 'user' ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: STRICT, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'named-groups', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => [GROUP, native],
    arrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'serverUrl', 'headers'], toolNaming: 'call_mcp_tool with ServerName and ToolName',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      if (server.kind === 'http') return { ok: true, entry: httpEntry(server, 'serverUrl') };
      if (Object.values(server.env).some(hasReference)) return { ok: false, why: 'Antigravity is not known to expand variables in env' };
      return { ok: true, entry: stdioEntry(server) };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lint(document)),
  evidenceFiles: () => [],
  switches,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { conversationId: 'praetorctl-sample', workspacePaths: [workspace], stepIdx: 0, toolCall: { name: 'run_command', args: { CommandLine: command, Cwd: workspace, WaitMsBeforeAsync: 0 } } } };
  },
  verdicts: {
    deny: documented('one JSON document on exit 0 blocks the call; the turn goes on'),
    ask: documented('force_ask always prompts; without a terminal the call is refused'),
    neutral: documented('exit 0 and empty stdout on PreToolUse ({} would deny), {} on other events'),
    crash: documented('blocks the call from 1.2.3 on; older reports disagree'),
    timeout: documented('blocks the call from 1.2.3 on'),
    missingBinary: documented('blocks every guarded call'),
    denyEffect: 'call',
  },
  prove: { unsupported: 'Antigravity documents no way to point it at another model endpoint' },
  gaps: [
    documented('tool calls of subagents pass no hook (1.2.16)'),
    documented('ask_question passes no hook'),
    documented('whether the IDE reads ~/.gemini/config/hooks.json or ~/.gemini/antigravity-ide/hooks.json is contradictory; only the former is written'),
  ],
};
