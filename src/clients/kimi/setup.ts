// Contract: Kimi's row. Read in its documents and sources: nothing here was run. PURE.
// Two generations keep their files in two places: Kimi CLI in ~/.kimi, Kimi Code CLI in ~/.kimi-code. The newer one counts
// where it is there, and where both are, the plan says which was taken.
import type { ClientDefinition, EventArray, HookEvent } from '../../model/client.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { sampleCommand } from '../sample.ts';
import { KIMI_SILENT, KIMI_UNSEEN, lintConfig } from './silent.ts';

const CONFIG: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
const MCP: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

// No matcher: how tools of MCP servers are called differs between the generations.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'subagent-start', native: 'SubagentStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'subagent-stop', native: 'SubagentStop', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'notification', native: 'Notification', timeout: TIMEOUT_SECONDS, flat: true },
];

function arrays(document: JsonObject): EventArray[] {
  return Array.isArray(document['hooks']) ? [{ path: ['hooks'], native: '', items: document['hooks'] }] : [];
}

export const kimi: ClientDefinition = {
  id: 'kimi', name: 'Kimi', aliases: ['kimi-code'], vendor: 'Moonshot AI',
  seenOn: documented('documents and sources only'),
  binaries: ['kimi'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project, dirExists }) => {
    const older = joinPath(platform, home, '.kimi');
    const newer = joinPath(platform, home, '.kimi-code');
    const dir = dirExists(newer) ? newer : older;
    const both: Diagnostic = {
      code: 'note', severity: 'warning', client: 'kimi', where: { path: older },
      message: 'both ~/.kimi and ~/.kimi-code are there; hooks go into ~/.kimi-code, and the older Kimi CLI stays without them',
      fix: 'remove the directory of the one that you do not use',
    };
    return {
      diagnostics: dir === newer && dirExists(older) ? [both] : [],
      paths: {
        dir, config: joinPath(platform, dir, 'config.toml'), mcp: joinPath(platform, dir, 'mcp.json'),
        projectMcp: joinPath(platform, project, '.kimi-code', 'mcp.json'),
      },
    };
  },
  // No hooks of a project are documented.
  files: ({ paths }, scope) => [
    ...(scope === 'user' ? [{ role: 'hooks' as const, scope, path: paths['config'] ?? '', format: 'toml' as const, tolerance: CONFIG, secret: true }] : []),
    { role: 'mcp', scope, path: (scope === 'user' ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: MCP, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'list', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: () => ['hooks'],
    arrays,
    handler: {
      make: (command, event) => ({ event: event.native, command, timeout: event.timeout }),
      commandOf: (handler) => handler['command'],
      nativeOf: (handler) => handler['event'],
    },
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'url', 'headers'], toolNaming: 'unknown',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? stdioEntry(server) : httpEntry(server, 'url') }),
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintConfig(document)),
  evidenceFiles: () => [],
  switches: () => [],
  silent: KIMI_SILENT, unseen: KIMI_UNSEEN,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { hook_event_name: 'PreToolUse', session_id: 'praetorctl-sample', cwd: workspace, tool_name: 'Shell', tool_input: { command }, tool_call_id: 'sample' } };
  },
  verdicts: {
    deny: documented('one JSON document and exit 2: blocks the call'),
    ask: documented('not offered to hooks: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('runs the tool, unless it is exit 2'),
    timeout: documented('runs the tool'),
    missingBinary: documented('runs the tool'),
    denyEffect: 'call',
  },
  gaps: [
    documented('hooks of a project are not documented: in scope project only servers are registered'),
    documented('a hook with any other key makes Kimi Code CLI drop the whole config.toml'),
    unknown('how Kimi CLI names the tools of MCP servers was not looked at; such a call may not be told from others'),
    unknown('whether tools of a subagent reach the hook was not looked at'),
  ],
};
