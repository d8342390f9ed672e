// Contract: Windsurf's row (Cascade hooks). Documented; nothing was run here. PURE.
import type { ClientDefinition, Finding, HookEvent } from '../../model/client.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { httpEntry, respelled, stdioEntry } from '../mcp-kit.ts';
import { STRICT_JSON } from '../mcp-only.ts';
import { wrappedArrays } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { windsurfManaged } from './managed.ts';

// No timeout can be set. Reading a file is left out: the guard judges it, but each read would start a process.
const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'pre_run_command', timeout: 0, flat: true },
  { canonical: 'pre-tool', native: 'pre_mcp_tool_use', timeout: 0, flat: true },
  { canonical: 'pre-tool', native: 'pre_write_code', timeout: 0, flat: true },
  { canonical: 'post-tool', native: 'post_run_command', timeout: 0, flat: true },
  { canonical: 'post-tool', native: 'post_mcp_tool_use', timeout: 0, flat: true },
  { canonical: 'post-tool', native: 'post_write_code', timeout: 0, flat: true },
  { canonical: 'prompt', native: 'pre_user_prompt', timeout: 0, flat: true },
];

function lintHooks(document: JsonObject): Finding[] {
  const { hooks } = document;
  if (hooks === undefined || isObject(hooks)) return [];
  return [{ id: 'windsurf.hooks-type', effect: 'file', certain: true, path: ['hooks'], message: 'hooks is not an object', fix: 'make hooks an object' }];
}

export const windsurf: ClientDefinition = {
  id: 'windsurf', name: 'Windsurf', aliases: ['cascade'], vendor: 'Cognition',
  seenOn: documented('the vendor\'s pages; not run'),
  binaries: ['windsurf'],
  installPaths: () => [], apps: ['Windsurf.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: ({ platform, home, project }) => {
    const dir = joinPath(platform, home, '.codeium', 'windsurf');
    return {
      diagnostics: [],
      paths: {
        dir, hooks: joinPath(platform, dir, 'hooks.json'), mcp: joinPath(platform, dir, 'mcp_config.json'),
        projectHooks: joinPath(platform, project, '.windsurf', 'hooks.json'),
      },
    };
  },
  files: ({ paths }, scope) => {
    const user = scope === 'user';
    return [
      { role: 'hooks', scope, path: (user ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: STRICT_JSON, secret: false },
      ...(user ? [{ role: 'mcp', scope, path: paths['mcp'] ?? '', format: 'json', tolerance: STRICT_JSON, secret: true } as const] : []),
    ];
  },
  hooks: {
    shape: 'wrapped', timeoutUnit: 's', events: EVENTS, positional: false,
    arrayPath: (native) => ['hooks', native],
    arrays: wrappedArrays,
    handler: {
      // The reason of a refusal is only seen where the output is shown. Windows reads `powershell`, the others `command`.
      make: (command) => ({ command, powershell: command, show_output: true }),
      commandOf: (handler) => handler['command'],
    },
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'serverUrl', 'headers'], toolNaming: 'fields mcp_server_name and mcp_tool_name',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      const spelled = respelled(server, (name) => `\${env:${name}}`);
      return { ok: true, entry: spelled.kind === 'stdio' ? stdioEntry(spelled) : httpEntry(spelled, 'serverUrl') };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lintHooks(document)),
  evidenceFiles: () => [],
  switches: () => [],
  silent: [{ id: 'windsurf.hooks-type', looks: 'hooks is not an object', fix: 'make hooks an object', basis: 'documented' }],
  managed: windsurfManaged,
  afterApply: ['press refresh in the MCP panel of Cascade'],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return {
      command,
      payload: {
        agent_action_name: 'pre_run_command', trajectory_id: 'praetorctl-sample', execution_id: 'sample', timestamp: '2026-01-01T00:00:00Z',
        tool_info: { command_line: command, cwd: workspace },
      },
    };
  },
  verdicts: {
    deny: documented('exit 2 with the reason on stderr blocks the action'),
    ask: documented('there is no ask: degraded to deny'),
    neutral: documented('exit 0 and empty stdout'),
    crash: documented('the action goes on, unless it is exit 2'),
    timeout: unknown('not documented'),
    missingBinary: documented('the action goes on'),
    denyEffect: 'call',
  },
  gaps: [
    documented('nothing in the document or the environment says that Cascade itself runs the hook: receipts stay without a caller, and verify never calls it observed'),
    documented('there is no session event and no stop that can be refused'),
    documented('reading a file (pre_read_code) passes no hook of ours'),
    documented('hooks of the system and of the vendor\'s dashboard run beside ours'),
    unknown('the plugin for JetBrains editors reads another path'),
    unknown('whether comments, trailing commas or a BOM are read: strict JSON is assumed'),
  ],
};
