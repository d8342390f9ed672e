// Contract: runs the operator's evaluators one after the other. IO, a bundle of its own (part `evaluators`), loaded only where
// one applies. Directly (no shell), through the first interpreter that is found, in the workspace, with a small environment; the
// event as one JSON document on standard input; one JSON line back. Time and output are bounded, also for what it starts itself.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isObject } from '../model/json.ts';
import { pairsOf } from '../model/mcp-names.ts';
import type { Payload } from '../model/payload.ts';
import type { EvaluatorSpec } from '../policy/operator-index.ts';
import type { EnvMap } from '../model/dialect.ts';
import { below } from '../roots/own-dirs.ts';
import type { EvaluatorResult } from './evaluators-list.ts';

/** For all evaluators of one event together. The clients are told 30 s for the whole hook. */
export const EVALUATORS_MS_MAX = 25_000;
/** Not worth starting with less. */
const LEAST_MS = 250;
const REASON_CHARS_MAX = 400;
const PASSED_ON = ['PATH', 'Path', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'USERPROFILE', 'SYSTEMROOT', 'SystemRoot', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA'];

export interface EvaluatorPlace { readonly platform: string; readonly env: EnvMap }

/** The canonical form of an event, as evaluators read it. */
export function evaluatorDocument(payload: Payload): string {
  const { tool } = payload;
  return `${JSON.stringify({
    schema: 'praetorctl/evaluator', schemaVersion: 1, event: payload.event, client: payload.client,
    workspace: payload.workspace ?? null, session: payload.sessionId ?? null, subagent: payload.subagent, stopActive: payload.stopActive,
    tool: tool === undefined ? null : {
      name: tool.name, kind: tool.kind, command: tool.command ?? null, cwd: tool.cwd ?? null, paths: tool.paths ?? null,
      mcp: tool.mcp === undefined ? null : { server: tool.mcp.server, tool: tool.mcp.tool, ambiguous: tool.mcp.ambiguous, candidates: pairsOf(tool.mcp) }, input: tool.input,
    },
  })}\n`;
}

function smallEnvironment(env: EnvMap, id: string, event: string): Record<string, string> {
  const small: Record<string, string> = { PRAETORCTL_EVALUATOR: id, PRAETORCTL_EVENT: event };
  for (const name of PASSED_ON) {
    const value = env[name];
    if (value !== undefined) small[name] = value;
  }
  return small;
}

function isRunnable(path: string, platform: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (platform !== 'win32') accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);

/** The first candidate that is there. Directories inside the workspace do not count: a repository must not lend the interpreter. */
export function findInterpreter(candidates: readonly (readonly string[])[], place: EvaluatorPlace, workspace: string): readonly string[] | undefined {
  const windows = place.platform === 'win32';
  const dirs = (place.env['PATH'] ?? place.env['Path'] ?? '').split(windows ? ';' : ':').filter((dir) => isAbsolute(dir) && dir !== workspace && !dir.startsWith(`${workspace}${windows ? '\\' : '/'}`));
  for (const [program = '', ...fixed] of candidates) {
    if (isAbsolute(program)) {
      if (isRunnable(program, place.platform)) return [program, ...fixed];
      continue;
    }
    for (const dir of dirs) {
      for (const suffix of windows ? ['.exe', ''] : ['']) {
        const path = below(place.platform, dir, program + suffix);
        if (isRunnable(path, place.platform)) return [path, ...fixed];
      }
    }
  }
  return undefined;
}

/** One line, one object, a word that is known; anything else is no result. */
export function parseResult(id: string, stdout: string): EvaluatorResult {
  const line = stdout.trim();
  if (line === '') return { id, result: 'failed', why: 'no result' };
  let value: unknown;
  try {
    value = line.includes('\n') ? undefined : JSON.parse(line);
  } catch { /* said below */ }
  if (!isObject(value)) return { id, result: 'failed', why: 'result is not one JSON line' };
  const { verdict, reason } = value;
  if (verdict === 'ok') return { id, result: 'ok' };
  if (verdict !== 'deny' && verdict !== 'ask') return { id, result: 'failed', why: 'result has no known verdict' };
  const said = typeof reason === 'string' && reason !== '' ? reason.slice(0, REASON_CHARS_MAX) : `The check "${id}" of this workstation ${verdict === 'deny' ? 'refuses this' : 'wants a person to confirm this'}.`;
  return { id, result: verdict, reason: said };
}

function runOne(spec: EvaluatorSpec, payload: Payload, place: EvaluatorPlace, msLeft: number): EvaluatorResult {
  const { id } = spec;
  const failed = (why: string): EvaluatorResult => ({ id, result: 'failed', why });
  const workspace = payload.workspace;
  if (workspace === undefined) return failed('no workspace');
  if (msLeft < LEAST_MS) return failed('no time left');
  const script = spec.inWorkspace ? below(place.platform, workspace, spec.script) : spec.script;
  if (!isThere(script)) return spec.inWorkspace ? { id, result: 'absent' } : failed('script is missing');
  const interpreter = spec.interpreter.length === 0 ? [] : findInterpreter(spec.interpreter, place, workspace);
  if (interpreter === undefined) return failed('no interpreter');
  const [program = script, ...args] = [...interpreter, script, ...spec.args];
  const ran = spawnSync(program, args, {
    cwd: workspace, input: evaluatorDocument(payload), env: smallEnvironment(place.env, id, payload.event), encoding: 'utf8',
    timeout: Math.min(spec.timeoutMs, msLeft), maxBuffer: spec.outputBytes, killSignal: 'SIGKILL', windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own, so that what it started ends with it.
    ...(place.platform === 'win32' ? {} : { detached: true }),
  });
  const code = ran.error === undefined ? undefined : 'code' in ran.error ? String(ran.error.code) : 'unknown';
  if (code !== undefined && code !== 'EPIPE') {
    endGroup(ran.pid, place.platform);
    return failed(code === 'ETIMEDOUT' ? 'timeout' : code === 'ENOBUFS' ? 'too much output' : `cannot start ${code}`);
  }
  if (ran.status !== 0) return failed(ran.signal === null ? `exit ${ran.status ?? 'unknown'}` : `ended by ${ran.signal}`);
  return parseResult(id, ran.stdout);
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function endGroup(pid: number | undefined, platform: string): void {
  if (platform === 'win32' || pid === undefined || pid <= 1) return;
  try { process.kill(-pid, 'SIGKILL'); } catch { /* nothing is left of it */ }
}

export function runEvaluators(specs: readonly EvaluatorSpec[], payload: Payload, place: EvaluatorPlace): EvaluatorResult[] {
  const deadline = Date.now() + EVALUATORS_MS_MAX;
  return specs.map((spec) => runOne(spec, payload, place, deadline - Date.now()));
}
