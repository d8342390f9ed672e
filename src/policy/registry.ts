// Contract: the rules by program, so that a command asks only those that concern it. PURE, built at first use.
import { CANARY_RULES } from './canary.ts';
import { RULES as PACK_RULES, TOOL_RULES } from './rules/index.ts';
import { KEYWORDS } from './shell-plain.ts';
import { BUILTINS } from './shell/builtins.ts';
import { setJudgedPrograms } from './shell/known.ts';
import { PROGRAMS } from './shell/programs.ts';
import { WRAPPERS } from './shell/wrappers.ts';
import type { Also, Effective, Rule } from './types.ts';

export const RULES: readonly Rule[] = [...PACK_RULES, ...CANARY_RULES];
export { TOOL_RULES };

let byProgram: Map<string, Rule[]> | undefined;
const NONE: readonly Rule[] = [];

function index(): Map<string, Rule[]> {
  if (byProgram !== undefined) return byProgram;
  byProgram = new Map();
  for (const rule of RULES) {
    for (const program of rule.programs) {
      const rules = byProgram.get(program);
      if (rules === undefined) byProgram.set(program, [rule]);
      else rules.push(rule);
    }
  }
  setJudgedPrograms([...byProgram.keys()]);
  return byProgram;
}

export function rulesOf(program: string): readonly Rule[] {
  return index().get(program) ?? NONE;
}

const wanting = new Map<Also, readonly Rule[]>();

function wants(what: Also): readonly Rule[] {
  let found = wanting.get(what);
  if (found === undefined) wanting.set(what, found = RULES.filter(({ also }) => also === what || (Array.isArray(also) && also.includes(what))));
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
  return new Set([...RULES.flatMap(({ programs }) => programs), ...Object.keys(WRAPPERS), ...Object.keys(PROGRAMS), ...Object.keys(BUILTINS), ...KEYWORDS]);
}
