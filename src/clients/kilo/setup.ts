// Contract: Kilo's row. Measured on 7.7.9, Linux; what is only documented says so. PURE.
// Kilo is a fork of OpenCode and takes the same plugin file; its configuration has names and habits of its own.
import type { ClientDefinition } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { configHome, joinPath } from '../../roots/paths.ts';
import { measuredOn, unknown } from '../facts.ts';
import { PLUGIN_HOOKS, PLUGIN_MCP, pluginSample } from '../opencode/plugin.ts';
import { kiloProve } from '../opencode-prove.ts';
import { sampleCommand } from '../sample.ts';
import { KILO_SILENT, KILO_UNSEEN, switches } from './silent.ts';

const PLUGIN: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
const CONFIG: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: false, emptyIsObject: false };

const measured = measuredOn('7.7.9');

export const kilo: ClientDefinition = {
  id: 'kilo', name: 'Kilo', aliases: ['kilocode'], vendor: 'Kilo Code',
  seenOn: measured('7.7.9 on Linux'),
  binaries: ['kilo'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, project } = context;
    const dir = joinPath(platform, configHome(context), 'kilo');
    return {
      diagnostics: [],
      paths: {
        // The client makes a kilo.jsonc at its first start, so that is where its own `mcp add` writes too.
        dir, plugin: joinPath(platform, dir, 'plugin', 'praetorctl.js'), config: joinPath(platform, dir, 'kilo.jsonc'),
        projectPlugin: joinPath(platform, project, '.kilo', 'plugin', 'praetorctl.js'), projectConfig: joinPath(platform, project, 'kilo.jsonc'),
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
  hooks: PLUGIN_HOOKS,
  mcp: PLUGIN_MCP,
  lint: () => [],
  evidenceFiles: () => [],
  switches, silent: KILO_SILENT, unseen: KILO_UNSEEN,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: pluginSample(command, workspace) };
  },
  prove: kiloProve,
  launch: {
    bypass: [{ word: '--pure', does: measured('no plugin is loaded') }],
    bypassEnv: [{ word: 'KILO_PURE', does: measured('no plugin is loaded') }],
    open: 'what docs/clients.md lists as gaps',
  },
  verdicts: {
    deny: measured('the plugin throws; the call does not run and the reason is its result'),
    ask: measured('a plugin cannot ask: degraded to deny'),
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('blocks the call: the plugin refuses without a clear answer'),
    timeout: measured('blocks the call after the plugin\'s own 30 s'),
    missingBinary: measured('blocks every call'),
    denyEffect: 'call',
  },
  gaps: [
    unknown('a plugin that cannot be loaded is left out in silence, and the session runs without hooks'),
    measured('--pure and KILO_PURE leave plugins out'),
    measured('the first start writes "permission": {"bash": "allow"} into kilo.jsonc'),
    measured('beside a plugin the first start installs @kilocode/plugin into the configuration directory; without a network it waits'),
    measured('one underscore stands between server and tool, so a name with more of them is split by a guess and marked so'),
  ],
};
