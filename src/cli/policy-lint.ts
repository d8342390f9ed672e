// Contract: `praetorctl policy lint [FILE]`: is the command policy of a settings document what its writer means? Reads only. Exit 3
// on findings, 0 where there are none.
import { checkPattern, matches } from '../hook/patterns.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import { joinPath } from '../roots/paths.ts';
import { compileOperator, compileWorkspace, WORKSPACE_DOCUMENT, WORKSPACE_KIND, type CompileTools } from '../settings/compile.ts';
import { readDocument } from '../settings/document.ts';
import { parseSettings } from '../settings/parse.ts';
import { SETTINGS_BYTES_MAX } from '../settings/schema.ts';
import { absolutePath, readText, shellPayload, whereOf } from './policy-input.ts';
import { judgeFor } from './policy-judge.ts';
import { lintRules, type Finding, type FindingCode, type KnownRules } from './policy-lint-rules.ts';
import { allRules } from './policy-rules.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { paint, printable, tilde, type Style } from './style.ts';

type Layer = 'operator' | 'workspace';
interface Checked { readonly path: string; readonly layer: Layer; readonly findings: readonly Finding[] }

function codeOf(diagnostic: Diagnostic): FindingCode {
  if (diagnostic.message.includes('is ignored: ')) return 'loosening';
  return diagnostic.severity === 'error' ? 'invalid' : 'note';
}

function findingOf(path: string, diagnostic: Diagnostic): Finding {
  const { line, column } = diagnostic.where ?? {};
  return { code: codeOf(diagnostic), severity: diagnostic.severity === 'error' ? 'error' : 'warning', path, line: line ?? null, column: column ?? null, message: diagnostic.message };
}

/** Positions of keys, for levels: rules carry their own line. */
function levelPlaces(layer: Layer, path: string, text: string): (id: string) => number | null {
  const key = (id: string): string[] => ['hooks', 'command_policy', 'rules', id];
  if (layer === 'operator') {
    const parsed = parseSettings(path, text);
    return (id) => (parsed.ok ? parsed.document.placeOf(key(id))?.line ?? null : null);
  }
  const read = readDocument(WORKSPACE_KIND, path, text);
  return (id) => (read.ok ? read.document.placeOf(key(id))?.line ?? null : null);
}

/** The evaluator itself says which programs are taken off. */
function knownRules(context: CommandContext): KnownRules {
  const judge = judgeFor(context.io);
  const probe = (program: string): boolean => {
    const commands = judge.look(shellPayload(`${program} praetorctl-probe`, whereOf(context))).commands ?? [];
    return commands.length > 0 && !commands.some((view) => view.program === program);
  };
  return { ids: allRules().map((rule) => rule.id), isWrapper: (program) => /^[\w.+-]+$/.test(program) && probe(program) };
}

function lintDocument(context: CommandContext, layer: Layer, path: string): Checked {
  const { host } = context.io;
  const text = readText(host, path, SETTINGS_BYTES_MAX);
  const tools: CompileTools = { checkPattern, sha256: (data) => host.sha256(data), platform: host.platform, home: rootContext(host).home };
  const result = (layer === 'operator' ? compileOperator : compileWorkspace)(path, text, tools);
  if (!result.ok) return { path, layer, findings: result.diagnostics.map((diagnostic) => findingOf(path, diagnostic)) };
  const { rules, meta, notes } = result.compiled;
  const found = lintRules({ rules, levels: meta.rules, levelLine: levelPlaces(layer, path, text) }, knownRules(context), matches);
  const findings = [...notes.map((note) => findingOf(path, note)), ...found.map((one): Finding => ({ ...one, path, column: null }))];
  return { path, layer, findings: findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

/** A document named .praetorctl/settings.yaml is a workspace's, wherever it stands. */
function layerOf(path: string): Layer {
  return path.replaceAll('\\', '/').endsWith(`/${WORKSPACE_DOCUMENT}`) ? 'workspace' : 'operator';
}

function documents(context: CommandContext): { path: string; layer: Layer }[] {
  const { io: { host }, args } = context;
  const [file] = args;
  if (file !== undefined) {
    const path = absolutePath(host, file);
    if (context.options['workspace'] !== undefined) throw new PraetorError({ code: 'usage', message: '--workspace does not go with a file', fix: 'leave one of them out' });
    return [{ path, layer: layerOf(path) }];
  }
  const { home } = rootContext(host);
  const { config } = ownDirs({ platform: host.platform, env: host.env, home });
  return [
    { path: joinPath(host.platform, config, 'settings.yaml'), layer: 'operator' as const },
    { path: joinPath(host.platform, whereOf(context).workspace, WORKSPACE_DOCUMENT), layer: 'workspace' as const },
  ].filter(({ path }) => host.stat(path) !== undefined);
}

function findingLine(style: Style, finding: Finding): string {
  const at = finding.line === null ? '' : `:${finding.line}${finding.column === null ? '' : `:${finding.column}`}`;
  return `${tilde(style, finding.path)}${at}: ${paint(style, finding.severity === 'error' ? 'red' : 'yellow', finding.severity)}: ${printable(finding.message)} [${finding.code}]`;
}

export function policyLint(context: CommandContext): Outcome {
  const { io, global } = context;
  const checked = documents(context).map(({ path, layer }) => lintDocument(context, layer, path));
  const findings = checked.flatMap((one) => one.findings);
  const style = styleFor(io, global, rootContext(io.host).home);
  const names = checked.map((one) => tilde(style, one.path)).join(', ');
  const end = checked.length === 0 ? 'lint: no settings document here: the built-in rules are in force' : `lint: ${findings.length} finding${findings.length === 1 ? '' : 's'} in ${names}`;
  return {
    exit: findings.length === 0 ? EXIT.ok : EXIT.no, kind: 'policy-lint', body: { documents: checked.map(({ path, layer }) => ({ path, layer })), findings },
    text: [...findings.map((finding) => findingLine(style, finding)), ...(findings.length === 0 ? [] : ['']), end].join('\n'), diagnostics: [], wrote: false,
  };
}
