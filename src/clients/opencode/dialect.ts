// Contract: the documents of our OpenCode plugin and its answers. PURE. Measured on 1.18.33.
// The plugin (plugin.ts) is ours, so the form is ours too: deny is exit 0 and one document, silence with exit 0 lets the call
// go on, and everything else makes the plugin refuse. A plugin cannot ask anybody, so `ask` is degraded to deny.
import { asciiJson } from '../ascii-json.ts';
import type { CallerMark } from '../callers.ts';
import {
  decodeForm, fault, object, own, refusingAnswers, shapedCall, splitMcp, text,
  type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import { patchPaths } from '../patch-paths.ts';
import type { Answer } from '../../model/dialect.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

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
const BUILT_IN = ['plan_enter', 'plan_exit', 'lsp_hover', 'lsp_diagnostics', 'doom_loop'];

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
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
  const split = BUILT_IN.includes(name) ? undefined : splitMcp(name, '_');
  return split === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp: split };
}

/**
 * The plugin gives its session to the hook alone: commands that the model runs get no variable of ours (measured on 1.18.33).
 * OPENCODE=1 says nothing, the client sets it for the plugin's processes and for the model's.
 */
const MARK: CallerMark = { session: ['sessionID'], env: { PRAETORCTL_SHIM_SESSION: 'session' } };

function denial(reason: string): Answer {
  return { stdout: `${asciiJson({ decision: 'deny', reason })}\n`, stderr: '', exit: 0 };
}

export const opencodeDialect: HookDialect = {
  id: 'opencode',
  aliases: [],
  decode: decodeForm({ client: 'opencode', workspace: 'directory', session: 'sessionID', tool: decodeTool }),
  // The plugin registers no stop; a later one gets the words that it would need.
  ...refusingAnswers({ deny: (_event, reason) => denial(reason), stop: denial }),
  mark: MARK,
  guarded: [
    { path: '.config/opencode/plugins/praetorctl.js', level: 'hooks' },
    { path: '.opencode/plugins/praetorctl.js', level: 'hooks' },
    { path: '.config/opencode/opencode.json', level: 'shared' },
  ],
};
