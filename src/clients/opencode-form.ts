// Contract: the documents of our plugin for OpenCode and its forks, and its answers. PURE. Measured on OpenCode 1.18.33.
// The plugin (opencode/plugin.ts) is ours, so the form is ours too: deny is exit 0 and one document, silence with exit 0 lets
// the call go on, and everything else makes the plugin refuse. A plugin cannot ask anybody, so `ask` is degraded to deny.
import { asciiJson } from './ascii-json.ts';
import type { CallerMark } from './callers.ts';
import {
  decodeForm, fault, object, own, refusingAnswers, shapedCall, splitMcp, text,
  type HookDialect, type ToolShape,
} from './dialect-kit.ts';
import { patchPaths } from './patch-paths.ts';
import type { Answer } from '../model/dialect.ts';
import type { JsonObject } from '../model/json.ts';
import type { DecodeFault, ToolCall } from '../model/payload.ts';

const FILE_KEYS = ['filePath', 'file_path', 'path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  bash: { kind: 'shell', keys: ['command'], cwdKeys: ['workdir'] },
  write: { kind: 'file-write', keys: FILE_KEYS },
  edit: { kind: 'file-write', keys: FILE_KEYS },
  multiedit: { kind: 'file-write', keys: FILE_KEYS },
  read: { kind: 'file-read', keys: FILE_KEYS },
};
const PATCH_TOOLS = ['patch', 'apply_patch'];
/** Built-in names with an underscore, which otherwise stands between server and tool. */
const BUILT_IN = [
  'plan_enter', 'plan_exit', 'lsp_hover', 'lsp_diagnostics', 'doom_loop',
  // Of the fork Kilo, as 7.7.9 offers them to the model.
  'board_post', 'board_read', 'cancel_wakeup', 'cron_create', 'cron_delete', 'cron_list', 'kilo_local_recall', 'link_pr', 'schedule_wakeup',
];

export interface PluginClient extends Pick<HookDialect, 'id' | 'aliases' | 'guarded'> {
  /** Tools of this fork that run a command in some of their actions and have no "command" in the others. */
  readonly sometimesShell?: readonly string[];
}

function decodeTool(client: PluginClient, document: JsonObject): ToolCall | DecodeFault {
  const name = text(document, 'tool');
  if (name === undefined || name === '') return fault('"tool" is not a non-empty string');
  const input = object(document, 'args');
  if (input === undefined) return fault('"args" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"args" has a "__proto__" key');
  const callId = text(document, 'callID');
  const base = { name, input, ...(callId === undefined ? {} : { callId }) };
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, callId);
  if (PATCH_TOOLS.includes(name)) {
    const patch = text(input, 'patchText');
    return patch === undefined ? fault(`the input of tool "${name}" has no string "patchText"`) : { ...base, kind: 'file-write', paths: patchPaths(patch) };
  }
  if (client.sometimesShell?.includes(name) === true) {
    return own(input, 'command') === undefined ? { ...base, kind: 'other' } : shapedCall(name, { kind: 'shell', keys: ['command'], cwdKeys: ['workdir', 'cwd'] }, input, callId);
  }
  const split = BUILT_IN.includes(name) ? undefined : splitMcp(name, '_');
  return split === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp: split };
}

/**
 * The plugin gives its session to the hook alone: commands that the model runs get no variable of ours (measured on 1.18.33).
 * OPENCODE=1 and its like say nothing, a client sets them for the plugin's processes and for the model's.
 */
const MARK: CallerMark = { session: ['sessionID'], env: { PRAETORCTL_SHIM_SESSION: 'session' } };

function denial(reason: string): Answer {
  return { stdout: `${asciiJson({ decision: 'deny', reason })}\n`, stderr: '', exit: 0 };
}

export function pluginDialect(client: PluginClient): HookDialect {
  const { id, aliases, guarded } = client;
  return {
    id, aliases, guarded,
    decode: decodeForm({ client: id, workspace: 'directory', session: 'sessionID', tool: (document) => decodeTool(client, document) }),
    // The plugin registers no stop; a later one gets the words that it would need.
    ...refusingAnswers({ deny: (_event, reason) => denial(reason), stop: denial }),
    mark: MARK,
  };
}
