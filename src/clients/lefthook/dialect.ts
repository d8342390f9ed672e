// Contract: the dialect for git hook managers (lefthook, husky, pre-commit) and for people: exit 1 refuses with the reason on
// stderr, exit 0 prints one marker line. PURE. It is no client: it has no setup row and no registration of ours.
// What is judged comes as words (`--command TEXT`, `--paths P...`) or as one JSON document on standard input.
// Nobody can be asked in a git hook, so `ask` refuses too.
import {
  fault, own, say, sayError, sayNobodyAsks, stderrLine, text, workspaceOf, type HookDialect,
} from '../dialect-kit.ts';
import type { Answer } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';

const USAGE = 'usage: praetorctl hook lefthook pre-tool [--command TEXT | --paths PATH...]';
const PATHS_MAX = 10_000;

function marker(event: CanonicalEvent): Answer {
  return { stdout: `praetorctl: ok (lefthook ${event})\n`, stderr: '', exit: 0 };
}

function refusal(reason: string): Answer {
  return { stdout: '', stderr: stderrLine(reason), exit: 1 };
}

/** Words behind the event as the document that standard input would carry. */
function fromWords(words: readonly string[], cwd: string): JsonObject | DecodeFault {
  const [first, ...rest] = words;
  if (first === '--paths') return { paths: rest[0] === '--' ? rest.slice(1) : rest, cwd };
  if (first === '--command' && rest.length === 1) return { command: rest[0] ?? '', cwd };
  return fault(USAGE);
}

function toolOf(document: JsonObject): ToolCall | DecodeFault {
  const command = own(document, 'command');
  const paths = own(document, 'paths');
  if ((command === undefined) === (paths === undefined)) return fault('the document needs either "command" or "paths"');
  if (command !== undefined) {
    return typeof command === 'string' && !command.includes('\0') ? { name: 'command', kind: 'shell', command, input: document } : fault('"command" is not a string');
  }
  if (!Array.isArray(paths) || paths.length > PATHS_MAX) return fault('"paths" is not a list of paths');
  const names = paths.filter((path): path is string => typeof path === 'string' && path !== '' && !path.includes('\0'));
  return names.length === paths.length ? { name: 'paths', kind: 'file-write', paths: names, input: document } : fault('"paths" is not a list of paths');
}

function decode(event: CanonicalEvent, document: JsonObject): Payload | DecodeFault {
  if (own(document, '__proto__') !== undefined) return fault('the document has a "__proto__" key');
  const workspace = workspaceOf(document, 'cwd');
  if (typeof workspace === 'object') return workspace;
  const tool = event === 'pre-tool' || event === 'permission' ? toolOf(document) : undefined;
  if (tool !== undefined && 'fault' in tool) return tool;
  const sessionId = text(document, 'session_id');
  return {
    client: 'lefthook', event, stopActive: false, subagent: false, caller: 'unknown',
    ...(sessionId === undefined ? {} : { sessionId }), ...(workspace === undefined ? {} : { workspace }), ...(tool === undefined ? {} : { tool }),
  };
}

export const lefthookDialect: HookDialect = {
  id: 'lefthook',
  aliases: ['git-hook'],
  decode,
  fromWords,
  encode: (event, verdict) => {
    if (verdict.decision === 'deny') return refusal(say(verdict));
    return verdict.decision === 'ask' ? refusal(sayNobodyAsks(verdict)) : marker(event);
  },
  encodeError: (_event, reason) => refusal(sayError(reason)),
  neutral: marker,
  guarded: [],
};
