// Contract: what a scripted model keeps of a run: per step how often it was played and what the client sent back for it,
// which tools were on offer, one short line per request. Bounded; never a header, a key or a prompt. PURE.
import type { ModelScript, Reply, Route, ToolResult, TurnRequest } from './script.ts';
import { callId, nextStep, resultsByStep, stepAt, textFor } from './script.ts';

export const RESULT_CHARS_MAX = 4_096;
export const TOOLS_MAX = 512;
export const REQUEST_LINES_MAX = 256;
export const FAULTS_MAX = 32;
/** A client that asks for one step so often does not go on: the model then ends the turn. */
export const STEP_PLAYS_MAX = 4;
const NAME_CHARS_MAX = 128;
const PATH_CHARS_MAX = 200;

export interface StepRecord {
  readonly played: number;
  /** As the client sent it first, cut to RESULT_CHARS_MAX. */
  readonly result: { readonly text: string; readonly failed: boolean } | undefined;
}

export interface RequestLine {
  readonly method: string;
  /** Below the server's own prefix, without a query. */
  readonly path: string;
  readonly route: Route;
  readonly status: number;
  readonly tools: number;
}

export interface ModelRecord {
  readonly steps: readonly StepRecord[];
  /** How often the ending was said in a conversation with tools, after the last step. */
  readonly endings: number;
  /** Requests without tools that were answered by text. */
  readonly auxiliary: number;
  readonly tools: readonly string[];
  readonly requests: readonly RequestLine[];
  /**
   * Requests that were refused because they did not come under the prefix or not for this address. Not a fault by itself:
   * Claude Code 2.1.197 sends one to the bare address.
   */
  readonly strangers: number;
  /** Why something of the client was refused. Empty in an orderly run. */
  readonly faults: readonly string[];
}

/** Collects a record. `play` is the model's whole mind. */
export interface Recorder {
  readonly play: (request: TurnRequest) => Reply;
  readonly line: (line: RequestLine) => void;
  readonly fault: (what: string) => void;
  readonly stranger: () => void;
  readonly record: () => ModelRecord;
}

const cut = (text: string, max: number): string => (text.length > max ? text.slice(0, max) : text);

export function recorder(script: ModelScript): Recorder {
  const steps = script.steps.map((): { played: number; result: StepRecord['result'] } => ({ played: 0, result: undefined }));
  const tools = new Set<string>();
  const requests: RequestLine[] = [];
  const faults: string[] = [];
  let endings = 0;
  let auxiliary = 0;
  let strangers = 0;
  const fault = (what: string): void => {
    if (faults.length < FAULTS_MAX && !faults.includes(what)) faults.push(what);
  };
  const keep = (answered: ReadonlyMap<number, ToolResult>): void => {
    for (const [index, { text, failed }] of answered) {
      const step = steps[index];
      if (step !== undefined && step.result === undefined) step.result = { text: cut(text, RESULT_CHARS_MAX), failed };
    }
  };
  const play = (request: TurnRequest): Reply => {
    for (const name of request.tools) if (tools.size < TOOLS_MAX) tools.add(cut(name, NAME_CHARS_MAX));
    const answered = resultsByStep(request.results, steps.length);
    keep(answered);
    const next = nextStep(script, request, answered);
    const step = stepAt(script, next, request, answered);
    const state = next === undefined ? undefined : steps[next];
    if (next !== undefined && step !== undefined && state !== undefined) {
      if (state.played < STEP_PLAYS_MAX) {
        state.played += 1;
        return { kind: 'call', id: callId(next), step };
      }
      fault(`step ${next} was asked for more than ${STEP_PLAYS_MAX} times`);
    }
    if (request.tools.length === 0) auxiliary += 1;
    else endings += 1;
    return { kind: 'text', text: textFor(script, request) };
  };
  return {
    play,
    fault,
    stranger: () => { strangers += 1; },
    line: (line) => {
      if (requests.length < REQUEST_LINES_MAX) requests.push({ ...line, path: cut(line.path, PATH_CHARS_MAX) });
    },
    record: () => ({ steps: steps.map((step) => ({ ...step })), endings, auxiliary, strangers, tools: [...tools], requests: [...requests], faults: [...faults] }),
  };
}
