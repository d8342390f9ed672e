// Contract: Claude Code's row. Measured on 2.1.197 (A) and 2.1.332 (B), Linux; what is only documented says so. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { documented, measuredOn } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { claudeOtherHooks } from './other-hooks.ts';
import { claudeBundle } from './bundle.ts';
import { claudeProbe } from './probe.ts';
import { claudeProve } from './prove.ts';
import { CLAUDE_SILENT, CLAUDE_UNSEEN, lintSettings, switches } from './silent.ts';
import { claudeManaged, managedDir } from './managed.ts';

// Strict JSON: a comment or a trailing comma voids the whole file in A and B. BOM and UTF-16LE with BOM are read.
const SETTINGS: Tolerance = { comments: false, trailingCommas: false, bom: true, utf16le: true, emptyIsObject: false };
// A damaged ~/.claude.json makes the client exit 1; A then replaces it by defaults.
const STATE: Tolerance = { comments: false, trailingCommas: false, bom: true, utf16le: false, emptyIsObject: false };

// Anchored, because a matcher with metacharacters is an unanchored regular expression; `mcp__lab` alone would match nothing.
const GUARDED_TOOLS = '^(Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit)$|^mcp__';

// A timeout is fail-open in A, so it is far above the hook's own deadline.
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

const measured = measuredOn('2.1.197, 2.1.332');

/** By onFailure in our entry. The version is documented; 2.1.332 was seen to block and 2.1.197 to run the tool. */
const BLOCKED = 'blocks the call from 2.1.295 on, by onFailure "block" as registered; older versions run the tool';

export const claude: ClientDefinition = {
  id: 'claude', name: 'Claude Code', aliases: ['claude-code'], vendor: 'Anthropic',
  seenOn: { text: '2.1.197 and 2.1.332 on Linux', basis: 'measured', versions: '2.1.197, 2.1.332' },
  binaries: ['claude'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.local', 'bin', platform === 'win32' ? 'claude.exe' : 'claude'), joinPath(platform, home, '.claude', 'local', 'claude')],
  configMarks: ({ paths }) => [paths['settings'] ?? '', paths['state'] ?? '', paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const override = overrideDir(context, 'claude', 'CLAUDE_CONFIG_DIR');
    const dir = override ?? joinPath(platform, home, '.claude');
    const managed = managedDir(platform);
    return {
      diagnostics: [],
      paths: {
        dir, settings: joinPath(platform, dir, 'settings.json'),
        // With the override the client keeps its state inside the directory, without it beside the directory.
        state: override === undefined ? joinPath(platform, home, '.claude.json') : joinPath(platform, dir, '.claude.json'),
        projectSettings: joinPath(platform, project, '.claude', 'settings.json'),
        plugins: joinPath(platform, dir, 'plugins', 'installed_plugins.json'),
        localSettings: joinPath(platform, project, '.claude', 'settings.local.json'),
        projectMcp: joinPath(platform, project, '.mcp.json'),
        managed: joinPath(platform, managed, 'managed-settings.json'), managedMore: joinPath(platform, managed, 'managed-settings.d'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const state = paths['state'] ?? '';
    return scope === 'user'
      ? [
          { role: 'hooks', scope, path: paths['settings'] ?? '', format: 'json', tolerance: SETTINGS, secret: true },
          // B waits for this lock directory, A does not: it is taken, and compare-and-swap is what counts.
          { role: 'mcp', scope, path: state, format: 'json', tolerance: STATE, secret: true, clientLock: `${state}.lock` },
        ]
      : [
          { role: 'hooks', scope, path: paths['projectSettings'] ?? '', format: 'json', tolerance: SETTINGS, secret: false },
          { role: 'mcp', scope, path: paths['projectMcp'] ?? '', format: 'json', tolerance: STATE, secret: false },
        ];
  },
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    // Measured on Linux: /bin/sh, whatever SHELL says. Windows as read in the binary: Git Bash, else PowerShell.
    shells: { posix: ['sh'], win32: ['bash', 'powershell'] },
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    // onFailure closes crash, missing binary and timeout from 2.1.295 on; older versions ignore the key (measured).
    handler: commandHandler((event) => ({ timeout: event.timeout, onFailure: 'block' })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: 'mcp__<server>__<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? { type: 'stdio', ...stdioEntry(server) } : { type: 'http', ...httpEntry(server, 'url') } }),
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintSettings(document)),
  evidenceFiles: ({ paths }) => [
    { name: 'project', path: paths['projectSettings'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'local', path: paths['localSettings'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'managed', path: paths['managed'] ?? '', format: 'json', tolerance: SETTINGS },
    { name: 'managed', path: paths['managedMore'] ?? '', format: 'json', tolerance: SETTINGS, each: '.json' },
  ],
  otherHooks: claudeOtherHooks,
  switches, silent: CLAUDE_SILENT, unseen: CLAUDE_UNSEEN,
  managed: claudeManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', cwd: workspace, hook_event_name: 'PreToolUse', permission_mode: 'default', tool_name: 'Bash', tool_input: { command }, tool_use_id: 'sample' } };
  },
  verdicts: {
    deny: measured('JSON document, one stderr line and exit 2: blocks the call even if the document is lost'),
    ask: measured('native dialog; in -p nobody can answer and the call is refused'),
    neutral: measured('exit 0 and empty stdout; an explicit allow would grant permission'),
    crash: measured(`${BLOCKED}, a crash and a signal alike`),
    timeout: measured(BLOCKED),
    missingBinary: measured(`${BLOCKED}; the same where praetorctl may not be executed, and where env.PATH in the settings leads past it`),
    denyEffect: 'call',
  },
  prove: claudeProve,
  probe: claudeProbe,
  bundle: claudeBundle,
  launch: {
    bypass: [
      { word: '--bare', does: measured('no hook of any file runs') }, { word: '--safe-mode', does: measured('no hook of any file runs') },
      { word: '--setting-sources', does: measured('hooks of the sources that are not named do not run') },
      { word: '--mcp-config', does: documented('a server of it is started without the guarding runtime; --strict-mcp-config leaves out those that stand behind it') },
      { word: '--settings', does: measured('a settings file of its own can switch hooks off') },
    ],
    bypassEnv: [{ word: 'CLAUDE_CODE_SIMPLE', does: measured('no hook of any file runs') }, { word: 'CLAUDE_CODE_SAFE_MODE', does: measured('no hook of any file runs') }],
    open: 'what docs/clients.md lists as gaps',
  },
  gaps: [
    measured('project settings are read only from the directory the session was started in'),
    measured('--bare, --safe-mode and --setting-sources can leave user hooks out'),
    measured('exit 0 with truncated or no output runs the tool, also with onFailure "block": so does an empty file in place of praetorctl'),
  ],
};
