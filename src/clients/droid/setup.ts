// Contract: Factory Droid's row. Measured on 0.215.0, Linux; what is only documented says so. PURE.
// hooks.json is the map of events itself. The `hooks` wrapper that the documents show loads nothing.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, measuredOn, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, topLevelArrays } from '../registration.ts';
import { NO_SERVERS, textList } from '../probe-kit.ts';
import { sampleCommand } from '../sample.ts';
import { droidProve } from './prove.ts';
import { DROID_SILENT, DROID_UNSEEN, lintHooks, shadows, switches } from './silent.ts';

// Comments are read. With a trailing comma or a BOM the client goes on without any hook and says nothing.
const HOOKS: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// A servers' file with a trailing comma or a BOM counts as empty, and the client's next `mcp add` replaces it.
const MCP: Tolerance = HOOKS;

// An expression on the tool's name; `mcp__`, as documented, never matches.
const GUARDED_TOOLS = '^(Execute|Create|Edit|MultiEdit|ApplyPatch)$|___';
// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, note: 'does not fire in droid exec' },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS },
  { canonical: 'subagent-stop', native: 'SubagentStop', timeout: TIMEOUT_SECONDS },
  { canonical: 'notification', native: 'Notification', timeout: TIMEOUT_SECONDS },
];

const measured = measuredOn('0.215.0');

export const droid: ClientDefinition = {
  id: 'droid', name: 'Droid', aliases: ['factory'], vendor: 'Factory',
  seenOn: measured('0.215.0 on Linux'),
  binaries: ['droid'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.local', 'bin', platform === 'win32' ? 'droid.exe' : 'droid')],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.factory');
    const projectDir = joinPath(platform, project, '.factory');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks.json'), mcp: joinPath(platform, dir, 'mcp.json'), settings: joinPath(platform, dir, 'settings.json'),
        projectHooks: joinPath(platform, projectDir, 'hooks.json'), projectMcp: joinPath(platform, projectDir, 'mcp.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: HOOKS, secret: false },
      { role: 'mcp', scope, path: (user ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: MCP, secret: user },
    ];
  },
  hooks: {
    shape: 'top-level', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => [native],
    arrays: topLevelArrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: '<server>___<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? { type: 'stdio', ...stdioEntry(server) } : { type: 'http', ...httpEntry(server, 'url') } }),
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: ({ paths }) => [
    { name: 'settings', path: paths['settings'] ?? '', format: 'json', tolerance: { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: true } },
  ],
  switches, silent: DROID_SILENT, unseen: DROID_UNSEEN,
  shadows,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', cwd: workspace, permission_mode: 'off', hook_event_name: 'PreToolUse', tool_name: 'Execute', tool_input: { command, riskLevel: 'low' } } };
  },
  prove: droidProve,
  verdicts: {
    deny: measured('one JSON document on exit 0 blocks the call'),
    ask: measured('ignored where permissions are skipped: degraded to deny'),
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('runs the tool, unless it is exit 2'),
    timeout: measured('runs the tool'),
    missingBinary: measured('runs the tool'),
    denyEffect: 'call',
  },
  probe: {
    keptEnv: [],
    steps: [{ asks: 'servers', argv: () => ['mcp', 'list'], env: { FACTORY_AIRGAP_ENABLED: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' }, read: textList(/^ {2}(?<name>\S+) {2,}(?:stdio|http|sse) {2,}(?<state>.*?)(?: {2,}\[\w+\])?$/, NO_SERVERS) }],
    source: measured('mcp list; it lists no hooks'),
    cost: measured('1 to 4 s; no model, no tokens, no login'),
    effects: measured('starts the servers; writes its own state files'),
  },
  gaps: [
    measured('an event that hooks.json names is no longer taken from settings.json'),
    measured('hooksDisabled in the user\'s settings.json did not stop hooks in droid exec, although it is documented'),
    documented('an organisation can allow managed hooks only; hooks are read at the start of a session'),
    unknown('whether tools of a subagent reach the hook was not looked at'),
  ],
};
