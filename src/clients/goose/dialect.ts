// Contract: Goose's hook documents and answers. PURE. Read in its documents.
// Deny is the document and exit 2. Silence with exit 0 allows; anything else is no decision, which the registration's
// `on_failure: block` turns into a refusal. There is no `ask`.
import { saidOnce, saidTwice } from '../claude-form.ts';
import { decodeForm, refusingAnswers, shapedCall, splitMcp, toolParts, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const FILE_KEYS = ['path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  shell: { kind: 'shell', keys: ['command'] },
  write: { kind: 'file-write', keys: FILE_KEYS },
  edit: { kind: 'file-write', keys: FILE_KEYS },
  // Of releases before: view, write, str_replace and undo in one tool.
  text_editor: { kind: 'file-write', keys: FILE_KEYS },
};
const BUILT_IN = 'developer__';
/** Servers of our plugin are called after it; that the colon becomes an underscore in a tool's name is not documented. */
const OUR_SERVERS = /^praetorctl[:_]/;

/** Every tool is `<extension>__<tool>`; the built-in one's own may also come without the extension. */
function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const parts = toolParts(document);
  if ('fault' in parts) return parts;
  const { name, input, callId } = parts;
  const short = name.startsWith(BUILT_IN) ? name.slice(BUILT_IN.length) : name;
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, short) ? SHAPES[short] : undefined;
  if (shape !== undefined) {
    const call = shapedCall(short, shape, input, callId);
    return 'fault' in call ? call : { ...call, name };
  }
  const mcp = name.startsWith(BUILT_IN) ? undefined : splitMcp(name.replace(OUR_SERVERS, ''), '__');
  const base = { name, input, ...(callId === undefined ? {} : { callId }) };
  return mcp === undefined ? { ...base, kind: 'other' } : { ...base, kind: 'mcp', mcp };
}

export const gooseDialect: HookDialect = {
  id: 'goose',
  aliases: [],
  decode: decodeForm({ client: 'goose', workspace: 'working_dir', session: 'session_id', tool: decodeTool }),
  ...refusingAnswers({
    deny: (_event, reason) => saidTwice({ decision: 'block', reason }, reason),
    stop: (reason) => saidOnce({ decision: 'block', reason }),
  }),
  guarded: [
    { path: '.agents/plugins/praetorctl/hooks/hooks.json', level: 'hooks' },
    { path: '.agents/plugins/praetorctl/.mcp.json', level: 'hooks' },
    { path: '.config/goose/config.yaml', level: 'shared' },
  ],
};
