// Contract: Crush's row. Read in its documents and sources: nothing here was run. PURE.
// Hooks stand in crush.json, which the client calls the older way: the newer crushrc is a shell program of the person's, and a
// line in it can be neither read back nor told to have been reached.
import type { ClientDefinition, HookEvent, McpServer } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { configHome, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, stdioEntry, type EntryResult } from '../mcp-kit.ts';
import { wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';

const CONFIG: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [{ canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS, flat: true, note: 'the only event' }];

/** The client expands values like a shell: a dollar or a backquote that is no `${NAME}` would become something else. */
function expands(value: string): boolean {
  return /[$`]/.test(value.replace(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, ''));
}

function mcpEntry(server: McpServer): EntryResult {
  const values = server.kind === 'stdio' ? [server.command, ...server.args, ...Object.values(server.env)] : [server.url, ...Object.values(server.headers)];
  if (values.some(expands)) return { ok: false, why: 'Crush expands values like a shell, and one of them holds a "$" or a backquote' };
  return { ok: true, entry: server.kind === 'stdio' ? { type: 'stdio', ...stdioEntry(server) } : { type: 'http', ...httpEntry(server, 'url') } };
}

export const crush: ClientDefinition = {
  id: 'crush', name: 'Crush', aliases: [], vendor: 'Charm',
  seenOn: documented('documents and sources only'),
  binaries: ['crush'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, project } = context;
    const dir = overrideDir(context, 'crush', 'CRUSH_GLOBAL_CONFIG') ?? joinPath(platform, configHome(context), 'crush');
    return { diagnostics: [], paths: { dir, config: joinPath(platform, dir, 'crush.json'), projectConfig: joinPath(platform, project, 'crush.json') } };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks+mcp', scope, path: (scope === 'user' ? paths['config'] : paths['projectConfig']) ?? '', format: 'json', tolerance: CONFIG, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: { make: (command, event) => ({ command, timeout: event.timeout }), commandOf: (handler) => handler['command'] },
  },
  mcp: {
    key: 'mcp', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: 'mcp_<server>_<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: mcpEntry,
  },
  lint: () => [],
  evidenceFiles: () => [],
  switches: () => [],
  unseen: [
    documented('what a sub-agent does: hooks run for the top-level agent only'),
    documented('crushrc, a shell program of the person\'s in which anything may stand'),
    unknown('flags of one session, and variables that only the client\'s own start gives it'),
  ],
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { event: 'PreToolUse', session_id: 'praetorctl-sample', cwd: workspace, tool_name: 'bash', tool_input: { command, description: 'sample' } } };
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
    documented('hooks run for the top-level agent only: what a sub-agent does is not seen'),
    documented('hooks in crush.json are called deprecated in favour of crushrc, a shell program that praetorctl neither reads nor writes'),
    documented('values of servers are expanded like a shell\'s; one with a "$" that is no ${NAME} is left out'),
    documented('one underscore stands between server and tool, so a name with more of them is split by a guess and marked so'),
  ],
};
