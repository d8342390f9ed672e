// Contract: Cursor's row (editor and cursor-agent). Documented, with reports of third parties; nothing was run here. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, respelled, stdioEntry } from '../mcp-kit.ts';
import { wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { CURSOR_SILENT, CURSOR_UNSEEN, lintHooks } from './silent.ts';
import { cursorManaged } from './managed.ts';

// Nothing says that the client reads more than JSON.
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// Seconds as documented. One third party says milliseconds: then every call would be blocked, which failClosed makes visible.
const TIMEOUT_SECONDS = 30;

/**
 * Commands and MCP calls have gates of their own, at which a person can be asked. preToolUse fires for them a second time, so
 * its matcher takes only what writes files. beforeReadFile is left out: its document carries the whole content of the file.
 */
const WRITING_TOOLS = '^(Write|StrReplace|Edit|MultiEdit|Delete|EditNotebook)$';
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'beforeShellExecution', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'pre-tool', native: 'beforeMCPExecution', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'pre-tool', native: 'preToolUse', matcher: WRITING_TOOLS, timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'postToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'prompt', native: 'beforeSubmitPrompt', timeout: TIMEOUT_SECONDS, flat: true, note: 'does not fire in cursor-agent -p' },
  { canonical: 'session-start', native: 'sessionStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-end', native: 'sessionEnd', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'stop', native: 'stop', timeout: TIMEOUT_SECONDS, flat: true, note: 'does not fire in cursor-agent -p' },
  { canonical: 'subagent-start', native: 'subagentStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'subagent-stop', native: 'subagentStop', timeout: TIMEOUT_SECONDS, flat: true },
];

export const cursor: ClientDefinition = {
  id: 'cursor', name: 'Cursor', aliases: [], vendor: 'Anysphere',
  seenOn: documented('documents and third-party reports up to cursor-agent 2026.09.10'),
  binaries: ['cursor-agent', 'cursor'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.local', 'bin', 'cursor-agent')], apps: ['Cursor.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.cursor');
    const projectDir = joinPath(platform, project, '.cursor');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks.json'), mcp: joinPath(platform, dir, 'mcp.json'),
        projectHooks: joinPath(platform, projectDir, 'hooks.json'), projectMcp: joinPath(platform, projectDir, 'mcp.json'),
        claude: joinPath(platform, home, '.claude', 'settings.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: STRICT, secret: false },
      { role: 'mcp', scope, path: (user ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: STRICT, secret: user },
    ];
  },
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false, preamble: { version: 1 },
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: {
      make: (command, event) => ({
        command, timeout: event.timeout,
        ...(event.matcher === undefined ? {} : { matcher: event.matcher }),
        ...(event.canonical === 'pre-tool' ? { failClosed: true } : {}),
      }),
      commandOf: (handler) => handler['command'],
    },
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'url', 'headers'], toolNaming: '<tool> alone, with the address or command line of its server',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      const spelled = respelled(server, (name) => `\${env:${name}}`);
      return { ok: true, entry: spelled.kind === 'stdio' ? stdioEntry(spelled) : httpEntry(spelled, 'url') };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: () => [],
  switches: () => [],
  runsHooksOf: ({ paths }) => [{ client: 'claude', scope: 'user', path: paths['claude'] ?? '', fact: documented('where that is switched on') }],
  silent: CURSOR_SILENT, unseen: CURSOR_UNSEEN,
  managed: cursorManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { hook_event_name: 'beforeShellExecution', conversation_id: 'praetorctl-sample', generation_id: 'sample', workspace_roots: [workspace], command, cwd: workspace } };
  },
  verdicts: {
    deny: documented('one JSON document with permission "deny" on exit 0 blocks the call; exit 2 blocks too'),
    ask: documented('native for commands and MCP calls; for file tools it is not enforced and degraded to deny'),
    neutral: documented('an allow document: with failClosed silence blocks'),
    crash: documented('blocks the call, by failClosed'),
    timeout: documented('blocks the call, by failClosed'),
    missingBinary: documented('blocks every guarded call, by failClosed'),
    denyEffect: 'call',
  },
  gaps: [
    unknown('whether the allow that must be said skips the person\'s own approval of the call'),
    documented('one unknown event name makes Cursor drop the whole hooks file in silence; versions before preToolUse and sessionStart would drop ours'),
    documented('no document names the server of an MCP tool, so rules about servers see an unknown server'),
    documented('reading a file passes no hook of ours'),
    documented('Cursor also runs hooks of ~/.claude/settings.json where that is switched on: a call may be judged twice'),
    unknown('the unit of timeout: seconds by the documents, milliseconds by one third party'),
  ],
};
