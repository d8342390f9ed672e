// Contract: the rules by program, so that a command asks only those that concern it. PURE, built at first use.
import { ruleSet } from './rule-set.ts';
import { RULED } from './ruled.ts';
import { KEYWORDS } from './shell-plain.ts';
import { BUILTINS } from './shell/builtins.ts';
import { setJudgedPrograms } from './shell/known.ts';
import { handledPrograms } from './shell/programs.ts';
import { wrapperNames } from './shell/wrappers.ts';
import type { Also, Effective, Rule, ToolRule } from './types.ts';

const NONE: readonly Rule[] = [];
const byProgram = new Map<string, readonly Rule[]>();

/** The rules that look at a program. */
export function rulesOf(program: string): readonly Rule[] {
  if (program === '' || !RULED.includes(` ${program} `)) return NONE;
  let found = byProgram.get(program);
  if (found === undefined) byProgram.set(program, found = ruleSet().RULES.filter(({ programs }) => programs.includes(program)));
  return found;
}

export function toolRules(): readonly ToolRule[] {
  return ruleSet().TOOL_RULES;
}

setJudgedPrograms(() => RULED.trim().split(' '));

const wanting = new Map<Also, readonly Rule[]>();

function wants(what: Also): readonly Rule[] {
  let found = wanting.get(what);
  if (found === undefined) wanting.set(what, found = ruleSet().RULES.filter(({ also }) => also === what || (Array.isArray(also) && also.includes(what))));
  return found;
}

/** Rules that look at every command with assignments, redirections or known input, and not at its program anyway. */
export function alsoRules({ program, assigns, command, inputs }: Effective): readonly Rule[] {
  const { redirects } = command;
  if (assigns.length === 0 && redirects.length === 0 && inputs.length === 0) return NONE;
  const out: Rule[] = [];
  const add = (rules: readonly Rule[]): void => { for (const rule of rules) if (!rule.programs.includes(program) && !out.includes(rule)) out.push(rule); };
  if (assigns.length > 0) add(wants('assigns'));
  if (redirects.length > 0) add(wants('redirects'));
  if (inputs.length > 0) add(wants('inputs'));
  return out;
}

export interface Probe {
  readonly rule: Rule;
  readonly program: string;
  /** Harmless words without any option are common: `$EDITOR file`. */
  readonly needsOption: boolean;
}

/** Programs that an unknown word may stand for. Programs whose every call is refused would make every unknown word a risk. */
const PROBES: readonly (readonly [program: string, needsOption: boolean])[] = [
  ['git', false], ['rm', true], ['chmod', true], ['chown', true], ['find', true], ['dd', false], ['terraform', false], ['kubectl', false], ['docker', false], ['aws', false], ['gh', false], ['helm', false],
];

let probes: readonly Probe[] | undefined;

export function probeRules(): readonly Probe[] {
  probes ??= PROBES.flatMap(([program, needsOption]) => rulesOf(program).filter(({ level }) => level === 'deny').map((rule) => ({ rule, program, needsOption })));
  return probes;
}

/** Every program that anything looks at: what is not among them, in words without shell syntax, is neutral. */
export function judgedPrograms(): ReadonlySet<string> {
  return new Set([...ruleSet().RULES.flatMap(({ programs }) => programs), ...wrapperNames(), ...handledPrograms(), ...Object.keys(BUILTINS), ...KEYWORDS]);
}
