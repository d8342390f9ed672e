// Contract: Cline CLI's row. Measured on 3.0.65, Linux; what is only documented says so. PURE.
// Cline has no hook commands: it runs every file that bears the name of an event, so each event gets a generated file of ours.
// `.js`, because an ending says on every platform by which program a file is run; the mode of the file does not matter.
import type { ClientDefinition, FileSpec, HookEvent, McpServer } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { JsonObject } from '../../model/json.ts';
import { overrideDir, overridePath } from '../../roots/overrides.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, measuredOn } from '../facts.ts';
import { httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler, topLevelArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { clineProve } from './prove.ts';
import { SHIM_BODY } from './shim.ts';
import { CLINE_SILENT, CLINE_UNSEEN } from './silent.ts';

const SHIM: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: true };
// With a comment or a BOM the client ends with an error.
const MCP: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

// The hook file's own limit; the client's is fixed at 120 s and then runs the tool.
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'post-tool', native: 'PostToolUse', timeout: TIMEOUT_SECONDS, flat: true },
  { canonical: 'session-start', native: 'TaskStart', timeout: TIMEOUT_SECONDS, flat: true, note: 'not waited for' },
  { canonical: 'prompt', native: 'UserPromptSubmit', timeout: TIMEOUT_SECONDS, flat: true, note: 'not waited for; does not fire for a prompt on the command line' },
  { canonical: 'stop', native: 'TaskComplete', timeout: TIMEOUT_SECONDS, flat: true, note: 'not waited for, so it cannot ask the model to go on' },
];

function mcpEntry(server: McpServer): JsonObject {
  return server.kind === 'stdio' ? stdioEntry(server) : { type: 'streamableHttp', ...httpEntry(server, 'url') };
}

const measured = measuredOn('3.0.65');

export const cline: ClientDefinition = {
  id: 'cline', name: 'Cline CLI', aliases: ['cline-cli'], vendor: 'Cline Bot',
  seenOn: measured('3.0.65 on Linux'),
  binaries: ['cline'],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = overrideDir(context, 'cline', 'CLINE_DIR') ?? joinPath(platform, home, '.cline');
    const data = overrideDir(context, 'cline', 'CLINE_DATA_DIR') ?? joinPath(platform, dir, 'data');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks'), projectHooks: joinPath(platform, project, '.cline', 'hooks'),
        mcp: overridePath(context, 'cline', 'CLINE_MCP_SETTINGS_PATH') ?? joinPath(platform, data, 'settings', 'cline_mcp_settings.json'),
        ...Object.fromEntries(EVENTS.flatMap(({ native }) => [
          [native, joinPath(platform, dir, 'hooks', `${native}.js`)], [`project${native}`, joinPath(platform, project, '.cline', 'hooks', `${native}.js`)],
        ])),
      },
    };
  },
  // A project has no servers' file.
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    const hooks = EVENTS.map(({ native }): FileSpec => ({
      role: 'hooks', scope, path: paths[user ? native : `project${native}`] ?? '', format: 'artefact', natives: [native], tolerance: SHIM, secret: false, linksIgnored: true,
    }));
    return user ? [...hooks, { role: 'mcp', scope, path: paths['mcp'] ?? '', format: 'json', tolerance: MCP, secret: true }] : hooks;
  },
  hooks: {
    shape: 'artefact', timeoutUnit: 's', events: EVENTS, positional: false, runner: 'node',
    arrayPath: (native) => [native],
    arrays: topLevelArrays,
    handler: commandHandler(() => ({ body: SHIM_BODY })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['type', 'command', 'args', 'env', 'url', 'headers'], toolNaming: '<server>__<tool>',
    // In other names the client replaces characters and adds a hash, and then no rule would know the server.
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => ({ ok: true, entry: mcpEntry(server) }),
  },
  lint: () => [],
  evidenceFiles: () => [],
  switches: () => [], silent: CLINE_SILENT, unseen: CLINE_UNSEEN,
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return {
      command,
      payload: {
        clineVersion: '', timestamp: '2026-01-01T00:00:00.000Z', taskId: 'praetorctl-sample', workspaceRoots: [workspace], agent_id: 'sample', parent_agent_id: null,
        hookName: 'tool_call', tool_call: { id: 'sample', name: 'run_commands', input: { commands: [command] } },
      },
    };
  },
  prove: clineProve,
  verdicts: {
    deny: measured('`cancel` stops the whole task; the call does not run, and neither the model nor the output of a run says the reason'),
    ask: { text: 'a hook cannot ask: degraded to deny, which stops the task', basis: 'measured', versions: '3.0.65' },
    neutral: measured('exit 0 and empty stdout'),
    crash: measured('the hook file stops the task where the guard ends without a clear answer; where the hook file itself cannot run, the tool runs'),
    timeout: measured('the hook file stops the task after its own 30 s'),
    missingBinary: measured('the hook file stops the task at every call; without node on its PATH the client runs every call'),
    denyEffect: 'task',
  },
  gaps: [
    measured('a deny cannot be answered by the model: the task is over, and the reason stands only in praetorctl receipts list'),
    measured('hook files are run by node from the PATH of the client; without it they are left out in silence'),
    measured('a hook file that is a symbolic link is left out in silence'),
    documented('names of MCP tools with other characters than letters, digits, _ and -, or longer than the limit, are changed and end in a hash'),
    documented('a hub that runs in the background keeps the PATH with which it was started'),
  ],
};
