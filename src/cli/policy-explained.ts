// Contract: a judgement -> everything that can be said about it: which level made it, why this rule won, what to do instead. PURE.
import { levelFor } from '../policy/pack.ts';
import type { CommandView } from '../policy/types.ts';
import type { Question } from './policy-input.ts';
import type { Judgement } from './policy-judge.ts';
import { levelFrom, ruleById, splitReason } from './policy-rules.ts';

/** `cwd` null: it is not known where the command runs. */
export type ExplainedCommand = Omit<CommandView, 'cwd'> & { readonly cwd: string | null };

export interface Explained {
  readonly verdict: 'neutral' | 'allow' | 'ask' | 'deny' | 'error';
  readonly rule: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly instead: string | null;
  readonly level: { readonly level: string; readonly from: string; readonly note: string } | null;
  readonly span: readonly [number, number] | null;
  readonly command: string | null;
  readonly cwd: string | null;
  readonly workspace: string | null;
  readonly client: string | null;
  readonly event: string;
  readonly tool: { readonly name: string; readonly kind: string; readonly paths: readonly string[] } | null;
  /** How the settings were read: empty where nothing is to be said. */
  readonly settings: '' | 'stale' | 'source' | 'invalid';
  readonly answer: { readonly stdout: string; readonly stderr: string; readonly exit: number } | null;
  readonly why: string;
  readonly quick: boolean;
  readonly commands: readonly ExplainedCommand[];
  readonly trail: readonly { readonly rule: string; readonly result: string; readonly span: readonly number[] | null; readonly note: string | null }[];
  readonly steps: number | null;
}

/** Which level made the verdict, and who set it. */
function levelOf(judged: Judgement): Explained['level'] {
  const rule = judged.rule === undefined ? undefined : ruleById(judged.rule);
  if (rule !== undefined) return { level: levelFor(rule, judged.settings), from: levelFrom(rule, judged.settings), note: rule.pack };
  // What cannot be resolved is no rule: the mode says what becomes of it.
  if (judged.rule?.startsWith('shell.') === true) return { level: judged.verdict, from: 'mode', note: judged.settings.mode };
  const step = judged.evaluation.trail.find((s) => s.rule === judged.rule && s.note !== undefined);
  return step === undefined ? null : { level: step.result, from: 'operator rule', note: step.note ?? '' };
}

/** Why this rule and no other: the order of decisions, then the place in the line. */
function whyOf(judged: Judgement): string {
  const hits = judged.evaluation.trail.filter((step) => step.result === 'deny' || step.result === 'ask' || step.result === 'unresolved' || step.result === 'allow');
  if (judged.verdict === 'error') return 'a document that cannot be judged is refused';
  if (judged.verdict === 'neutral') return judged.evaluation.trail.length === 0 ? 'no rule looks at this' : 'no rule matched';
  if (judged.verdict === 'allow') return 'a person allowed it in the settings';
  const same = hits.filter((step) => step.result === judged.verdict);
  const rules = new Set(hits.map((step) => step.rule));
  if (rules.size <= 1) return 'the only rule that matched';
  if (same.length < hits.length && judged.verdict === 'deny') return `deny beats ask${same.length > 1 ? '; among denials the first in the line wins' : ''}`;
  return 'among equals the first in the line wins';
}

function subjectOf({ payload }: Judgement): Pick<Explained, 'command' | 'cwd' | 'workspace' | 'tool'> {
  const tool = payload?.tool;
  return {
    command: tool?.command ?? null, cwd: tool?.cwd ?? payload?.workspace ?? null, workspace: payload?.workspace ?? null,
    tool: tool === undefined ? null : { name: tool.name, kind: tool.kind, paths: [...(tool.paths ?? [])] },
  };
}

export function explained(judged: Judgement, question: Question): Explained {
  const { evaluation, reason, rule } = judged;
  return {
    verdict: judged.verdict, rule: rule ?? null, reason: reason ?? null, message: judged.message ?? null,
    instead: reason === undefined ? null : splitReason(reason).instead || null, level: levelOf(judged), span: spanOf(judged), ...subjectOf(judged),
    client: question.kind === 'payload' ? question.dialect.id : null, event: question.kind === 'payload' ? question.event : 'pre-tool',
    settings: judged.settingsState, answer: judged.answer ?? null, why: whyOf(judged), quick: judged.quick,
    commands: (evaluation.commands ?? []).map((view) => ({ ...view, args: [...view.args], chain: [...view.chain], cwd: view.cwd ?? null, span: [view.span[0], view.span[1]] })),
    trail: evaluation.trail.map(({ rule: id, result, span, note }) => ({ rule: id, result, span: span === undefined ? null : [span[0], span[1]], note: note ?? null })),
    steps: evaluation.steps ?? null,
  };
}

function spanOf({ evaluation, rule }: Judgement): [number, number] | null {
  const span = evaluation.span ?? (rule === undefined ? undefined : evaluation.trail.find((step) => step.rule === rule && step.result !== 'none' && step.result !== 'off')?.span);
  return span === undefined ? null : [span[0], span[1]];
}
