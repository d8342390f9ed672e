// Contract: Junie CLI's hook documents and answers. PURE. Read in the vendor's page of the Early Access version.
// Its documents name neither a session nor a directory. Deny is the document and exit 2. `ask` is documented and was never
// seen, and what it does without a terminal is not said, so it is degraded to deny.
import { decodeClaudeForm, saidOnce, saidTwice } from '../claude-form.ts';
import { refusingAnswers, splitMcp, type HookDialect, type ToolShape } from '../dialect-kit.ts';

const FILE_KEYS = ['file_path', 'path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Bash: { kind: 'shell', keys: ['command'] },
  Write: { kind: 'file-write', keys: FILE_KEYS },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};

export const junieDialect: HookDialect = {
  id: 'junie',
  aliases: [],
  decode: decodeClaudeForm({
    client: 'junie', shapes: SHAPES,
    mcp: (name) => (name.startsWith('mcp__') ? splitMcp(name.slice('mcp__'.length), '__') : undefined),
  }),
  ...refusingAnswers({
    deny: (_event, reason) => saidTwice({ decision: 'deny', reason }, reason),
    stop: (reason) => saidOnce({ decision: 'block', reason }),
  }),
  guarded: [{ path: '.junie/config.json', level: 'shared' }],
};
