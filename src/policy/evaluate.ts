// Contract: payload + facts -> verdict and the trail of every rule considered. The hook, `policy test` and `policy explain`
// call this one function. PURE, bounded by steps, never throws for any text.
// deny beats ask beats what is unresolved beats neutral; among equals the first in the command line wins.
import type { Payload, ToolCall } from '../model/payload.ts';
import { NEUTRAL, type Verdict } from '../model/verdict.ts';
import { liftedBy, operatorFileFindings, operatorFindings, type OperatorFindings } from './operator-match.ts';
import { NO_OPERATOR_RULES, type OperatorRule } from './operator.ts';
import { DEFAULT_POLICY, levelFor, type PolicySettings, type RuleInfo } from './pack.ts';
import { resolvePath } from './paths.ts';
import { isPlain } from './gate.ts';
import { alsoRules, probeRules, rulesOf, toolRules } from './registry.ts';
import { plainCommand } from './shell-plain.ts';
import { NO_INPUT, Env, Meter, OUT_OF_STEPS, OutOfSteps, STEPS_MAX, type Frame } from './shell/state.ts';
import { parseBash } from './shell/bash.ts';
import { Walker, type Seen } from './shell/walk.ts';
import { languages } from './shell/langs.ts';
import type { CommandView, Effective, Evaluation, Hit, Place, PolicyFacts, Rule, Span, TrailStep } from './types.ts';

export { STEPS_MAX };

/** A longer command line is not read: a person is asked. */
export const COMMAND_CHARS_MAX = 256 * 1024;
export const TRAIL_STEPS_MAX = 1000;
const VIEWS_MAX = 500;

const UNREAD = 'shell.unread';
const UNREAD_REASON = 'This command line is too long or too deeply nested to be judged. Split it into shorter commands or put it into a script file.';
const UNRESOLVED = 'shell.unresolved';
const UNRESOLVED_REASON = 'What this would run cannot be known from its text: a program or a script comes from a variable, a substitution or a pipe. Write the command out literally, or ask the person.';
const BROKEN_REASON = 'This is not valid shell syntax, and it names a command that can do damage. Write it with balanced quotes and brackets.';

const NOTHING_FOUND: OperatorFindings = { match: undefined, allows: [], considered: [] };

export function evaluate(payload: Payload, facts: PolicyFacts): Evaluation {
  return new Judgement(facts).tool(payload.tool);
}

class Judgement {
  private readonly facts: PolicyFacts;
  private readonly settings: PolicySettings;
  private readonly trail: TrailStep[] = [];
  private readonly commands: CommandView[] = [];
  private readonly meter = new Meter();
  private verdict: Verdict = NEUTRAL;
  /** 0 neutral, 1 unresolved, 2 ask, 3 deny. */
  private rank = 0;
  private span: Span | undefined;
  private length = 0;
  private readonly brief: boolean;

  constructor(facts: PolicyFacts) {
    this.facts = facts;
    this.settings = facts.settings ?? DEFAULT_POLICY;
    this.brief = facts.brief === true;
  }

  tool(tool: ToolCall | undefined): Evaluation {
    if (tool?.kind === 'shell') this.shell(tool);
    else if (tool !== undefined) this.otherTool(tool);
    const { verdict, trail, commands, span } = this;
    return { verdict, trail, commands, steps: this.meter.used, ...(span === undefined ? {} : { span }) };
  }

  // ---- shell ----

  private shell(tool: ToolCall): void {
    const source = tool.command ?? '';
    this.length = source.length;
    const cwd = tool.cwd === undefined ? this.facts.workspace : resolvePath(tool.cwd, { facts: this.facts, cwd: this.facts.workspace });
    const walker = new Walker(this.facts, parseBash, this.meter, (seen) => this.seen(seen));
    try {
      if (source.length > COMMAND_CHARS_MAX) throw new OutOfSteps('too long');
      this.read(walker, source, cwd, tool.shell === 'powershell');
    } catch (error) {
      // Over a bound (or a fault of ours): what was not read is not allowed.
      if (!(error instanceof Error && error.name === OUT_OF_STEPS)) this.note({ rule: UNREAD, result: 'unresolved', note: `fault: ${error instanceof Error ? error.name : 'unknown'}` });
      this.unsure(UNREAD, UNREAD_REASON, [0, source.length]);
    }
  }

