// Contract: Qwen Code's row. Measured on 0.24.4, Linux; what is only documented says so. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { dirOf, isAbsolutePath, joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { measuredOn, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { NO_SERVERS, textList } from '../probe-kit.ts';
import { sampleCommand } from '../sample.ts';
import { qwenProve } from './prove.ts';
import { lint, QWEN_SILENT, QWEN_UNSEEN, switches } from './silent.ts';
import { qwenManaged, systemSettings } from './managed.ts';

// Comments are read; a trailing comma, a BOM or an empty file is not. A broken user file ends every start with exit 1, a broken
// workspace file is replaced by the client in silence.
const SETTINGS: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

// Anchored, because the matcher is an unanchored expression; the client also matches Claude Code's names (`Bash`).
const GUARDED_TOOLS = '^(run_shell_command|monitor|write_file|edit|notebook_edit)$|^mcp__';
// From 1000 on the client reads a number as milliseconds. A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'permission', native: 'PermissionRequest', timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS },
  { canonical: 'subagent-start', native: 'SubagentStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'subagent-stop', native: 'SubagentStop', timeout: TIMEOUT_SECONDS },
  { canonical: 'notification', native: 'Notification', timeout: TIMEOUT_SECONDS },
];

const measured = measuredOn('0.24.4');

export const qwen: ClientDefinition = {
  id: 'qwen', name: 'Qwen Code', aliases: ['qwen-code'], vendor: 'Alibaba',
  seenOn: measured('0.24.4 on Linux'),
  binaries: ['qwen'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['settings'] ?? '', paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, env, home, project } = context;
    const dir = overrideDir(context, 'qwen', 'QWEN_HOME') ?? joinPath(platform, home, '.qwen');
    const system = systemSettings(platform);
    const named = env['QWEN_CODE_SYSTEM_SETTINGS_PATH'];
    const defaults = env['QWEN_CODE_SYSTEM_DEFAULTS_PATH'];
    return {
      diagnostics: [],
      paths: {
        dir, settings: joinPath(platform, dir, 'settings.json'),
        projectSettings: joinPath(platform, project, '.qwen', 'settings.json'),
        system: named !== undefined && isAbsolutePath(platform, named) ? named : system,
        defaults: defaults !== undefined && isAbsolutePath(platform, defaults) ? defaults : joinPath(platform, dirOf(platform, system), 'system-defaults.json'),
        trust: joinPath(platform, dir, 'trustedFolders.json'),
      },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks+mcp', scope, path: (scope === 'user' ? paths['settings'] : paths['projectSettings']) ?? '', format: 'json', tolerance: SETTINGS, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'httpUrl', 'headers'], toolNaming: 'mcp__<server>__<tool>',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? stdioEntry(server) : httpEntry(server, 'httpUrl') }),
  },
  lint: (_role, document) => lint(document),
  evidenceFiles: ({ paths }) => [
    { name: 'project', path: paths['projectSettings'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'system', path: paths['system'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'defaults', path: paths['defaults'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'trust', path: paths['trust'] ?? '', format: 'json', tolerance: SETTINGS },
  ],
  switches, silent: QWEN_SILENT, unseen: QWEN_UNSEEN,
  managed: qwenManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', cwd: workspace, hook_event_name: 'PreToolUse', permission_mode: 'default', tool_name: 'run_shell_command', tool_input: { command, is_background: false }, tool_use_id: 'sample' } };
  },
  prove: qwenProve,
  launch: {
    bypass: [{ word: '--safe-mode', does: measured('no hook of any file runs') }, { word: '--bare', does: measured('no hook of any file runs') }],
    open: 'what docs/clients.md lists as gaps',
  },
  verdicts: {
    deny: measured('one JSON document on exit 0 blocks the call'),
    ask: measured('without a terminal nobody can answer and the call is refused; the dialog was not run'),
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('runs the tool, unless it is exit 2 with text on stderr'),
    timeout: measured('runs the tool'),
    missingBinary: measured('runs the tool'),
    denyEffect: 'call',
  },
  probe: {
    keptEnv: ['QWEN_HOME'],
    steps: [{ asks: 'servers', argv: () => ['mcp', 'list'], read: textList(/^\S (?<name>[^:]+): .* - (?<state>[A-Za-z ]+)$/, NO_SERVERS) }],
    source: measured('mcp list; it has no list of hooks outside its dialog'),
    cost: measured('1 to 6 s; no model, no tokens'),
    effects: measured('starts the servers; writes its own state files'),
  },
  gaps: [
    measured('a workspace with disableAllHooks turns user hooks off; the folder is trusted unless security.folderTrust is on'),
    measured('--safe-mode and --bare leave hooks out'),
    measured('a workspace settings file that is not valid JSON is replaced by the client in silence, and the run goes on without its hooks'),
    unknown('what a tool calls from inside the code mode (exec) was not looked at'),
  ],
};
