// Contract: the body of the plugin file of OpenCode and its forks, and the surfaces that their rows share. The plugin has no
// dependency, keeps no state and decides nothing: it asks the command in COMMANDS (a line that the generator puts before it)
// and refuses the call wherever there is no clear answer. PURE.
// Nothing is thrown outside the two functions that the client calls: a plugin that fails to load is left out in silence.
import type { HookEvent, HookSurface, McpServer, McpSurface } from '../../model/client.ts';
import type { JsonObject } from '../../model/json.ts';
import { httpEntry, strings, respelled } from '../mcp-kit.ts';
import { commandHandler, topLevelArrays } from '../registration.ts';

export const PLUGIN_BODY = `import { spawnSync } from "node:child_process";

const ANSWER_MS_MAX = 30000;
const ANSWER_BYTES_MAX = 1048576;

function ask(native, document) {
  return spawnSync(COMMANDS[native], {
    shell: true, input: JSON.stringify(document), encoding: 'utf8', timeout: ANSWER_MS_MAX, maxBuffer: ANSWER_BYTES_MAX, windowsHide: true,
    env: { ...process.env, PRAETORCTL_SHIM_SESSION: document.sessionID },
  });
}

// Undefined where the call may go on, else why not. Only silence with exit 0 lets a call pass.
function refusal(run) {
  // EPIPE: the program ended before it read the call; its exit says more, but it never counts as an answer.
  const unread = run.error && run.error.code === 'EPIPE';
  if (run.error && !unread) return 'the guard gave no answer (' + (run.error.code || 'unknown') + ')';
  if (run.signal) return 'the guard was ended by ' + run.signal;
  if (run.status !== 0) return 'the guard ended with exit ' + run.status + (run.status === 127 ? ': praetorctl is not on PATH' : '');
  if (unread) return 'the guard did not read the call';
  if (run.stdout.trim() === '') return undefined;
  try {
    const answer = JSON.parse(run.stdout);
    if (answer.decision === 'deny' && typeof answer.reason === 'string') return answer.reason;
  } catch {}
  return 'the guard gave an answer that cannot be read';
}

export const Praetorctl = async ({ directory, worktree }) => {
  const documentOf = (input, args) => ({ tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: args || {}, directory, worktree });
  const hooks = {};
  if (COMMANDS['tool.execute.before']) {
    hooks['tool.execute.before'] = async (input, output) => {
      const reason = refusal(ask('tool.execute.before', documentOf(input, output.args)));
      if (reason !== undefined) throw new Error(reason);
    };
  }
  if (COMMANDS['tool.execute.after']) {
    hooks['tool.execute.after'] = async (input) => {
      ask('tool.execute.after', documentOf(input, input.args));
    };
  }
  if (COMMANDS['session.created']) {
    hooks.event = async ({ event }) => {
      if (event.type === 'session.created') ask('session.created', { sessionID: event.properties.sessionID, directory, worktree });
    };
  }
  return hooks;
};
`;

// The plugin's own limit; the client has none and waits.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'tool.execute.before', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'tool.execute.after', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'session.created', timeout: TIMEOUT_SECONDS, flat: true },
];

export const PLUGIN_HOOKS: HookSurface = {
  shape: 'artefact', timeoutUnit: 's', events: EVENTS, positional: false,
  arrayPath: (native) => [native],
  arrays: topLevelArrays,
  handler: commandHandler(() => ({ body: PLUGIN_BODY })),
};

/** Measured on OpenCode 1.18.33 and Kilo 7.7.9: `${NAME}` reaches the server as it is written, `{env:NAME}` is the value. */
function mcpEntry(given: McpServer): JsonObject {
  const server = respelled(given, (name) => `{env:${name}}`);
  if (server.kind === 'http') return { type: 'remote', ...httpEntry(server, 'url'), enabled: true };
  const environment = Object.keys(server.env).length > 0 ? { environment: strings(server.env) } : {};
  return { type: 'local', command: [server.command, ...server.args], ...environment, enabled: true };
}

export const PLUGIN_MCP: McpSurface = {
  key: 'mcp', ownedKeys: ['type', 'command', 'environment', 'url', 'headers', 'enabled'], toolNaming: '<server>_<tool>',
  validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
  entry: (server) => ({ ok: true, entry: mcpEntry(server) }),
};

export function pluginSample(command: string, workspace: string): JsonObject {
  return { tool: 'bash', sessionID: 'praetorctl-sample', callID: 'sample', args: { command, description: 'sample' }, directory: workspace, worktree: workspace };
}
