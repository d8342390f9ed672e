// Contract: Auggie's row. Read in the shipped bundle of 0.36.0 (documented); the servers' file was seen with its own offline
// commands. No hook was run: a login is needed. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { documentedFor, measuredOn, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { AUGGIE_SILENT, AUGGIE_UNSEEN, lintSettings } from './silent.ts';
import { auggieManaged } from './managed.ts';

// Comments and trailing commas are read and kept. With a BOM the client sees neither hooks nor servers.
const SETTINGS: Tolerance = { comments: true, trailingCommas: true, bom: false, utf16le: false, emptyIsObject: false };
// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_MS = 30_000;

// No matcher: any expression but `.*` and `mcp:` ones leaves the tools of MCP servers out. Only tool events take a matcher.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_MS },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_MS },
  { canonical: 'prompt', native: 'PromptSubmit', timeout: TIMEOUT_MS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_MS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_MS },
  { canonical: 'notification', native: 'Notification', timeout: TIMEOUT_MS },
];

const measured = measuredOn('0.36.0');
const documented = documentedFor('0.36.0, read in its bundle');

export const auggie: ClientDefinition = {
  id: 'auggie', name: 'Auggie', aliases: ['augment'], vendor: 'Augment Code',
  seenOn: documented('0.36.0: hooks read in the shipped bundle, servers seen with offline commands on Linux'),
  binaries: ['auggie'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['settings'] ?? '', paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.augment');
    return {
      diagnostics: [],
      paths: { dir, settings: joinPath(platform, dir, 'settings.json'), projectSettings: joinPath(platform, project, '.augment', 'settings.json') },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks+mcp', scope, path: (scope === 'user' ? paths['settings'] : paths['projectSettings']) ?? '', format: 'json', tolerance: SETTINGS, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 'ms', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    // Started without a shell: a line of bare words is split at its blanks, so it is the same as `command` with `args`.
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: '<tool>_<server>, with is_mcp_tool',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? { type: 'stdio', ...stdioEntry(server) } : { type: 'http', ...httpEntry(server, 'url') } }),
  },
  lint: (_role, document) => lintSettings(document),
  evidenceFiles: () => [],
  switches: () => [],
  silent: AUGGIE_SILENT, unseen: AUGGIE_UNSEEN,
  managed: auggieManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return {
      command,
      payload: {
        hook_event_name: 'PreToolUse', conversation_id: 'praetorctl-sample', workspace_roots: [workspace], tool_name: 'launch-process',
        tool_input: { command, wait: true, max_wait_seconds: 60, cwd: workspace }, tool_error: null, is_mcp_tool: false,
      },
    };
  },
  verdicts: {
    deny: documented('one JSON document on exit 0 blocks the call; exit 2 blocks too'),
    ask: documented('accepted and dropped, which runs the tool: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('runs the tool; killed by a signal counts as exit 0'),
    timeout: documented('runs the tool'),
    missingBinary: documented('runs the tool'),
    denyEffect: 'call',
  },
  gaps: [
    documented('tools of MCP servers are called <tool>_<server>, cut at 64 characters; where the name has more underscores the split is a guess and marked so'),
    documented('one entry of another owner that is not well formed silences all hooks of its event, ours too'),
    documented('a stop is not registered: nothing in its document says that it was blocked before'),
    measured('a settings.json that is a symbolic link counts as empty for the servers, and the client\'s own mcp add then overwrites its target'),
    unknown('on Windows the program is started without a shell: whether praetorctl.cmd is found was not looked at'),
    unknown('whether tools of a subagent reach the hook was not looked at'),
  ],
};
