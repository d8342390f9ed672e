// Contract: Crush's hook documents and answers: Claude Code's form with tools and words of its own. PURE. Read in its sources.
// Deny is one document and exit 2. An `allow` would skip the client's own dialog and is never said; an `ask` it has not.
import type { CallerMark } from '../callers.ts';
import { decodeClaudeForm, saidTwice } from '../claude-form.ts';
import { own, refusingAnswers, splitMcp, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';

const FILE_KEYS = ['file_path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  bash: { kind: 'shell', keys: ['command'], cwdKeys: ['working_dir'] },
  write: { kind: 'file-write', keys: FILE_KEYS },
  edit: { kind: 'file-write', keys: FILE_KEYS },
  multiedit: { kind: 'file-write', keys: FILE_KEYS },
  download: { kind: 'file-write', keys: FILE_KEYS },
  view: { kind: 'file-read', keys: FILE_KEYS },
};

/** The variables stand in hooks and in nothing that the model runs, as far as its sources say. */
const MARK: CallerMark = { session: ['session_id'], env: { CRUSH_SESSION_ID: 'session', CRUSH_EVENT: 'set' } };

const decode = decodeClaudeForm({
  client: 'crush', shapes: SHAPES,
  mcp: (name) => (name.startsWith('mcp_') ? splitMcp(name.slice('mcp_'.length), '_') : undefined),
});

/** Releases before the present form sent the input as JSON text. */
function withInput(document: JsonObject): JsonObject {
  const input = own(document, 'tool_input');
  if (typeof input !== 'string') return document;
  try {
    const parsed = JSON.parse(input) as JsonValue;
    return isObject(parsed) ? { ...document, tool_input: parsed } : document;
  } catch {
    return document;
  }
}

function denial(reason: string): Answer {
  return saidTwice({ decision: 'deny', reason }, reason);
}

export const crushDialect: HookDialect = {
  id: 'crush',
  aliases: [],
  decode: (event, document, env) => decode(event, withInput(document), env),
  // It has neither a permission event nor a stop; a later one gets the same words.
  ...refusingAnswers({ deny: (_event, reason) => denial(reason), stop: denial }),
  mark: MARK,
  guarded: [
    { path: '.config/crush/crush.json', level: 'shared' },
    { path: '.config/crush/crushrc', level: 'shared' },
  ],
};
