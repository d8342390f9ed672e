// Contract: OpenCode's row. Measured on 1.18.33, Linux; what is only documented says so. PURE.
// OpenCode has no hook commands: a plugin file of ours asks the hook. It is generated, so nothing of the person's is edited.
import type { ClientDefinition, FileSpec, RootContext } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { configHome, joinPath } from '../../roots/paths.ts';
import { measuredOn } from '../facts.ts';
import { opencodeProve } from '../opencode-prove.ts';
import { NO_SERVERS, textList } from '../probe-kit.ts';
import { sampleCommand } from '../sample.ts';
import { PLUGIN_HOOKS, PLUGIN_MCP, pluginSample } from './plugin.ts';
import { OPENCODE_SILENT, OPENCODE_UNSEEN, switches } from './silent.ts';
import { opencodeManaged } from './managed.ts';

const PLUGIN: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
// All three are read; the client itself adds `$schema` where it is missing.
const CONFIG: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: false };

const measured = measuredOn('1.18.33');

/** The client reads opencode.json and opencode.jsonc, so what is there is what counts; a new one is opencode.json. */
function configsIn({ platform, dirNames }: RootContext, directory: string): { readonly first: string; readonly beside: string } {
  const names = dirNames(directory);
  const [json, jsonc] = ['opencode.json', 'opencode.jsonc'].map((name) => joinPath(platform, directory, name)) as [string, string];
  if (!names.includes('opencode.jsonc')) return { first: json, beside: '' };
  return names.includes('opencode.json') ? { first: json, beside: jsonc } : { first: jsonc, beside: '' };
}

export const opencode: ClientDefinition = {
  id: 'opencode', name: 'OpenCode', aliases: [], vendor: 'Anomaly',
  seenOn: measured('1.18.33 on Linux'),
  binaries: ['opencode'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.opencode', 'bin', platform === 'win32' ? 'opencode.exe' : 'opencode')],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, project } = context;
    const dir = joinPath(platform, configHome(context), 'opencode');
    const user = configsIn(context, dir);
    const own = configsIn(context, project);
    return {
      diagnostics: [],
      paths: {
        dir, plugin: joinPath(platform, dir, 'plugins', 'praetorctl.js'), config: user.first, configBeside: user.beside,
        projectPlugin: joinPath(platform, project, '.opencode', 'plugins', 'praetorctl.js'), projectConfig: own.first, projectConfigBeside: own.beside,
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['plugin'] : paths['projectPlugin']) ?? '', format: 'artefact', tolerance: PLUGIN, secret: false },
      ...[user ? paths['config'] : paths['projectConfig'], user ? paths['configBeside'] : paths['projectConfigBeside']].filter((path) => path !== undefined && path !== '')
        .map((path): FileSpec => ({ role: 'mcp', scope, path: path ?? '', format: 'json', tolerance: CONFIG, secret: user })),
    ];
  },
  hooks: PLUGIN_HOOKS,
  mcp: PLUGIN_MCP,
  lint: () => [],
  evidenceFiles: () => [],
  switches, silent: OPENCODE_SILENT, unseen: OPENCODE_UNSEEN,
  managed: opencodeManaged,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: pluginSample(command, workspace) };
  },
  prove: opencodeProve,
  launch: {
    bypass: [{ word: '--pure', does: measured('no plugin is loaded') }],
    bypassEnv: [{ word: 'OPENCODE_PURE', does: measured('no plugin is loaded') }],
    open: 'what docs/clients.md lists as gaps',
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
  probe: {
    keptEnv: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    steps: [{ asks: 'servers', argv: () => ['mcp', 'list'], env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }, read: textList(/^\u25cf +\S (?<name>\S+) +(?<state>.*)$/, NO_SERVERS) }],
    source: measured('mcp list; it lists no plugins'),
    cost: measured('3 to 12 s; no model, no tokens'),
    effects: measured('starts the servers and loads the plugins; writes its own caches'),
  },
  gaps: [
    measured('a plugin that cannot be loaded is left out in silence, and the session runs without hooks'),
    measured('--pure leaves plugins out'),
    measured('beside a plugin the first start installs @opencode-ai/plugin into the configuration directory; without a network it waits'),
    { text: 'one underscore stands between server and tool, so a name with more of them is split by a guess and marked so', basis: 'measured', versions: '1.18.33' },
  ],
};
