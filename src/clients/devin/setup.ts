// Contract: Devin Local's row. Documented; nothing was run here. PURE.
// The user's hooks stand in config.json under `hooks`; in a project the map of events is a file of its own, hooks.v1.json.
import type { ClientDefinition, Finding, HookEvent } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { hasReference, httpEntry, stdioEntry } from '../mcp-kit.ts';
import { STRICT_JSON } from '../mcp-only.ts';
import { commandHandler, topLevelArrays, wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';

const TIMEOUT_SECONDS = 30;

// No matcher: the list of tools that change something is not documented as complete.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS },
  { canonical: 'permission', native: 'PermissionRequest', timeout: TIMEOUT_SECONDS },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-start', native: 'SessionStart', timeout: TIMEOUT_SECONDS },
  { canonical: 'session-end', native: 'SessionEnd', timeout: TIMEOUT_SECONDS },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS },
];

function lintHooks(document: JsonObject): Finding[] {
  const { hooks } = document;
  if (hooks === undefined || isObject(hooks)) return [];
  return [{ id: 'devin.hooks-type', effect: 'hooks', certain: true, path: ['hooks'], message: 'hooks is not an object', fix: 'make hooks an object' }];
}

export const devin: ClientDefinition = {
  id: 'devin', name: 'Devin Local', aliases: [], vendor: 'Cognition',
  seenOn: documented('the vendor\'s pages and another tool\'s sources; not run'),
  binaries: ['devin'],
  installPaths: ({ platform, home }) => [joinPath(platform, home, '.local', 'bin', platform === 'win32' ? 'devin.exe' : 'devin')],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.config', 'devin');
    return {
      diagnostics: [],
      paths: {
        dir, config: joinPath(platform, dir, 'config.json'), mcp: joinPath(platform, dir, 'mcp_config.json'),
        projectMcp: joinPath(platform, project, '.devin', 'mcp_config.json'), projectHooks: joinPath(platform, project, '.devin', 'hooks.v1.json'),
        claude: joinPath(platform, home, '.claude', 'settings.json'), projectClaude: joinPath(platform, project, '.claude', 'settings.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      user ? { role: 'hooks', scope, path: paths['config'] ?? '', format: 'json', tolerance: STRICT_JSON, secret: true }
        : { role: 'hooks', scope, path: paths['projectHooks'] ?? '', format: 'json', tolerance: STRICT_JSON, secret: false, eventsAt: [] },
      { role: 'mcp', scope, path: (user ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: STRICT_JSON, secret: user },
    ];
  },
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: (document) => (document['hooks'] === undefined ? topLevelArrays(document) : wrappedArrays(document)),
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'serverUrl', 'headers'], toolNaming: 'mcp__<server>__<tool>',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      if (server.kind === 'http') return { ok: true, entry: httpEntry(server, 'serverUrl') };
      if (Object.values(server.env).some(hasReference)) return { ok: false, why: 'Devin Local is not known to expand variables in env' };
      return { ok: true, entry: stdioEntry(server) };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: () => [],
  switches: () => [],
  runsHooksOf: ({ paths }) => [
    { client: 'claude', scope: 'user', path: paths['claude'] ?? '', fact: documented('hooks in .claude of the person') },
    { client: 'claude', scope: 'project', path: paths['projectClaude'] ?? '', fact: documented('hooks in .claude of a project') },
  ],
  silent: [
    { id: 'devin.hooks-type', looks: 'hooks is not an object', fix: 'make hooks an object', basis: 'documented' },
  ],
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { session_id: 'praetorctl-sample', cwd: workspace, hook_event_name: 'PreToolUse', tool_name: 'exec', tool_input: { command, shell_id: 'main' } } };
  },
  verdicts: {
    deny: documented('exit 2, and a block decision on stdout, block the call'),
    ask: documented('there is no ask: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('an older page says that any other exit code blocks, a newer one that it is logged and the tool runs'),
    timeout: unknown('not documented'),
    missingBinary: unknown('not documented'),
    denyEffect: 'call',
  },
  gaps: [
    documented('hooks in .claude of the person and of a project are run too: a call may be judged twice'),
    unknown('the complete list of tools; a tool that is not known here is not judged by its content'),
    unknown('whether commands that the model runs get DEVIN_PROJECT_DIR too'),
    unknown('whether comments, trailing commas or a BOM are read: strict JSON is assumed'),
  ],
};
