// Contract: the row of Junie CLI. Read in the vendor's page of the Early Access version: nothing here was run. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';

const CONFIG: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// Its own limit is 10 s, and a timeout runs the tool.
const TIMEOUT_SECONDS = 30;

// PermissionRequest is left alone: there, silence with exit 0 approves in the person's place.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, note: 'fires in the terminal interface only' },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS },
];

export const junie: ClientDefinition = {
  id: 'junie', name: 'Junie CLI', aliases: [], vendor: 'JetBrains',
  seenOn: documented('the page of the Early Access version only'),
  binaries: ['junie'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.junie');
    return {
      diagnostics: [],
      paths: { dir, config: joinPath(platform, dir, 'config.json'), mcp: joinPath(platform, dir, 'mcp', 'mcp.json'), projectMcp: joinPath(platform, project, '.junie', 'mcp', 'mcp.json') },
    };
  },
  // Hooks in a project's config.json are ignored.
  files: ({ paths }, scope) => [
    ...(scope === 'user' ? [{ role: 'hooks' as const, scope, path: paths['config'] ?? '', format: 'json' as const, tolerance: CONFIG, secret: true }] : []),
    { role: 'mcp', scope, path: (scope === 'user' ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: CONFIG, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'url', 'headers'], toolNaming: 'unknown',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? stdioEntry(server) : httpEntry(server, 'url') }),
  },
  lint: () => [],
  evidenceFiles: () => [],
  switches: () => [],
  unseen: [
    documented('a release without the hooks of the Early Access version, and the plugin of the IDEs'),
    unknown('a value in config.json of which the client takes the whole file as damaged'),
    unknown('flags of one session, and variables that only the client\'s own start gives it'),
  ],
  afterApply: [],
  sample: (kind) => {
    const command = sampleCommand(kind);
    return { command, payload: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } } };
  },
  verdicts: {
    deny: documented('one JSON document and exit 2: blocks the call'),
    ask: documented('offered, but what it does without a terminal is not said: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('runs the tool, unless it is exit 2; blockOnError counts for Stop only'),
    timeout: documented('runs the tool'),
    missingBinary: documented('runs the tool'),
    denyEffect: 'call',
  },
  gaps: [
    documented('hooks are of the Early Access version; the plugin of the IDEs has none'),
    documented('its documents name neither the session nor the directory, so rules about the workspace do not know it'),
    documented('hooks in a project\'s config.json are ignored: in scope project only servers are registered'),
    documented('there is no event after a tool call'),
    unknown('how tools of MCP servers are called was not looked at; such a call may not be told from others'),
  ],
};
