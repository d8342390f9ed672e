// Contract: payload + facts -> verdict and the trail of every rule considered. The hook, `policy test` and `policy explain`
// call this one function. PURE, bounded, linear in the command's length, never throws for any text.
// deny beats ask beats neutral; among equals the first in the command line wins.
import type { Payload, ToolCall } from '../model/payload.ts';
import { NEUTRAL, type Verdict } from '../model/verdict.ts';
import { CANARY_RULES } from './canary.ts';
import { resolvePath } from './paths.ts';
import { FILE_RULES, pathMatch } from './rules-files.ts';
import { GIT_RULES } from './rules-git.ts';
import { parseShell } from './shell-parse.ts';
import { plainCommand } from './shell-plain.ts';
import type { Also, Effective, Evaluation, Match, Place, PolicyFacts, Rule, Span, TrailStep } from './types.ts';
import { unwrap } from './unwrap.ts';

/** A longer command line is not read: a person is asked. */
export const COMMAND_CHARS_MAX = 64 * 1024;
/** `sh -c "sh -c ..."`: deeper text is not read. */
export const SHELLS_DEEP_MAX = 8;
export const TRAIL_STEPS_MAX = 1000;

const UNREAD = 'shell.unread';
const UNREAD_REASON = 'This command line is too long or too deeply nested to be judged. Split it into shorter commands or put it into a script file.';

export const RULES: readonly Rule[] = [...GIT_RULES, ...FILE_RULES, ...CANARY_RULES];

interface Run {
  readonly facts: PolicyFacts;
  readonly trail: TrailStep[];
  verdict: Verdict;
  cwd: string | undefined;
  /** Commands parsed so far, over all nested texts. */
  texts: number;
}

export function evaluate(payload: Payload, facts: PolicyFacts): Evaluation {
  const run: Run = { facts, trail: [], verdict: NEUTRAL, cwd: facts.workspace, texts: 0 };
  const tool = payload.tool;
  if (tool?.kind === 'shell') shell(tool, run);
  else if (tool?.kind === 'file-write') files(tool, run);
  return { verdict: run.verdict, trail: run.trail };
}

function files(tool: ToolCall, run: Run): void {
  const place: Place = { facts: run.facts, cwd: run.cwd };
  let seen = false;
  for (const path of tool.paths ?? []) {
    const home = path === '~' || path.startsWith('~/') ? run.facts.home : undefined;
    const found = pathMatch(home === undefined ? path : home + path.slice(1), place);
    if (found === undefined) continue;
    seen = true;
    note(run, { rule: found.rule, result: found.match.decision });
    decide(run, found.rule, found.match);
  }
  if (!seen) note(run, { rule: 'self.files', result: 'none' });
}

function shell(tool: ToolCall, run: Run): void {
  if (tool.cwd !== undefined) run.cwd = resolvePath(tool.cwd, { facts: run.facts, cwd: run.cwd });
  script(tool.command ?? '', undefined, 0, run);
}

/** Judges one text. `outer` is where a nested text stands in the command line as given. */
function script(source: string, outer: Span | undefined, depth: number, run: Run): void {
  if (source.length > COMMAND_CHARS_MAX || depth > SHELLS_DEEP_MAX || ++run.texts > 256) return unread(outer, run);
  const { commands, overflow } = plainCommand(source) ?? parseShell(source);
  for (const command of commands) {
    const { effective, nested, unresolved } = unwrap(command);
    const whole: Span = outer ?? [command.start, command.end];
    if (unresolved) note(run, { rule: 'shell.unresolved', result: 'unresolved', span: whole });
    judge(effective, outer, whole, run);
    for (const inner of nested) script(inner.source, outer ?? (inner.at === undefined ? whole : [inner.at.start, inner.at.end]), depth + 1, run);
    if (effective.program === 'cd') changeDirectory(effective, run);
  }
  if (overflow) unread(outer, run);
}

function unread(span: Span | undefined, run: Run): void {
  note(run, span === undefined ? { rule: UNREAD, result: 'ask' } : { rule: UNREAD, result: 'ask', span });
  decide(run, UNREAD, { decision: 'ask', reason: UNREAD_REASON });
}

function judge(effective: Effective, outer: Span | undefined, whole: Span, run: Run): void {
  const place: Place = { facts: run.facts, cwd: run.cwd };
  for (const rule of RULES) {
    if (!concerns(rule, effective)) continue;
    const hit = rule.check(effective, place);
    const match: Match | undefined = hit === undefined ? undefined : { decision: 'deny', reason: rule.reason, ...hit };
    const span: Span = outer ?? (match?.at === undefined ? whole : [match.at.start, match.at.end]);
    note(run, { rule: rule.id, result: match?.decision ?? 'none', span });
    if (match !== undefined) decide(run, rule.id, match);
  }
}

function concerns(rule: Rule, { program, assigns, command }: Effective): boolean {
  if (rule.programs.includes(program)) return true;
  const also = (what: Also): boolean => rule.also === what || (Array.isArray(rule.also) && rule.also.includes(what));
  return (assigns.length > 0 && also('assigns')) || (command.redirects.length > 0 && also('redirects')) || (command.input.length > 0 && also('inputs'));
}

function decide(run: Run, rule: string, match: Match): void {
  const stronger = run.verdict.decision === 'neutral' || (run.verdict.decision === 'ask' && match.decision === 'deny');
  if (stronger) run.verdict = { decision: match.decision, rule, reason: match.reason };
}

function note(run: Run, step: TrailStep): void {
  if (run.trail.length < TRAIL_STEPS_MAX) run.trail.push(step);
}

/** `cd` moves the rest of the line; an unresolved target makes the directory unknown. */
function changeDirectory(effective: Effective, run: Run): void {
  const target = effective.args.find((word) => word.text[0] !== '-' || word.text === '-');
  if (target === undefined) run.cwd = run.facts.home;
  else run.cwd = target.dynamic || target.text === '-' ? undefined : resolvePath(target.text, { facts: run.facts, cwd: run.cwd });
}