  private read(walker: Walker, source: string, cwd: string | undefined, powershell: boolean): void {
    const env = new Env(cwd);
    const frame: Frame = { source, outer: undefined, within: '', chain: [], remote: undefined, stdin: NO_INPUT, conditional: false, parallel: false, depth: 0, code: false, idle: false, language: 'sh' };
    const whole = { words: [], assigns: [], command: { assigns: [], words: [], redirects: [], input: [], start: 0, end: source.length }, env, frame, cwd, span: [0, source.length] as const };
    if (powershell) return languages().readPowerShell(walker, whole, source, 'powershell line');
    const plain = plainCommand(source)?.commands[0];
    if (plain !== undefined) {
      walker.execute({ words: plain.words, assigns: [], command: plain, env, frame, cwd, span: [plain.start, plain.end] });
      return;
    }
    walker.text(source, env, frame);
    walker.finish();
    if (!walker.broken) return;
    // PowerShell's call operator and its braces are no shell syntax.
    if (/^\s*&|[A-Za-z]-[A-Z][a-z]|\$env:/.test(source)) languages().readPowerShell(walker, whole, source, 'powershell line');
    this.note({ rule: UNRESOLVED, result: 'unresolved', span: [0, source.length], note: 'not valid shell syntax' });
    if (namesDanger(source)) this.unsure(UNRESOLVED, BROKEN_REASON, [0, source.length]);
  }

  private seen({ effective, span: given, within, risky, idle }: Seen): void {
    // The parser counts a missing end mark as read.
    const span: Span = given[1] <= this.length ? given : [Math.min(given[0], this.length), this.length];
    if (!this.brief && this.commands.length < VIEWS_MAX) this.commands.push({ program: effective.program, args: effective.args.map(({ text }) => text), chain: effective.chain, within, unresolved: effective.unresolved, cwd: effective.cwd, span });
    const place: Place = { facts: this.facts, cwd: effective.cwd, remote: effective.remote };
    const outer = within !== '' || effective.command.start !== span[0];
    if (effective.unresolved !== '') return this.unresolved(effective, place, span, risky, idle);
    const found = this.facts.operator === undefined ? NOTHING_FOUND : operatorFindings(this.facts.operator, effective, place);
    for (const { rule, matched, lifted } of found.considered) {
      this.meter.spend(1);
      this.note({ rule: rule.id, result: !matched ? 'none' : lifted === undefined ? rule.decision : 'allow', span, note: rule.source });
    }
    if (found.match !== undefined) this.decide(found.match.rule.decision === 'deny' ? 3 : 2, found.match.rule.id, found.match.rule.reason, spanOf(found.match.at, span, outer));
    // The hook asks no rule about a command on which none can say anything (gate.ts, compared with the rules in tests).
    if (this.brief && isPlain(effective)) return;
    for (const rule of rulesOf(effective.program)) this.ask(rule, effective, place, span, outer, found.allows);
    for (const rule of alsoRules(effective)) this.ask(rule, effective, place, span, outer, found.allows);
  }

  private ask(rule: Rule, effective: Effective, place: Place, span: Span, outer: boolean, allows: readonly OperatorRule[]): void {
    this.meter.spend(1);
    const level = levelFor(rule, this.settings);
    if (level === 'off') return this.note({ rule: rule.id, result: 'off', span });
    this.hit(rule, rule.check(effective, place), span, outer, allows);
  }

  private hit(rule: RuleInfo, hit: Hit | undefined, span: Span | undefined, outer: boolean, allows: readonly OperatorRule[]): void {
    const at = span === undefined ? undefined : spanOf(hit?.at, span, outer);
    const where = at === undefined ? {} : { span: at };
    if (hit === undefined) return this.note({ rule: rule.id, result: 'none', ...where });
    const allow = liftedBy(allows, rule);
    if (allow !== undefined) return this.note({ rule: rule.id, result: 'allow', ...where, note: `${allow.id} (${allow.source}): ${allow.reason}` });
    const decision = this.decisionOf(rule, hit);
    this.note({ rule: rule.id, result: decision, ...where });
    this.decide(decision === 'deny' ? 3 : 2, rule.id, hit.reason ?? rule.reason, at);
  }

