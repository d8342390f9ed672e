// Contract: VS Code agent mode's row. Documented (Copilot Chat 0.42.0 sources and the vendor's pages of 2026-06); not run here. PURE.
// Hooks go into a file of our own in the directory that VS Code shares with Copilot CLI, so it has another name than Copilot CLI's.
import type { ClientDefinition, Finding, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { documentedFor, unknown } from '../facts.ts';
import { httpEntry, respelled, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { CODE_JSON, codeMcpFiles, codeMcpPaths } from '../vscode-files.ts';

// The other client of the directory drops a file with a comment, a trailing comma or a BOM.
const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
const MCP: Tolerance = { ...CODE_JSON, emptyIsObject: false };
const FOREIGN: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: true, emptyIsObject: true };

// A timeout runs the tool, so it is far above the hook's own deadline.
const TIMEOUT_SECONDS = 30;

// Matchers are ignored: every hook is run for every tool.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'subagent-start', native: 'SubagentStart', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'subagent-stop', native: 'SubagentStop', timeout: TIMEOUT_SECONDS, flat: true },
];

function lintHooks(document: JsonObject): Finding[] {
  const { hooks, version } = document;
  const found: Finding[] = [];
  if (hooks !== undefined && !isObject(hooks)) found.push({ id: 'vscode.hooks-type', effect: 'file', certain: true, path: ['hooks'], message: 'hooks is not an object', fix: 'make hooks an object' });
  if (version !== undefined && version !== 1) found.push({ id: 'vscode.hooks-version', effect: 'file', certain: false, path: ['version'], message: 'version is not 1, which Copilot CLI does not read', fix: 'set version to 1' });
  return found;
}

/** Policies of the machine on Linux; on other systems they are no file. */
const POLICY_FILE = '/etc/vscode/policy.json';

function policyOff(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  if (documents.get('policy')?.['ChatHooks'] !== false) return [];
  return [{ id: 'vscode.policy-hooks-off', effect: 'hooks', certain: false, source: 'policy', path: ['ChatHooks'], message: 'the policy ChatHooks switches hooks off', fix: 'ask the administrator to take ChatHooks out of the policies' }];
}

/** The setting by which a person, or a workspace, turns the directory off. */
function switches(documents: ReadonlyMap<string, JsonObject>): Finding[] {
  return [...policyOff(documents), ...(['settings', 'workspace'] as const).flatMap((source): Finding[] => {
    const document = documents.get(source) ?? {};
    const finding = (key: string, message: string): Finding => ({
      id: 'vscode.hooks-off', effect: 'hooks', certain: false, source, path: [key], message: `${message} in settings.json`, fix: `remove it from ${key}`,
    });
    const places = document['chat.hookFilesLocations'];
    return [
      ...(document['chat.useHooks'] === false ? [finding('chat.useHooks', 'chat.useHooks is false')] : []),
      ...(isObject(places) && places['~/.copilot/hooks'] === false ? [finding('chat.hookFilesLocations', 'chat.hookFilesLocations leaves ~/.copilot/hooks out')] : []),
    ];
  })];
}

const documented = documentedFor('Copilot Chat 0.42.0');

