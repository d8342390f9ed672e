// Contract: `praetorctl policy test | explain | list`: flags -> the hook's own judgement -> one outcome. Exit 0: allowed or no
// opinion; 3: denied or asked, the text says which.
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { homeOf } from '../roots/own-dirs.ts';
import { DEFAULT_POLICY, PACKS, type PackId } from '../policy/pack.ts';
import { casesOutcome } from './policy-cases.ts';
import { judgeFor, judgeQuestion, type Judgement } from './policy-judge.ts';
import { questionOf } from './policy-input.ts';
import { explained, type Explained } from './policy-explained.ts';
import { allRules, ruleRow } from './policy-rules.ts';
import { renderExplain, renderRules, renderVerdict } from './policy-view.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import type { Style } from './style.ts';

const styleOf = ({ io, global }: CommandContext): Style => styleFor(io, global, homeOf({ platform: io.host.platform, env: io.host.env }) ?? '');

const stops = (verdict: Judgement['verdict']): boolean => verdict === 'deny' || verdict === 'ask' || verdict === 'error';

async function judgeAsked(context: CommandContext): Promise<Explained> {
  const question = await questionOf(context);
  return explained(judgeQuestion(judgeFor(context.io), question), question);
}

export async function policyTest(context: CommandContext): Promise<Outcome> {
  if (context.options['cases'] !== undefined) return casesOutcome(context, styleOf(context));
  for (const name of ['sarif', 'format'] as const) {
    if (context.options[name] !== undefined) throw new PraetorError({ code: 'usage', message: `--${name} belongs to --cases`, fix: `praetorctl policy test --cases FILE --${name} ...` });
  }
  const { commands: _commands, trail: _trail, steps: _steps, why: _why, quick: _quick, ...body } = await judgeAsked(context);
  return { exit: stops(body.verdict) ? EXIT.no : EXIT.ok, kind: 'policy-test', body, text: renderVerdict(styleOf(context), body), diagnostics: [], wrote: false };
}

export async function policyExplain(context: CommandContext): Promise<Outcome> {
  const body = await judgeAsked(context);
  return { exit: stops(body.verdict) ? EXIT.no : EXIT.ok, kind: 'policy-explain', body: { ...body }, text: renderExplain(styleOf(context), body), diagnostics: [], wrote: false };
}

function packOf(value: unknown): PackId[] {
  const words = Array.isArray(value) ? value.map(String) : [];
  const unknown = words.find((word) => !(PACKS as readonly string[]).includes(word));
  if (unknown !== undefined) throw new PraetorError({ code: 'usage', message: `there is no pack "${unknown.slice(0, 40)}"`, fix: `use one of ${PACKS.join(', ')}` });
  return words as PackId[];
}

export function policyList(context: CommandContext): Outcome {
  const packs = packOf(context.options['pack']);
  const settings = judgeFor(context.io).settings(context.io.host.cwd).policy ?? DEFAULT_POLICY;
  const rows = allRules().filter((rule) => packs.length === 0 || packs.includes(rule.pack)).map((rule) => ruleRow(rule, settings));
  return { exit: EXIT.ok, kind: 'policy-list', body: { mode: settings.mode, rules: rows }, text: renderRules(styleOf(context), rows, settings.mode, context.global.verbose), diagnostics: [], wrote: false };
}
