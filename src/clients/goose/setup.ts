// Contract: Goose's row. Read in its documents and sources: nothing here was run. PURE.
// A plugin directory of ours holds the hooks and the servers, so nothing of the person's is edited.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { configHome, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { stdioEntry } from '../mcp-kit.ts';
import { commandHandler, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';

const HOOKS: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
const TIMEOUT_SECONDS = 30;

// No matcher: one that is no valid expression drops its rule in silence, and none means every tool. A stop is not registered:
// nothing in its document says that it was blocked before.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS },
];

export const goose: ClientDefinition = {
  id: 'goose', name: 'Goose', aliases: [], vendor: 'Block',
  seenOn: documented('documents and sources only'),
  binaries: ['goose'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['config'] ?? ''],
  roots: (context) => {
    const { platform, env, home, project } = context;
    const roaming = env['APPDATA'] ?? joinPath(platform, home, 'AppData', 'Roaming');
    const dir = platform === 'win32' ? joinPath(platform, roaming, 'Block', 'goose', 'config') : joinPath(platform, configHome(context), 'goose');
    const inPlugin = (base: string, ...parts: readonly string[]): string => joinPath(platform, base, '.agents', 'plugins', 'praetorctl', ...parts);
    return {
      diagnostics: [],
      paths: {
        config: joinPath(platform, dir, 'config.yaml'),
        hooks: inPlugin(home, 'hooks', 'hooks.json'), mcp: inPlugin(home, '.mcp.json'),
        projectHooks: inPlugin(project, 'hooks', 'hooks.json'), projectMcp: inPlugin(project, '.mcp.json'),
      },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks', scope, path: (scope === 'user' ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: HOOKS, secret: false },
    { role: 'mcp', scope, path: (scope === 'user' ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: HOOKS, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    // Without a decision of the hook (a crash, a timeout, no program) the call is then refused; the other events do not know the key.
    handler: commandHandler((event) => ({ timeout: event.timeout, ...(event.canonical === 'pre-tool' ? { on_failure: 'block' } : {}) })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env'], toolNaming: '<extension>__<tool>',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => (server.kind === 'stdio' ? { ok: true, entry: stdioEntry(server) } : { ok: false, why: 'a plugin of Goose takes servers over standard input and output only' }),
  },
  lint: () => [],
  evidenceFiles: () => [],
  switches: () => [],
  unseen: [
    documented('a project\'s own plugin of our name, or its .config/goose/settings.json, in place of ours'),
    documented('a release before plugins have hooks, or one that does not know on_failure'),
    unknown('flags of one session, and variables that only the client\'s own start gives it'),
  ],
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { event: 'PreToolUse', session_id: 'praetorctl-sample', matcher_context: 'developer__shell', tool_name: 'developer__shell', tool_input: { command }, working_dir: workspace, tool_call_id: 'sample' } };
  },
  verdicts: {
    deny: documented('one JSON document and exit 2: blocks the call'),
    ask: documented('not offered to hooks: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('blocks the call with on_failure "block", as registered; releases before that key run the tool'),
    timeout: documented('blocks the call with on_failure "block", as registered; releases before that key run the tool'),
    missingBinary: documented('blocks every call with on_failure "block", as registered; releases before that key run the tool'),
    denyEffect: 'call',
  },
  gaps: [
    documented('a project\'s own .agents/plugins/praetorctl takes the place of the person\'s, and its .config/goose/settings.json can disable it'),
    documented('the client adds our plugin directory to "plugins" in config.yaml by itself, and leaves it there'),
    documented('servers of a plugin are called after it: extension praetorctl:<server>'),
    documented('a hooks.json with a value that the client does not know is left out as a whole, with a warning in its log'),
    documented('hooks of plugins need a release from 1.41 on'),
    unknown('whether tools of a subagent reach the hook was not looked at'),
  ],
};
