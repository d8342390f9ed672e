// Contract: the documents of our delegate program for Amp and its answers. PURE. Measured on 0.0.1790142911 with `permissions test`.
// The program (shim.ts) is ours, and it hands the exit on: 1 asks the person, 2 rejects with the text on stderr. Silence with
// exit 0 is no opinion; what Amp is then told is the program's business.
import type { CallerMark } from '../callers.ts';
import { patchCall, saidTwice } from '../claude-form.ts';
import { canBlock, decodeForm, fault, object, own, refusingAnswers, say, shapedCall, splitMcp, text, type HookDialect, type ToolShape } from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, ToolCall } from '../../model/payload.ts';

const SHELL: ToolShape = { kind: 'shell', keys: ['command', 'cmd'], cwdKeys: ['workdir', 'cwd'] };
const WRITE: ToolShape = { kind: 'file-write', keys: ['path'] };
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Bash: SHELL, shell_command: SHELL, async_shell_command: SHELL, create_file: WRITE, edit_file: WRITE, delete_file: WRITE,
};

function decodeTool(document: JsonObject): ToolCall | DecodeFault {
  const name = text(document, 'tool');
  if (name === undefined || name === '') return fault('"tool" is not a non-empty string');
  const input = object(document, 'args');
  if (input === undefined) return fault('"args" is not an object');
  if (own(input, '__proto__') !== undefined) return fault('"args" has a "__proto__" key');
  const shape = Object.prototype.hasOwnProperty.call(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape !== undefined) return shapedCall(name, shape, input, undefined);
  if (name === 'apply_patch') return patchCall(name, ['patchText', 'patch', 'input'], input);
  const mcp = name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined;
  return mcp === undefined ? { name, kind: 'other', input } : { name, kind: 'mcp', mcp, input };
}

/** The program gives its tool to the hook alone; Amp tells it no session. */
const MARK: CallerMark = { session: ['tool'], env: { PRAETORCTL_SHIM_TOOL: 'session' } };

function denial(reason: string): Answer {
  return saidTwice({ decision: 'deny', reason }, reason);
}

const refusing = refusingAnswers({ deny: (_event, reason) => denial(reason), stop: denial });

export const ampDialect: HookDialect = {
  id: 'amp',
  aliases: [],
  decode: decodeForm({ client: 'amp', workspace: 'directory', session: [], tool: decodeTool }),
  ...refusing,
  encode: (event, verdict, payload) => {
    if (verdict.decision !== 'ask' || !canBlock(event)) return refusing.encode(event, verdict, payload);
    return { ...saidTwice({ decision: 'ask', reason: say(verdict) }, say(verdict)), exit: 1 };
  },
  mark: MARK,
  guarded: [
    { path: '.config/amp/praetorctl-amp', level: 'hooks' },
    { path: '.config/amp/settings.json', level: 'shared' },
  ],
};
