// Contract: what a scripted model plays and what it understands of a client's request, in words that all four APIs share.
// The next step is read from the conversation that the client sends, not from a counter: a client that asks again gets the
// same step again, and a side conversation does not use a step up. PURE.
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { exampleOf } from './example.ts';

/** One tool call that the model makes. */
export interface ToolStep {
  /** The tool's name in the client's own spelling. */
  readonly tool: string;
  /** Codex groups the tools of an MCP server under a namespace; other APIs have none. */
  readonly namespace?: string;
  readonly input: JsonObject;
}

/** A step that depends on what the client offers and has answered; undefined: the model ends instead. */
export type ChosenStep = (request: TurnRequest, answered: ReadonlyMap<number, ToolResult>) => ToolStep | undefined;

export interface ModelScript {
  readonly steps: readonly (ToolStep | ChosenStep)[];
  /** What the model says when every step has a result, and to requests without tools. */
  readonly ending: string;
}

/** What a client sends back for one tool call. */
export interface ToolResult {
  readonly id: string | undefined;
  readonly text: string;
  /** The API marks it as an error. Where an API has no such mark, false. */
  readonly failed: boolean;
}

/** One request for a model turn. */
export interface TurnRequest {
  readonly stream: boolean;
  readonly model: string;
  /** Names of the tools on offer. None: an auxiliary request (title, summary, routing). */
  readonly tools: readonly string[];
  /** The JSON schema of a tool's input, where the client says one. */
  readonly inputOf?: (tool: string) => JsonValue | undefined;
  readonly results: readonly ToolResult[];
  /** The answer must be a document of this JSON schema. */
  readonly schema: JsonValue | undefined;
}

export type Reply =
  | { readonly kind: 'call'; readonly id: string; readonly step: ToolStep }
  | { readonly kind: 'text'; readonly text: string };

export interface ReplyBody {
  readonly type: 'text/event-stream' | 'application/json';
  /** Sent one by one, so that a client sees a stream. */
  readonly parts: readonly string[];
}

/** What a path of an API is for. */
export type Route = 'turn' | 'count' | 'models' | 'unknown';

/** One vendor's API. */
export interface ModelApi {
  readonly id: string;
  /** What a client's base URL must end with. */
  readonly basePath: '' | '/v1';
  /** `path` is below the server's own prefix, without a query. */
  readonly route: (method: string, path: string) => Route;
  readonly read: (body: JsonObject, path: string) => TurnRequest;
  /** `serial` makes ids of messages differ within a run. */
  readonly reply: (reply: Reply, request: TurnRequest, serial: number) => ReplyBody;
  /** Answers to token counts and to the list of models. */
  readonly count: JsonObject;
  readonly models: JsonObject;
  readonly error: (message: string) => JsonObject;
}

const CALL_ID = 'call_praetorctl_';

export function callId(step: number): string {
  return `${CALL_ID}${step}`;
}

/**
 * The results by step. A client that gives calls ids of its own sends the results in the order of the calls; where our ids
 * came back, results without one belong to calls that the client made up.
 */
export function resultsByStep(results: readonly ToolResult[], steps: number): ReadonlyMap<number, ToolResult> {
  const isOurs = (result: ToolResult): boolean => result.id?.startsWith(CALL_ID) === true;
  const named = results.some(isOurs);
  const found = new Map<number, ToolResult>();
  results.forEach((result, position) => {
    if (named && !isOurs(result)) return;
    const step = named ? Number(result.id?.slice(CALL_ID.length)) : position;
    if (Number.isInteger(step) && step >= 0 && step < steps && !found.has(step)) found.set(step, result);
  });
  return found;
}

/** The step that a request is to be answered with; undefined: none is left, or the request offers no tool. */
export function nextStep(script: ModelScript, request: TurnRequest, answered: ReadonlyMap<number, ToolResult>): number | undefined {
  if (request.tools.length === 0) return undefined;
  const next = script.steps.findIndex((_, index) => !answered.has(index));
  return next < 0 ? undefined : next;
}

/** The step itself. */
export function stepAt(script: ModelScript, at: number | undefined, request: TurnRequest, answered: ReadonlyMap<number, ToolResult>): ToolStep | undefined {
  const step = at === undefined ? undefined : script.steps[at];
  return typeof step === 'function' ? step(request, answered) : step;
}

/** The text of an auxiliary answer or of the ending: plain, or the smallest document of the schema asked for. */
export function textFor(script: ModelScript, request: TurnRequest): string {
  if (request.schema === undefined || request.tools.length > 0) return script.ending;
  return JSON.stringify(exampleOf(request.schema, script.ending));
}
