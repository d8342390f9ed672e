// Contract: the shape of `hooks.command_policy` and `hooks.evaluators`, and of a workspace's own document. PURE.
// Keys are strict, and every bound is a named constant. What a schema cannot say (unique ids, linear patterns) is checked
// where the document is compiled (compile.ts), with the same key paths.
import { z } from 'zod';
import { PACKS } from '../policy/pack.ts';

export const PATTERNS_MAX = 64;
export const PATTERN_BYTES_MAX = 512;
export const RULES_MAX = 20_000;
export const REASON_CHARS_MAX = 300;
export const INSTEAD_CHARS_MAX = 200;
export const EVALUATORS_MAX = 16;
/** The clients are told 30 s: what is left is for starting and answering. */
export const EVALUATOR_SECONDS_MAX = 25;
const WORDS_MAX = 32;
const WORD_CHARS_MAX = 256;

const text = (max: number) => z.string().min(1).max(max).refine((value) => !/[\0-\x1f\x7f]/.test(value), 'holds a control character');
const bytes = (value: string): number => new TextEncoder().encode(value).length;
const words = (item: z.ZodType<string>) => z.array(item).min(1).max(WORDS_MAX);

const id = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,47}$/, 'use lower-case letters, digits, ".", "_" and "-", at most 48');
const program = z.string().regex(/^[^\s/\\*?]{1,64}$/, 'name a program without directory, blanks and wildcards, at most 64 characters');
const option = z.string().regex(/^(?:-[^\s=-]|--[^\s=]{1,62}|[-/][^\s=-][^\s=]{0,62})$/, 'write one option without a value, for example -f or --force');
const glob = text(WORD_CHARS_MAX);
export const patternText = z.string().min(1).refine((value) => bytes(value) <= PATTERN_BYTES_MAX, `longer than ${PATTERN_BYTES_MAX} bytes`);

const predicates = {
  program: program.optional().describe('Base name of the program that runs, without wrappers such as sudo.'),
  programs: words(program).optional().describe('Several programs, instead of `program`.'),
  subcommand: words(text(WORD_CHARS_MAX)).optional().describe('Words behind the program in this order, options skipped.'),
  options: words(option).optional().describe('At least one of these is given. In `allow`: no other option is given.'),
  args: words(glob).optional().describe('At least one argument matches one of these (`*`, `?`). In `allow`: every operand does.'),
  paths: words(glob).optional().describe('At least one path is below or equal to one of these (`~`, absolute, or relative to the workspace; `*`, `?`, `**`). In `allow`: every path is. Without another predicate it holds for file tools too.'),
  pattern: patternText.optional().describe('Regular expression over the simple command, words joined by one blank. Only patterns that run in linear time. In `allow` it must match the whole command.'),
};
const PREDICATES = Object.keys(predicates) as (keyof typeof predicates)[];

type Predicates = { readonly [K in keyof typeof predicates]?: unknown };

const somePredicate = (rule: Predicates): boolean => PREDICATES.some((key) => rule[key] !== undefined);
const onePrograms = (rule: Predicates): boolean => rule.program === undefined || rule.programs === undefined;
const NO_PREDICATE = { error: `has no predicate: give at least one of ${PREDICATES.join(', ')}` };
const TWO_PROGRAMS = { error: 'has both program and programs', path: ['programs'] };

const stopRule = z.strictObject({
  id: id.optional(), ...predicates,
  reason: text(REASON_CHARS_MAX).optional().describe('Said to the model and to the person.'),
  instead: text(INSTEAD_CHARS_MAX).optional().describe('What to do instead; said behind the reason.'),
}).refine(somePredicate, NO_PREDICATE).refine(onePrograms, TWO_PROGRAMS);

const allowRule = z.strictObject({
  id: id.optional(),
  rule: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'not a rule id').optional().describe('The one rule that is lifted. Without it: every rule except those that protect the guard itself.'),
  ...predicates,
  reason: text(REASON_CHARS_MAX).describe('Why; shown by `policy explain`.'),
}).refine(somePredicate, NO_PREDICATE).refine(onePrograms, TWO_PROGRAMS);

export type StopRule = z.infer<typeof stopRule>;
export type AllowRule = z.infer<typeof allowRule>;

const level = z.enum(['deny', 'ask', 'off']);
const packs = z.partialRecord(z.enum(PACKS), level);
const ruleLevels = z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'not a rule id'), level);
const stopRules = z.array(z.union([patternText, stopRule])).max(RULES_MAX);

export const commandPolicySchema = z.strictObject({
  mode: z.enum(['default', 'strict']).default('default').describe('strict: what cannot be resolved is denied instead of asked.'),
  packs: packs.default({}).describe('Levels of whole packs.'),
  rules: ruleLevels.default({}).describe('Levels of single rules; they win over the pack.'),
  deny: stopRules.default([]).describe('Your own rules that refuse. A plain string is a pattern.'),
  ask: stopRules.default([]).describe('Your own rules that ask a person.'),
  allow: z.array(allowRule).max(RULES_MAX).default([]).describe('Exceptions, each with a reason.'),
}).describe('What the guard refuses besides its built-in rules, and what it does not.');

const interpreter = text(WORD_CHARS_MAX);

export const evaluatorSchema = z.strictObject({
  id,
  events: z.array(z.enum(['pre-tool', 'post-tool', 'stop'])).min(1).max(3).describe('When it is asked.'),
  tools: z.array(z.enum(['shell', 'file-write', 'file-read', 'mcp', 'other'])).max(5).default([]).describe('For which kinds of tools; all of them if left out. Not looked at on stop.'),
  run: z.strictObject({
    interpreter: words(interpreter).max(8).optional().describe('Candidates in order, by name or absolute path, with fixed arguments: python3, python, py -3. Left out: the script is executed itself.'),
    script: text(1024).optional().describe('Absolute, below `~`, or relative to the directory of this document.'),
    workspace_script: text(1024).optional().describe('Relative to the workspace: runs code of the repository. Where the workspace has no such file, the evaluator does not apply.'),
    args: z.array(text(1024)).max(WORDS_MAX).default([]),
  }).refine((run) => (run.script === undefined) !== (run.workspace_script === undefined), { error: 'needs either script or workspace_script' }),
  timeout_seconds: z.int().min(1).max(EVALUATOR_SECONDS_MAX).default(10),
  output_bytes: z.int().min(256).max(1024 * 1024).default(64 * 1024),
}).describe('A check of your own: reads one JSON document, writes one line {"verdict": "ok" | "deny" | "ask", "reason": "..."}.');

export type Evaluator = z.infer<typeof evaluatorSchema>;

/** What a workspace may say: it can only tighten. `allow` and `mode` are read so that they can be named as ignored. */
export const workspaceSchema = z.strictObject({
  hooks: z.strictObject({
    command_policy: z.strictObject({
      packs: packs.default({}), rules: ruleLevels.default({}), deny: stopRules.default([]), ask: stopRules.default([]),
      allow: z.unknown().optional(), mode: z.unknown().optional(),
    }).prefault({}),
  }).prefault({}),
});

export type WorkspaceSettings = z.infer<typeof workspaceSchema>;
