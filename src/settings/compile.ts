// Contract: a settings document -> what the guard reads of it: levels, operator rules, evaluators; or diagnostics with
// file:line:column and key path. PURE: the pattern check and sha256 are passed in. Compiling is total: any text gives an answer.
import type { Platform } from '../model/client.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Path } from '../model/json.ts';
import type { OperatorLayer, OperatorRule } from '../policy/operator.ts';
import { NO_CONTRACT_SETTINGS, type ContractSettings, type EvaluatorSpec, type PolicyMeta } from '../policy/operator-index.ts';
import type { Level } from '../policy/pack.ts';
import { dirOf, isAbsolutePath, joinPath } from '../roots/paths.ts';
import { PATTERNS_MAX, RULES_MAX, workspaceSchema, type AllowRule, type Evaluator, type StopRule, type WorkspaceSettings } from './command-policy.ts';
import { readDocument, type DocumentKind } from './document.ts';
import { alone, faultOf, layerDocument, sourceOf, type Effective, type Origin } from './effective.ts';
import { layerWords } from './merge-rules.ts';
import { parseSettings, SETTINGS_KIND } from './parse.ts';
import type { Settings } from './schema.ts';

export const WORKSPACE_CHARS_MAX = 64 * 1024;
/** Below a workspace. */
export const WORKSPACE_DOCUMENT = '.praetorctl/settings.yaml';
/** More rules than this without a program, or for one program, are read at every call of it. */
export const ROWS_WARN = 500;

export interface CompileTools {
  /** Why a pattern cannot be used; undefined where it runs in linear time. */
  readonly checkPattern: (source: string) => string | undefined;
  readonly sha256: (text: string) => string;
  readonly platform: Platform;
  readonly home: string | undefined;
}

export interface Compiled {
  readonly meta: Omit<PolicyMeta, 'engine' | 'sources'>;
  readonly rules: readonly OperatorRule[];
  /** Warnings; for a workspace also the errors of entries that are ignored because they would loosen. */
  readonly notes: readonly Diagnostic[];
}

export type CompileResult = { readonly ok: true; readonly compiled: Compiled } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export const WORKSPACE_KIND: DocumentKind<WorkspaceSettings> = {
  schema: workspaceSchema, charsMax: WORKSPACE_CHARS_MAX, name: 'the workspace settings file',
  fix: 'a workspace may hold hooks.command_policy with deny, ask, packs and rules; correct or remove the file',
};

type Section = 'deny' | 'ask' | 'allow';

/** Collects faults with the key and the document that it comes from. */
class Faults {
  readonly found: Diagnostic[] = [];
  readonly notes: Diagnostic[] = [];
  private readonly effective: Pick<Effective, 'originOf'>;
  private readonly where: { readonly path: string; readonly fix: string };

  constructor(effective: Pick<Effective, 'originOf'>, where: { readonly path: string; readonly fix: string }) {
    this.effective = effective;
    this.where = where;
  }

  add(key: Path, message: string): void {
    this.found.push(this.at(key, message, 'error'));
  }

  warn(key: Path, message: string): void {
    this.notes.push(this.at(key, message, 'warning'));
  }

  ignored(key: Path, message: string): void {
    this.notes.push(this.at(key, message, 'error'));
  }

  private at(key: Path, message: string, severity: Diagnostic['severity']): Diagnostic {
    return faultOf(this.effective, this.where, key, message, severity);
  }
}

const POLICY = ['hooks', 'command_policy'] as const;
const DEFAULT_REASON: Readonly<Record<'deny' | 'ask', string>> = {
  deny: 'A rule of this workstation refuses this.', ask: 'A rule of this workstation wants a person to confirm this.',
};
const WORKSPACE_REASON: Readonly<Record<'deny' | 'ask', string>> = {
  deny: 'A rule of this workspace refuses this.', ask: 'A rule of this workspace wants a person to confirm this.',
};

