// Contract: Factory Droid's hook documents and answers: Claude Code's form with tools of its own. PURE. Measured on 0.215.0.
// Deny is exit 0 and one document with hookSpecificOutput: the client runs the tool after `decision: block` (documented) and
// after a flat `permissionDecision`. `ask` is ignored where permissions are skipped, so it is degraded to deny.
import { asciiJson } from '../ascii-json.ts';
import { blockStop, decodeClaudeForm } from '../claude-form.ts';
import {
  EMPTY, canBlock, fault, harmlessError, own, say, sayError, sayNobodyAsks, splitMcp,
  text, type HookDialect, type ToolShape,
} from '../dialect-kit.ts';
import { patchPaths } from '../patch-paths.ts';
import type { Answer, EnvMap } from '../../model/dialect.ts';
import type { CanonicalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { DecodeFault, Payload, ToolCall } from '../../model/payload.ts';
import type { Verdict } from '../../model/verdict.ts';

const FILE_KEYS = ['file_path', 'path'];
const SHAPES: Readonly<Record<string, ToolShape>> = {
  Execute: { kind: 'shell', keys: ['command'] },
  Create: { kind: 'file-write', keys: FILE_KEYS },
  Edit: { kind: 'file-write', keys: FILE_KEYS },
  MultiEdit: { kind: 'file-write', keys: FILE_KEYS },
  Read: { kind: 'file-read', keys: FILE_KEYS },
};

/** Offered with some models instead of Edit (documented). */
function patchCall(name: string, input: JsonObject): ToolCall | DecodeFault | undefined {
  if (name !== 'ApplyPatch') return undefined;
  const patch = [own(input, 'input'), own(input, 'patch')].find((value): value is string => typeof value === 'string');
  return patch === undefined ? fault('the input of tool "ApplyPatch" has no patch text') : { name, kind: 'file-write', paths: patchPaths(patch), input };
}

/**
 * Measured on 0.215.0: a hook gets fields of its document as variables (`session_id`, `tool_name`) and FACTORY_PROJECT_DIR;
 * commands that the model runs get none of them.
 */
function isCaller(document: JsonObject, env: EnvMap): boolean {
  const session = text(document, 'session_id');
  return session !== undefined && session !== '' && env['session_id'] === session && env['FACTORY_PROJECT_DIR'] !== undefined;
}

/** At a permission request, which no measured version has, the same words would be said. */
function denial(reason: string): Answer {
  const output = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason };
  return { stdout: `${asciiJson({ hookSpecificOutput: output })}\n`, stderr: '', exit: 0 };
}

function encode(event: CanonicalEvent, verdict: Verdict, payload: Payload): Answer {
  if (verdict.decision === 'neutral' || verdict.decision === 'allow') return EMPTY;
  if (canBlock(event)) return denial(verdict.decision === 'deny' ? say(verdict) : sayNobodyAsks(verdict));
  return event === 'stop' || event === 'subagent-stop' ? blockStop(verdict, payload) : EMPTY;
}

export const droidDialect: HookDialect = {
  id: 'droid',
  aliases: ['factory'],
  decode: decodeClaudeForm({
    client: 'droid', shapes: SHAPES, isCaller, special: patchCall,
    mcp: (name) => splitMcp(name, '___'),
  }),
  encode,
  encodeError: (event, reason) => (canBlock(event) ? denial(sayError(reason)) : harmlessError(reason)),
  neutral: () => EMPTY,
  isCaller,
  guarded: [
    { path: '.factory/hooks.json', level: 'hooks' },
    { path: '.factory/settings.json', level: 'shared' },
    { path: '.factory/mcp.json', level: 'shared' },
  ],
};