  /** A variant that a rule weakens stays weakened, unless a setting names the rule or its pack. */
  private decisionOf(rule: RuleInfo, hit: Hit): 'deny' | 'ask' {
    const level = levelFor(rule, this.settings);
    if (level === 'ask') return 'ask';
    const named = Object.prototype.hasOwnProperty.call(this.settings.rules, rule.id);
    return hit.decision === 'ask' && !named ? 'ask' : 'deny';
  }

  /** An unknown program: risky where the text was hidden, or where a dangerous program would do harm with these words. */
  private unresolved(effective: Effective, place: Place, span: Span, risky: boolean, idle: boolean): void {
    this.note({ rule: UNRESOLVED, result: 'unresolved', span, note: effective.unresolved });
    if (risky || (!idle && this.dangerous(effective, place))) this.unsure(UNRESOLVED, UNRESOLVED_REASON, span);
  }

  private dangerous(effective: Effective, place: Place): boolean {
    const { args } = effective;
    if (args.length === 0) return false;
    const option = args.some(({ text }) => text.length > 1 && text[0] === '-');
    for (const { rule, program, needsOption } of probeRules()) {
      if (needsOption && !option) continue;
      this.meter.spend(1);
      if (levelFor(rule, this.settings) === 'deny' && rule.check({ ...effective, program, path: program, unresolved: '' }, place) !== undefined) return true;
    }
    return false;
  }

  private unsure(rule: string, reason: string, span: Span): void {
    const strict = this.settings.mode === 'strict';
    this.note({ rule, result: strict ? 'deny' : 'ask', span });
    this.decide(strict ? 3 : 1, rule, reason, span);
  }

  // ---- other tools ----

  private otherTool(tool: ToolCall): void {
    const place: Place = { facts: this.facts, cwd: this.facts.workspace };
    const found = tool.paths === undefined ? undefined : operatorFileFindings(this.facts.operator ?? NO_OPERATOR_RULES, tool.kind === 'file-write' ? tool.paths : [], place);
    for (const { rule, matched, lifted } of found?.considered ?? []) this.note({ rule: rule.id, result: !matched ? 'none' : lifted === undefined ? rule.decision : 'allow', note: rule.source });
    if (found?.match !== undefined) this.decide(found.match.rule.decision === 'deny' ? 3 : 2, found.match.rule.id, found.match.rule.reason, undefined);
    for (const rule of toolRules()) {
      if (!rule.kinds.includes(tool.kind)) continue;
      this.meter.spend(1);
      if (levelFor(rule, this.settings) === 'off') this.note({ rule: rule.id, result: 'off' });
      else this.hit(rule, rule.checkTool(tool, place), undefined, false, found?.allows ?? []);
    }
  }

  // ---- result ----

  private decide(rank: 1 | 2 | 3, rule: string, reason: string, span: Span | undefined): void {
    if (rank <= this.rank) return;
    this.rank = rank;
    this.verdict = { decision: rank === 3 ? 'deny' : 'ask', rule, reason };
    this.span = span;
  }

  private note(step: TrailStep): void {
    if (this.trail.length < TRAIL_STEPS_MAX && !(this.brief && step.result === 'none')) this.trail.push(step);
  }
}

/** The words of a nested text have positions of their own: then the place of the text counts. */
function spanOf(at: { readonly start: number; readonly end: number } | undefined, span: Span, outer: boolean): Span {
  return at === undefined || outer || at.start < span[0] || at.end > span[1] ? span : [at.start, at.end];
}

const WORDS = /[A-Za-z][A-Za-z0-9_.-]*/g;

/** A text that cannot be parsed is a risk where it names a program that some rule refuses. */
function namesDanger(source: string): boolean {
  for (const [word] of source.slice(0, 16_384).matchAll(WORDS)) if (rulesOf(word).some(({ level }) => level === 'deny')) return true;
  return false;
}
