// Contract: OpenCode's row. Measured on 1.18.33, Linux; what is only documented says so. PURE.
// OpenCode has no hook commands: a plugin file of ours asks the hook. It is generated, so nothing of the person's is edited.
import type { ClientDefinition, HookEvent, McpServer } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { JsonObject } from '../../model/json.ts';
import { isAbsolutePath, joinPath } from '../../roots/paths.ts';
import { httpEntry, strings } from '../mcp-kit.ts';
import { commandHandler, topLevelArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { PLUGIN_BODY } from './plugin.ts';

const PLUGIN: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
// All three are read; the client itself adds `$schema` where it is missing.
const CONFIG: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: false };

// The plugin's own limit; the client has none and waits.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'tool.execute.before', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'tool.execute.after', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'session.created', timeout: TIMEOUT_SECONDS, flat: true },
];

function mcpEntry(server: McpServer): JsonObject {
  if (server.kind === 'http') return { type: 'remote', ...httpEntry(server, 'url'), enabled: true };
  const environment = Object.keys(server.env).length > 0 ? { environment: strings(server.env) } : {};
  return { type: 'local', command: [server.command, ...server.args], ...environment, enabled: true };
}

const measured = (text: string): { text: string; basis: 'measured'; versions: string } => ({ text, basis: 'measured', versions: '1.18.33' });

export const opencode: ClientDefinition = {
  id: 'opencode', name: 'OpenCode', aliases: [], vendor: 'Anomaly',
  seenOn: measured('1.18.33 on Linux'),
  binaries: ['opencode'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.opencode', 'bin', platform === 'win32' ? 'opencode.exe' : 'opencode')],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, env, home, project }) => {
    // The client takes this variable on every platform, and its own default is the same on every platform.
    const named = env['XDG_CONFIG_HOME'];
    const dir = joinPath(platform, named !== undefined && isAbsolutePath(platform, named) ? named : joinPath(platform, home, '.config'), 'opencode');
    return {
      diagnostics: [],
      paths: {
        dir, plugin: joinPath(platform, dir, 'plugins', 'praetorctl.js'), config: joinPath(platform, dir, 'opencode.json'),
        projectPlugin: joinPath(platform, project, '.opencode', 'plugins', 'praetorctl.js'), projectConfig: joinPath(platform, project, 'opencode.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['plugin'] : paths['projectPlugin']) ?? '', format: 'artefact', tolerance: PLUGIN, secret: false },
      { role: 'mcp', scope, path: (user ? paths['config'] : paths['projectConfig']) ?? '', format: 'json', tolerance: CONFIG, secret: user },
    ];
  },
  hooks: {
    shape: 'artefact', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => [native],
    arrays: topLevelArrays,
    handler: commandHandler(() => ({ body: PLUGIN_BODY })),
  },
  mcp: {
    key: 'mcp', ownedKeys: ['type', 'command', 'environment', 'url', 'headers', 'enabled'], toolNaming: '<server>_<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: mcpEntry(server) }),
  },
  lint: () => [],
  evidenceFiles: () => [],
  switches: () => [],
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { tool: 'bash', sessionID: 'praetorctl-sample', callID: 'sample', args: { command, description: 'sample' }, directory: workspace, worktree: workspace } };
  },
  verdicts: {
    deny: measured('the plugin throws; the call does not run and the reason is its result'),
    ask: { text: 'a plugin cannot ask: degraded to deny', basis: 'measured', versions: '1.18.33' },
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('blocks the call: the plugin refuses without a clear answer'),
    timeout: measured('blocks the call after the plugin\'s own 30 s'),
    missingBinary: measured('blocks every call'),
    denyEffect: 'call',
  },
  gaps: [
    measured('a plugin that cannot be loaded is left out in silence, and the session runs without hooks'),
    measured('--pure leaves plugins out'),
    measured('beside a plugin the first start installs @opencode-ai/plugin into the configuration directory; without a network it waits'),
    { text: 'one underscore stands between server and tool, so a name with more of them is split by a guess and marked so', basis: 'measured', versions: '1.18.33' },
  ],
};
