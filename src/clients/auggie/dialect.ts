// Contract: Auggie's hook documents and answers. PURE. Read in the shipped bundle of 0.36.0; not run here (a login is needed).
// Deny is exit 0 and one document with hookSpecificOutput, so that the reason reaches the model. `ask` is accepted and then
// dropped, which runs the tool, so it is degraded to deny. Every exit code but 2 runs the tool.
import type { CallerMark } from '../callers.ts';
import { patchCall, preToolAnswer, saidOnce } from '../claude-form.ts';
import {
  decodeForm, fault, firstWorkspace, own, refusingAnswers, shapedCall, splitMcp, toolParts,
  type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const SHAPES: Readonly<Record<string, ToolShape>> = {
  'launch-process': { kind: 'shell', keys: ['command'], cwdKeys: ['cwd'] },
  // Text typed into a running shell.
  'write-process': { kind: 'shell', keys: ['input_text'] },
  'save-file': { kind: 'file-write', keys: ['path'] },
  'str-replace-editor': { kind: 'file-write', keys: ['path'] },
  view: { kind: 'file-read', keys: ['path'] },
};

const NAME_CHARS = 64;

/** Tools of a server are called `<tool>_<server>`, cut at 64 characters: the end of such a name says nothing. */
function mcpOf(name: string): NonNullable<ToolCall['mcp']> {
  const split = name.length < NAME_CHARS ? splitMcp(name, '_', 'tool-first') : undefined;
  return split ?? { server: '', tool: name, ambiguous: true };
}

function removed(name: string, input: JsonObject): ToolCall | DecodeFault {
  const paths = own(input, 'file_paths');
  const all = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  if (!Array.isArray(paths) || all.length !== paths.length) return fault(`the input of tool "${name}" has no list of strings "file_paths"`);
  return { name, kind: 'file-write', paths: all, input };
}

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input } = parts;
  if (own(document, 'is_mcp_tool') === true) return { name, kind: 'mcp', mcp: mcpOf(name), input };
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, undefined);
  if (name === 'apply_patch') return patchCall(name, ['input'], input);
  return name === 'remove-files' ? removed(name, input) : { name, kind: 'other', input };
}

/** The hook's own variables are set for hooks alone; the conversation must be the document's. */
const MARK: CallerMark = { session: ['conversation_id'], env: { AUGMENT_CONVERSATION_ID: 'session', AUGMENT_HOOK_EVENT: 'set' } };

export const auggieDialect: HookDialect = {
  id: 'auggie',
  aliases: ['augment'],
  decode: decodeForm({ client: 'auggie', workspace: firstWorkspace('workspace_roots'), session: 'conversation_id', tool: decodeTool }),
  ...refusingAnswers({
    deny: (_event, reason) => preToolAnswer('deny', reason),
    // Not registered, because nothing tells a second stop from the first; a later version gets the words that it would need.
    stop: (reason) => saidOnce({ hookSpecificOutput: { hookEventName: 'Stop', decision: 'block', reason } }),
  }),
  mark: MARK,
  guarded: [
    { path: '.augment/settings.json', level: 'shared' },
    { path: '.augment/settings.local.json', level: 'shared' },
  ],
};