export const vscode: ClientDefinition = {
  id: 'vscode', name: 'VS Code', aliases: ['code'], vendor: 'Microsoft',
  seenOn: documented('sources of Copilot Chat and the vendor\'s pages; not run'),
  binaries: ['code', 'code-insiders'],
  installPaths: ({ platform, home, env }) => {
    if (platform === 'darwin') return ['/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code'];
    if (platform === 'win32') return [joinPath(platform, env['LOCALAPPDATA'] ?? joinPath(platform, home, 'AppData', 'Local'), 'Programs', 'Microsoft VS Code', 'Code.exe')];
    return ['/usr/share/code/bin/code', '/snap/bin/code'];
  },
  configMarks: ({ paths }) => [paths['userDir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const code = codeMcpPaths(context);
    const shared = joinPath(platform, home, '.copilot', 'hooks');
    return {
      diagnostics: [],
      paths: {
        ...code, ...(platform === 'linux' ? { policy: POLICY_FILE } : {}), settings: joinPath(platform, code['userDir'] ?? '', 'settings.json'),
        hooks: joinPath(platform, shared, 'praetorctl-vscode.json'), copilot: joinPath(platform, shared, 'praetorctl.json'),
        claude: joinPath(platform, home, '.claude', 'settings.json'), projectClaude: joinPath(platform, project, '.claude', 'settings.json'),
        projectHooks: joinPath(platform, project, '.github', 'hooks', 'praetorctl-vscode.json'), projectCopilot: joinPath(platform, project, '.github', 'hooks', 'praetorctl.json'),
        projectMcp: joinPath(platform, project, '.vscode', 'mcp.json'), workspace: joinPath(platform, project, '.vscode', 'settings.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: HOOKS, secret: false },
      ...(user ? codeMcpFiles(paths).map((file) => ({ ...file, tolerance: MCP }))
        : [{ role: 'mcp', scope, path: paths['projectMcp'] ?? '', format: 'json', tolerance: MCP, secret: false } as const]),
    ];
  },
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false, preamble: { version: 1 },
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    // Nothing in the environment says that VS Code runs a hook, so the registration does.
    handler: commandHandler((event) => ({ timeout: event.timeout, env: { PRAETORCTL_REGISTERED_FOR: 'vscode' } })),
  },
  mcp: {
    key: 'servers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: 'mcp_<server>_<tool>, the server cut and respelled',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      const spelled = respelled(server, (name) => `\${env:${name}}`);
      return { ok: true, entry: spelled.kind === 'stdio' ? { type: 'stdio', ...stdioEntry(spelled) } : { type: 'http', ...httpEntry(spelled, 'url') } };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: ({ paths }) => ['settings', 'workspace', 'policy'].map((name) => ({ name, path: paths[name] ?? '', format: 'json', tolerance: FOREIGN })),
  switches,
  runsHooksOf: ({ paths }) => [
    { client: 'claude', scope: 'user', path: paths['claude'] ?? '', fact: documented('the person\'s settings of Claude Code') },
    { client: 'claude', scope: 'project', path: paths['projectClaude'] ?? '', fact: documented('Claude Code\'s settings of a project') },
    { client: 'copilot-cli', scope: 'user', path: paths['copilot'] ?? '', fact: documented('every file of ~/.copilot/hooks') },
    { client: 'copilot-cli', scope: 'project', path: paths['projectCopilot'] ?? '', fact: documented('every file of .github/hooks') },
  ],
  silent: [
    { id: 'vscode.hooks-type', looks: 'hooks is not an object', fix: 'make hooks an object', basis: 'documented' },
    { id: 'vscode.hooks-version', looks: 'a hooks file with a version other than 1', fix: 'set version to 1', basis: 'unknown' },
    { id: 'vscode.hooks-off', looks: 'chat.useHooks is false, or chat.hookFilesLocations leaves ~/.copilot/hooks out', fix: 'remove it from settings.json', basis: 'documented' },
    { id: 'vscode.policy-hooks-off', looks: 'the policy ChatHooks is false, in /etc/vscode/policy.json', fix: 'ask the administrator', basis: 'documented' },
  ],
  managed: { none: documented('its policies can only restrict: ChatHooks false switches hooks off, ChatMCP limits servers; none of them adds a hook. Register in each user\'s scope') },
  afterApply: ['run "Developer: Reload Window" in VS Code, and trust each new MCP server when it asks'],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return {
      command,
      payload: {
        timestamp: '2026-01-01T00:00:00.000Z', hook_event_name: 'PreToolUse', session_id: 'praetorctl-sample', cwd: workspace,
        tool_name: 'run_in_terminal', tool_input: { command, explanation: 'sample', isBackground: false }, tool_use_id: 'sample',
      },
    };
  },
  verdicts: {
    deny: documented('one JSON document that names the event, on exit 0, blocks the call'),
    ask: documented('native: a person must confirm'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('runs the tool with a warning, unless it is exit 2'),
    timeout: documented('runs the tool with a warning'),
    missingBinary: documented('runs the tool with a warning'),
    denyEffect: 'call',
  },
  gaps: [
    unknown('from which version on ~/.copilot/hooks is read: the page names it, its default of chat.hookFilesLocations does not'),
    documented('VS Code also runs what is registered for Copilot CLI in ~/.copilot/hooks and .github/hooks and for Claude Code in its settings: a call may be judged twice; Copilot CLI runs the file of this client too'),
    documented('without a cwd in the entry the document names no workspace, and relative paths cannot be placed'),
    documented('an organisation can turn hooks off; repositories can in .vscode/settings.json'),
    documented('where the selected harness is not the local one, the hooks of that harness run instead'),
    documented('the names of MCP tools are cut and respelled: the split into server and tool is a guess and marked so'),
  ],
};
