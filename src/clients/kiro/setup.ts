// Contract: Kiro's row (IDE from 1.0 on, CLI from 3 on). Documented, with a third party's record of IDE 1.0.165; nothing was run here. PURE.
// Hooks go into a file of our own. CLI 2.x and Amazon Q know hooks only inside an agent file, which is one agent of a person's
// and is chosen per session: nothing is written there, because other agents would run unguarded beside a row that says it guards.
import type { ClientDefinition, EventArray, Finding, HookEvent } from '../../model/client.ts';
import { isObject, type JsonObject, type Path } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { STRICT_JSON } from '../mcp-only.ts';
import { sampleCommand } from '../sample.ts';

const TIMEOUT_SECONDS = 30;

// No matcher: the names of built-in tools differ between IDE and CLI, and those of MCP tools begin with `@`.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS, flat: true },
];

/** One list for all events; each entry names its own. */
function arrays(document: JsonObject): EventArray[] {
  const { hooks } = document;
  return Array.isArray(hooks) ? [{ path: ['hooks'], native: '', items: hooks }] : [];
}

function lintHooks(document: JsonObject): Finding[] {
  const { hooks, version } = document;
  const found: Finding[] = [];
  const dropped = (path: Path, message: string, fix: string): void => {
    found.push({ id: 'kiro.file-dropped', effect: 'file', certain: false, path, message, fix });
  };
  if (version !== 'v1') dropped(['version'], 'version is not "v1"', 'set version to "v1"');
  if (hooks !== undefined && !Array.isArray(hooks)) dropped(['hooks'], 'hooks is not a list', 'make hooks a list');
  return found;
}

export const kiro: ClientDefinition = {
  id: 'kiro', name: 'Kiro', aliases: ['kiro-cli'], vendor: 'Amazon',
  seenOn: documented('the vendor\'s pages and a third party\'s record of IDE 1.0.165; not run'),
  binaries: ['kiro-cli', 'kiro'],
  installPaths: ({ platform, home }) => (platform === 'darwin' ? ['/Applications/Kiro.app/Contents/MacOS/Electron'] : [joinPath(platform, home, '.local', 'bin', 'kiro-cli')]),
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.kiro');
    const projectDir = joinPath(platform, project, '.kiro');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks', 'praetorctl.json'), mcp: joinPath(platform, dir, 'settings', 'mcp.json'),
        projectHooks: joinPath(platform, projectDir, 'hooks', 'praetorctl.json'), projectMcp: joinPath(platform, projectDir, 'settings', 'mcp.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: STRICT_JSON, secret: false },
      { role: 'mcp', scope, path: (user ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: STRICT_JSON, secret: user },
    ];
  },
  hooks: {
    shape: 'list', timeoutUnit: 's', events: EVENTS, positional: false, preamble: { version: 'v1' },
    arrayPath: () => ['hooks'],
    arrays,
    handler: {
      make: (command, event) => ({ name: `praetorctl ${event.canonical}`, trigger: event.native, action: { type: 'command', command }, timeout: event.timeout, enabled: true }),
      commandOf: (entry) => (isObject(entry['action']) ? entry['action']['command'] : undefined),
      nativeOf: (entry) => entry['trigger'],
    },
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'url', 'headers'], toolNaming: '@<server>/<tool>',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    // `${NAME}` is the client's own spelling too.
    entry: (server) => ({ ok: true, entry: server.kind === 'stdio' ? stdioEntry(server) : httpEntry(server, 'url') }),
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: () => [],
  switches: () => [],
  silent: [{ id: 'kiro.file-dropped', looks: 'a hooks file whose version is not "v1", or whose hooks is not a list', fix: 'correct the file', basis: 'documented' }],
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', hook_event_name: 'PreToolUse', cwd: workspace, tool_name: 'execute_bash', tool_input: { command } } };
  },
  verdicts: {
    deny: documented('exit 2 with the reason on stderr blocks the call'),
    ask: documented('there is no ask: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('runs the tool with a warning, unless it is exit 2'),
    timeout: unknown('not documented'),
    missingBinary: unknown('not documented'),
    denyEffect: 'call',
  },
  gaps: [
    documented('CLI 2.x and Amazon Q know hooks only inside one agent\'s file (~/.kiro/agents, ~/.aws/amazonq/cli-agents, in milliseconds): nothing is written there, since every other agent would run unguarded; "kiro-cli agent migrate" and CLI 3 read the file that is written'),
    documented('IDE before 1.0 gives a hook no document on standard input (third party), so nothing can be judged there'),
    documented('nothing in the document or the environment says that Kiro itself runs the hook: receipts stay without a caller, and verify never calls it observed'),
    documented('a stop is not registered: nothing documented makes the client go on'),
    unknown('whether IDE 1.x reads ~/.kiro/hooks in every version; the project\'s .kiro/hooks is documented for both'),
    unknown('whether comments, trailing commas or a BOM are read: strict JSON is assumed'),
  ],
};