function reasonOf(section: 'deny' | 'ask', layer: OperatorLayer, rule: StopRule): string {
  const reason = rule.reason ?? (layer === 'operator' ? DEFAULT_REASON : WORKSPACE_REASON)[section];
  if (rule.instead === undefined) return reason;
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${rule.instead}`;
}

/** As the evaluator names programs: without `.exe`, then in lower case. */
function programName(program: string): string {
  return program.length > 4 && program.slice(-4).toLowerCase() === '.exe' ? program.slice(0, -4).toLowerCase() : program;
}

interface Context {
  readonly layer: OperatorLayer;
  readonly effective: Pick<Effective, 'originOf'>;
  readonly faults: Faults;
  readonly tools: CompileTools;
  /** Where each id was first given. */
  readonly ids: Map<string, Origin>;
  patterns: number;
}

/** Every key of what is compiled was written somewhere. */
function originAt({ effective }: Context, key: Path): Origin {
  const origin = effective.originOf(key);
  if (origin === undefined) throw new Error(`no document holds ${key.join('.')}`);
  return origin;
}

/** A rule without an id is numbered in its own document, so that documents above it do not change what it is called. */
function madeId({ document, key }: Origin, section: Section): string {
  return `${document.isOwn ? '' : `${document.layer}-`}${section}-${Number(key[key.length - 1]) + 1}`;
}

function usedBefore({ ids }: Context, id: string, origin: Origin): string | undefined {
  const before = ids.get(id);
  if (before === undefined) ids.set(id, origin);
  if (before === undefined) return undefined;
  return before.document === origin.document ? 'this id is used twice' : `this id is used in ${layerWords(before.document.layer)} too (${sourceOf(before, before.document.path)})`;
}

function ruleOf(context: Context, section: Section, index: number, given: string | StopRule | AllowRule): OperatorRule {
  const { layer, faults } = context;
  const key = [...POLICY, section, index];
  const rule: StopRule | AllowRule = typeof given === 'string' ? { pattern: given } : given;
  const origin = originAt(context, key);
  const id = `${layer}.${rule.id ?? madeId(origin, section)}`;
  const twice = usedBefore(context, id, origin);
  if (twice !== undefined) faults.add([...key, 'id'], twice);
  if (rule.pattern !== undefined) {
    context.patterns += 1;
    const why = context.patterns > PATTERNS_MAX ? `more than ${PATTERNS_MAX} patterns` : context.tools.checkPattern(rule.pattern);
    if (why !== undefined) faults.add(typeof given === 'string' ? key : [...key, 'pattern'], why);
  }
  const lifts = 'rule' in rule ? rule.rule ?? null : null;
  return {
    id, decision: section, layer, reason: section === 'allow' ? rule.reason ?? '' : reasonOf(section, layer, rule),
    programs: [...new Set((rule.programs ?? (rule.program === undefined ? [] : [rule.program])).map(programName))],
    subcommand: rule.subcommand ?? [], anyOption: rule.options ?? [], args: rule.args ?? [], paths: rule.paths ?? [], pattern: rule.pattern ?? null,
    lifts, source: sourceOf(origin, layer === 'workspace' ? WORKSPACE_DOCUMENT : undefined),
  };
}

/** An exception may name a rule of the same document by its bare id. */
function withOwnIds(rules: readonly OperatorRule[], ids: { readonly has: (id: string) => boolean }): OperatorRule[] {
  return rules.map((rule) => (rule.lifts !== null && ids.has(`operator.${rule.lifts}`) ? { ...rule, lifts: `operator.${rule.lifts}` } : rule));
}

function warnOfLargeRows(rules: readonly OperatorRule[], faults: Faults): void {
  const counts = new Map<string, number>();
  for (const rule of rules) for (const program of rule.programs.length === 0 ? [''] : rule.programs) counts.set(program, (counts.get(program) ?? 0) + 1);
  for (const [program, count] of counts) {
    if (count <= ROWS_WARN) continue;
    faults.warn(POLICY, program === '' ? `${count} rules have no program: they are looked at for every command` : `${count} rules are looked at for every call of ${program}`);
  }
}

interface Sections { readonly deny: readonly (string | StopRule)[]; readonly ask: readonly (string | StopRule)[]; readonly allow: readonly AllowRule[] }

function rulesOf(context: Context, sections: Sections): OperatorRule[] {
  const total = sections.deny.length + sections.ask.length + sections.allow.length;
  if (total > RULES_MAX) {
    context.faults.add(POLICY, `more than ${RULES_MAX} rules`);
    return [];
  }
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((section) => sections[section].map((rule, index) => ruleOf(context, section, index, rule)));
  warnOfLargeRows(rules, context.faults);
  return withOwnIds(rules, context.ids);
}

// ---- evaluators ----

function scriptPath(context: Context, key: Path, directory: string, script: string): string {
  const { home, platform } = context.tools;
  if (script.startsWith('~/')) {
    if (home === undefined) context.faults.add(key, 'no home directory is known');
    return joinPath(platform, home ?? '/', script.slice(2));
  }
  return isAbsolutePath(platform, script) ? script : joinPath(platform, directory, script);
}

function evaluatorOf(context: Context, index: number, given: Evaluator): EvaluatorSpec {
  const key = ['hooks', 'evaluators', index];
  const origin = originAt(context, key);
  const twice = usedBefore(context, `evaluator.${given.id}`, origin);
  if (twice !== undefined) context.faults.add([...key, 'id'], twice);
  const { run } = given;
  const inside = run.workspace_script;
  if (inside !== undefined && (isAbsolutePath(context.tools.platform, inside) || inside.split(/[\\/]/).includes('..'))) {
    context.faults.add([...key, 'run', 'workspace_script'], 'must lie below the workspace');
  }
  if (inside !== undefined && run.interpreter === undefined) context.faults.add([...key, 'run'], 'workspace_script needs an interpreter');
  return {
    id: given.id, events: given.events, tools: given.tools,
    interpreter: (run.interpreter ?? []).map((words) => words.split(' ').filter((word) => word !== '')),
    script: inside ?? scriptPath(context, [...key, 'run', 'script'], dirOf(context.tools.platform, origin.document.path), run.script ?? ''), inWorkspace: inside !== undefined,
    args: run.args, timeoutMs: given.timeout_seconds * 1000, outputBytes: given.output_bytes,
  };
}

// ---- documents ----

/** The person's own document, where it stands alone. */
export function compileOperator(path: string, text: string, tools: CompileTools): CompileResult {
  const parsed = parseSettings(path, text);
  if (!parsed.ok) return parsed;
  return compileEffective(alone(layerDocument(path, parsed.document), parsed.settings), { path, digest: tools.sha256(text).slice(0, 16) }, tools);
}

/** `path`: where a fault is that stands in no document. */
export function compileEffective(effective: Effective, { path, digest }: { readonly path: string; readonly digest: string }, tools: CompileTools): CompileResult {
  const { hooks } = effective.settings;
  const policy = hooks.command_policy;
  const faults = new Faults(effective, { path, fix: SETTINGS_KIND.fix });
  const context: Context = { layer: 'operator', effective, faults, tools, ids: new Map(), patterns: 0 };
  const rules = rulesOf(context, policy);
  const evaluators = hooks.evaluators.map((evaluator, index) => evaluatorOf(context, index, evaluator));
  if (faults.found.length > 0) return { ok: false, diagnostics: faults.found };
  const meta = { digest, problem: '', mode: policy.mode, packs: policy.packs, rules: policy.rules, evaluators, rows: rules.length, contract: contractOf(effective.settings) };
  return { ok: true, compiled: { meta, rules, notes: faults.notes } };
}

function contractOf({ contract }: Settings): ContractSettings {
  return { floor: contract.human_approval_floor, unlisted: contract.unlisted_servers, evidence: contract.human_evidence };
}

/** Levels that say something: `off` in a workspace would loosen, so it is left out and named. */
function tighteningOnly(levels: Readonly<Record<string, Level>>, key: string, faults: Faults): Record<string, Level> {
  const kept: Record<string, Level> = {};
  for (const [name, level] of Object.entries(levels)) {
    if (level === 'off') faults.ignored([...POLICY, key, name], 'is ignored: a workspace cannot switch anything off');
    else kept[name] = level;
  }
  return kept;
}

/** A workspace's own document: it can only tighten. */
export function compileWorkspace(path: string, text: string, tools: CompileTools): CompileResult {
  const read = readDocument(WORKSPACE_KIND, path, text);
  if (!read.ok) return read;
  const policy = read.document.value.hooks.command_policy;
  const document = layerDocument(path, read.document, 'workspace');
  const effective: Pick<Effective, 'originOf'> = { originOf: (key) => ({ document, key }) };
  const faults = new Faults(effective, { path, fix: WORKSPACE_KIND.fix });
  if (policy.allow !== undefined) faults.ignored([...POLICY, 'allow'], 'is ignored: a workspace cannot allow anything');
  if (policy.mode !== undefined) faults.ignored([...POLICY, 'mode'], 'is ignored: the mode belongs to the operator');
  const context: Context = { layer: 'workspace', effective, faults, tools, ids: new Map(), patterns: 0 };
  const rules = rulesOf(context, { deny: policy.deny, ask: policy.ask, allow: [] });
  const packs = tighteningOnly(policy.packs, 'packs', faults);
  const levels = tighteningOnly(policy.rules, 'rules', faults);
  if (faults.found.length > 0) return { ok: false, diagnostics: faults.found };
  const meta = { digest: tools.sha256(text).slice(0, 16), problem: '', mode: 'default' as const, packs, rules: levels, evaluators: [], rows: rules.length, contract: NO_CONTRACT_SETTINGS };
  return { ok: true, compiled: { meta, rules, notes: faults.notes } };
}
