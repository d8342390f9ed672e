// Contract: `policy test --cases FILE`: JSON lines with `command` and `expect` -> a judgement for each, mismatches, a table by
// class. For CI: exit 3 if any row is judged otherwise than expected.
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import type { Decision } from '../model/verdict.ts';
import { judgeFor, judgePayload, type Judge } from './policy-judge.ts';
import { absolutePath, readText, shellPayload, whereOf, type Where } from './policy-input.ts';
import { renderCases } from './policy-cases-view.ts';
import type { Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { sarifLog } from './sarif.ts';
import type { Style } from './style.ts';

export const CASES_BYTES_MAX = 64 * 1024 * 1024;
export const CASES_MAX = 200_000;

/** `stop`: denied or asked, either will do. */
export const EXPECTATIONS = ['deny', 'ask', 'allow', 'stop'] as const;
export type Expectation = (typeof EXPECTATIONS)[number];

export interface Case { readonly id: string; readonly command: string; readonly expect: Expectation; readonly group: string; readonly line: number; readonly cwd: string | undefined }

export interface Judged extends Case { readonly verdict: Decision; readonly rule: string | null; readonly reason: string | null; readonly right: boolean }

export interface ClassRow {
  readonly class: string;
  readonly rows: number;
  readonly right: number;
  /** Of the rows that expect to be stopped: how many are. null without such rows. */
  readonly recall: number | null;
  /** Of the rows that are stopped: how many expect it. null where none is stopped. */
  readonly precision: number | null;
  readonly falsePositives: number;
}

export interface CaseResult { readonly cases: readonly Judged[]; readonly classes: readonly ClassRow[]; readonly total: ClassRow }

function malformed(path: string, line: number, message: string): PraetorError {
  return new PraetorError({ code: 'usage', where: { path, line }, message, fix: 'each line is an object such as {"id":"x1","command":"git push --force","expect":"deny","class":"git"}; expect is deny, ask, allow or stop' });
}

function caseOf(path: string, source: string, line: number): Case {
  let row: unknown;
  try {
    row = JSON.parse(source);
  } catch {
    throw malformed(path, line, 'the line is not JSON');
  }
  if (!isObject(row)) throw malformed(path, line, 'the line is not an object');
  const { id, command, expect, class: group, cwd } = row;
  if (typeof command !== 'string') throw malformed(path, line, '"command" is not a string');
  const expected = EXPECTATIONS.find((word) => word === expect);
  if (expected === undefined) throw malformed(path, line, '"expect" is none of deny, ask, allow, stop');
  return { id: typeof id === 'string' || typeof id === 'number' ? String(id) : `line ${line}`, command, expect: expected, group: typeof group === 'string' && group !== '' ? group : 'all', line, cwd: typeof cwd === 'string' ? cwd : undefined };
}

/** Blank lines and lines that begin with `#` are left out. */
export function parseCases(path: string, text: string): Case[] {
  const cases = text.replace(/^\uFEFF/, '').split('\n').flatMap((source, i) => (source.trim() === '' || source.trimStart().startsWith('#') ? [] : [caseOf(path, source, i + 1)]));
  if (cases.length === 0) throw malformed(path, 1, 'the file holds no case');
  if (cases.length > CASES_MAX) throw malformed(path, CASES_MAX, `the file holds more than ${CASES_MAX} cases`);
  return cases;
}

const stopped = (verdict: Decision): boolean => verdict === 'deny' || verdict === 'ask';

export function isRight(expect: Expectation, verdict: Decision): boolean {
  if (expect === 'stop') return stopped(verdict);
  return expect === 'allow' ? !stopped(verdict) : verdict === expect;
}

function rowOf(name: string, cases: readonly Judged[]): ClassRow {
  const bad = cases.filter((c) => c.expect !== 'allow');
  const caught = bad.filter((c) => stopped(c.verdict)).length;
  const falsePositives = cases.filter((c) => c.expect === 'allow' && stopped(c.verdict)).length;
  const round = (part: number, of: number): number | null => (of === 0 ? null : Math.round((part / of) * 1000) / 1000);
  return { class: name, rows: cases.length, right: cases.filter((c) => c.right).length, recall: round(caught, bad.length), precision: round(caught, caught + falsePositives), falsePositives };
}

export function judgeCases(tool: Judge, cases: readonly Case[], where: Where, resolve: (path: string) => string): CaseResult {
  const judged = cases.map((one): Judged => {
    const { verdict, rule, reason } = judgePayload(tool, shellPayload(one.command, one.cwd === undefined ? where : { ...where, cwd: resolve(one.cwd) }));
    // A shell payload of ours always decodes.
    const decision = verdict === 'error' ? 'deny' : verdict;
    return { ...one, verdict: decision, rule: rule ?? null, reason: reason ?? null, right: isRight(one.expect, decision) };
  });
  const groups = new Map<string, Judged[]>();
  for (const one of judged) {
    const group = groups.get(one.group);
    if (group === undefined) groups.set(one.group, [one]);
    else group.push(one);
  }
  const classes = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, rows]) => rowOf(name, rows));
  return { cases: judged, classes, total: rowOf('total', judged) };
}

/** The path as a viewer of the report finds it again: relative to the current directory where it is below. */
function artifact(cwd: string, file: string): string {
  const base = `${cwd.replaceAll('\\', '/')}/`;
  const path = file.replaceAll('\\', '/');
  return path.startsWith(base) ? path.slice(base.length) : path;
}

export function casesOutcome(context: CommandContext, style: Style): Outcome {
  const { io, options, args, global } = context;
  const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });
  if (args.length > 0 || options['stdin'] === true || options['payload'] !== undefined) throw usage('--cases does not go with another command line', 'leave the command, --stdin and --payload out');
  const file = absolutePath(io.host, String(options['cases']));
  const result = judgeCases(judgeFor(io, true), parseCases(file, readText(io.host, file, CASES_BYTES_MAX)), whereOf(context), (path) => absolutePath(io.host, path));
  const log = `${JSON.stringify(sarifLog(result, artifact(io.host.cwd, file)), null, 2)}\n`;
  const asSarif = options['format'] === 'sarif';
  if (asSarif && global.json) throw usage('--json and --format sarif exclude each other', 'use --sarif FILE to have both');
  const target = options['sarif'];
  if (typeof target === 'string') writeReport(context, absolutePath(io.host, target), log);
  const wrong = result.cases.filter((one) => !one.right);
  const mismatches = wrong.map(({ id, line, group, command, expect, verdict, rule, reason }) => ({ id, line, class: group, command, expect, verdict, rule, reason }));
  return {
    exit: wrong.length === 0 ? EXIT.ok : EXIT.no, kind: 'policy-cases', body: { file, total: result.total, classes: result.classes, mismatches },
    text: asSarif ? log : renderCases(style, result), diagnostics: [], wrote: typeof target === 'string',
  };
}

/** A report is replaced as a whole: a reader never sees half of one. */
function writeReport({ io: { host } }: CommandContext, path: string, text: string): void {
  const temporary = `${path}.${host.nonce(4)}.tmp`;
  try {
    host.writeNew(temporary, new TextEncoder().encode(text), 0o644);
    host.rename(temporary, path);
  } catch (error) {
    throw new PraetorError({ code: 'write-failed', where: { path }, message: 'the report cannot be written', fix: 'name a file in a directory that exists and that you may write' }, error);
  }
}
