// Contract: GitHub Copilot CLI's row. Measured on 1.0.102, Linux; what is only documented says so. PURE.
// Hooks go into a file of our own in the client's directory of hook files, so nothing of the person's is edited for them.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { documented, measuredOn } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { jsonServers } from '../probe-kit.ts';
import { sampleCommand } from '../sample.ts';
import { copilotProve } from './prove.ts';
import { COPILOT_SILENT, COPILOT_UNSEEN, lintHooks, switches } from './silent.ts';
import { copilotManaged } from './managed.ts';

// Each of a comment, a trailing comma and a BOM makes the client ignore the whole hooks file without a word.
const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
// All three are read in the servers' file.
const MCP: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: false };

// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

// No matcher: names of MCP tools (`<server>-<tool>`) have no common prefix.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'preToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'postToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'permission', native: 'permissionRequest', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'prompt', native: 'userPromptSubmitted', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'sessionStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-end', native: 'sessionEnd', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'stop', native: 'agentStop', timeout: TIMEOUT_SECONDS, flat: true },
];

const measured = measuredOn('1.0.102');

export const copilotCli: ClientDefinition = {
  id: 'copilot-cli', name: 'Copilot CLI', aliases: ['copilot'], vendor: 'GitHub',
  seenOn: measured('1.0.102 on Linux'),
  binaries: ['copilot'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = overrideDir(context, 'copilot-cli', 'COPILOT_HOME') ?? joinPath(platform, home, '.copilot');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks', 'praetorctl.json'), mcp: joinPath(platform, dir, 'mcp-config.json'),
        settings: joinPath(platform, dir, 'settings.json'),
        projectHooks: joinPath(platform, project, '.github', 'hooks', 'praetorctl.json'),
        // Files of the same directories, and of another client's, that it runs too.
        vscode: joinPath(platform, dir, 'hooks', 'praetorctl-vscode.json'), projectVscode: joinPath(platform, project, '.github', 'hooks', 'praetorctl-vscode.json'),
        projectClaude: joinPath(platform, project, '.claude', 'settings.json'),
        // `.mcp.json` is read too, but it belongs to more clients than this one.
        projectMcp: joinPath(platform, project, '.github', 'mcp.json'),
        projectSettings: joinPath(platform, project, '.github', 'copilot', 'settings.json'),
        localSettings: joinPath(platform, project, '.github', 'copilot', 'settings.local.json'),
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
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    // The `command` form stands for `bash` and `powershell` alike. `exec` with `args` runs too (measured), but without a shell
    // Windows would not find praetorctl.cmd.
    handler: commandHandler((event) => ({ timeoutSec: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers', 'tools'],
    toolNaming: '<server>-<tool>; <server>/<tool> at a permission request',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => ({
      ok: true,
      entry: server.kind === 'stdio' ? { type: 'local', ...stdioEntry(server), tools: ['*'] } : { type: 'http', ...httpEntry(server, 'url'), tools: ['*'] },
    }),
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: ({ paths }) => [
    { name: 'project', path: paths['projectSettings'] ?? '', format: 'json', tolerance: MCP },
    { name: 'local', path: paths['localSettings'] ?? '', format: 'json', tolerance: MCP },
  ],
  otherHooks: {
    lists: () => [],
    places: ({ paths }) => [paths['settings'], paths['projectSettings'], paths['localSettings']].map((path) => ({ name: 'settings', path: path ?? '', format: 'json', tolerance: MCP })),
  },
  runsHooksOf: ({ paths }) => [
    { client: 'claude', scope: 'project', path: paths['projectClaude'] ?? '', fact: measured('in a folder that it trusts; the settings of the home directory are not read') },
    { client: 'vscode', scope: 'user', path: paths['vscode'] ?? '', fact: documented('every file of the directory, and PreToolUse is a name that it knows') },
    { client: 'vscode', scope: 'project', path: paths['projectVscode'] ?? '', fact: documented('every file of .github/hooks, in a folder that it trusts') },
  ],
  switches, silent: COPILOT_SILENT, unseen: COPILOT_UNSEEN,
  managed: copilotManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { sessionId: 'praetorctl-sample', timestamp: 1767225600000, cwd: workspace, toolName: 'bash', toolArgs: { command, description: 'sample' } } };
  },
  prove: copilotProve,
  verdicts: {
    deny: measured('one flat JSON document on exit 0 blocks the call'),
    ask: measured('native; with -p nobody can answer and the call is refused'),
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('blocks the call'),
    timeout: measured('runs the tool'),
    missingBinary: measured('blocks every call'),
    denyEffect: 'call',
  },
  probe: {
    keptEnv: ['COPILOT_HOME'],
    steps: [{ asks: 'servers', argv: () => ['mcp', 'list', '--json'], env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' }, read: jsonServers }],
    source: measured('mcp list --json; it lists no hooks'),
    cost: measured('2 to 6 s; no model, no tokens, no login'),
    effects: measured('starts no server; unpacks itself into its cache on the first start'),
  },
  gaps: [
    measured('text on stdout that is not JSON, or an unknown word in it, runs the tool'),
    measured('hooks of a project need a trusted folder; without it they are left out in silence'),
    documented('disableAllHooks in a repository turns hooks of every source off; measured on 1.0.102: in the user\'s own settings.json it does not'),
    documented('a server name with a hyphen makes <server>-<tool> ambiguous; such a split is marked as a guess'),
  ],
};
