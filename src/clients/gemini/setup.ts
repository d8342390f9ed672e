// Contract: the Gemini CLI's row. Measured on 0.61.0, Linux; what is only documented says so. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { dirOf, isAbsolutePath, joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { measuredOn } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { NO_SERVERS, textList } from '../probe-kit.ts';
import { sampleCommand } from '../sample.ts';
import { geminiProve } from './prove.ts';
import { GEMINI_SILENT, GEMINI_UNSEEN, lint, switches } from './silent.ts';
import { geminiManaged, systemSettings } from './managed.ts';

// Comments are read, a trailing comma or a BOM is not; an empty or broken file stops every command with exit 52.
const SETTINGS: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

// Anchored: an unanchored `run_shell_command` would match names that contain it.
const GUARDED_TOOLS = '^(run_shell_command|write_file|replace)$|^mcp_';
const TIMEOUT_MS = 30_000;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'BeforeTool', matcher: GUARDED_TOOLS, timeout: TIMEOUT_MS },
  { canonical: 'post-tool', native: 'AfterTool', matcher: GUARDED_TOOLS, timeout: TIMEOUT_MS },
  { canonical: 'prompt', native: 'BeforeAgent', timeout: TIMEOUT_MS },
  { canonical: 'stop', native: 'AfterAgent', timeout: TIMEOUT_MS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_MS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_MS },
  { canonical: 'notification', native: 'Notification', timeout: TIMEOUT_MS },
];

const measured = measuredOn('0.61.0');

export const gemini: ClientDefinition = {
  id: 'gemini', name: 'Gemini CLI', aliases: ['gemini-cli'], vendor: 'Google',
  seenOn: measured('0.61.0 on Linux'),
  binaries: ['gemini'],
  installPaths: () => [],
  // ~/.gemini alone proves nothing: Antigravity lives there too.
  configMarks: ({ paths }) => [paths['settings'] ?? '', paths['installation'] ?? ''],
  roots: (context) => {
    const { platform, env, home, project } = context;
    const dir = joinPath(platform, overrideDir(context, 'gemini', 'GEMINI_CLI_HOME') ?? home, '.gemini');
    const system = systemSettings(platform);
    const named = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'];
    const defaults = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'];
    return {
      diagnostics: [],
      paths: {
        dir, settings: joinPath(platform, dir, 'settings.json'), installation: joinPath(platform, dir, 'installation_id'),
        projectSettings: joinPath(platform, project, '.gemini', 'settings.json'),
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
    shape: 'wrapped', timeoutUnit: 'ms', events: EVENTS, positional: false,
    // Measured on Linux: bash from PATH. Windows as read in the source: always a PowerShell.
    shells: { posix: ['bash'], win32: ['powershell'] },
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'httpUrl', 'headers'],
    toolNaming: 'mcp_<server>_<tool>; the hook payload names the pair in mcp_context',
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
  switches, silent: GEMINI_SILENT, unseen: GEMINI_UNSEEN,
  managed: geminiManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', cwd: workspace, hook_event_name: 'BeforeTool', timestamp: '2026-01-01T00:00:00.000Z', tool_name: 'run_shell_command', tool_input: { command } } };
  },
  verdicts: {
    deny: measured('one JSON document on exit 0 blocks the call'),
    ask: measured('hangs without a terminal: degraded to deny'),
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('exit 1 runs the tool, any higher code with text on stderr blocks it'),
    timeout: measured('runs the tool'),
    missingBinary: measured('blocks every guarded call'),
    denyEffect: 'call',
  },
  probe: {
    keptEnv: ['GEMINI_CLI_HOME'],
    // The mark in front of a name says the same as the word at the end.
    steps: [{ asks: 'servers', argv: () => ['mcp', 'list'], read: textList(/^\S (?<name>[^:]+): .* - (?<state>[A-Za-z ]+)$/, NO_SERVERS) }],
    source: measured('mcp list; it has no list of hooks outside its dialog'),
    cost: measured('2 to 11 s; no model, no tokens'),
    effects: measured('starts the servers in a folder that it trusts, none in the fresh one that is used for user scope; writes its own state files'),
  },
  prove: geminiProve,
  gaps: [
    measured('a trusted workspace can switch user hooks off through hooksConfig'),
    measured('an untrusted folder drops hooks; -p then stops with exit 55'),
    measured('workspace settings are read only from the exact start directory'),
  ],
};
