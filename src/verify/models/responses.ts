// Contract: the OpenAI Responses API as a scripted model speaks it (Codex). PURE.
import { flag, object, own, text } from '../../clients/dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ModelApi, Reply, ReplyBody, ToolResult, TurnRequest } from './script.ts';
import { contentText, endsWith, list, namedEvent, pieces, stream, whole } from './wire.ts';

const USAGE: JsonObject = {
  input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2,
};
const OUTPUTS: readonly string[] = ['function_call_output', 'custom_tool_call_output'];

function resultsOf(body: JsonObject): ToolResult[] {
  return list(body, 'input').filter((item) => OUTPUTS.includes(text(item, 'type') ?? ''))
    .map((item) => ({ id: text(item, 'call_id'), text: contentText(own(item, 'output')), failed: false }));
}

/** Tools of a namespace (an MCP server in Codex) come as a group. */
function namedTools(body: JsonObject): [name: string, tool: JsonObject][] {
  return list(body, 'tools').flatMap((tool): [string, JsonObject][] => {
    const name = text(tool, 'name') ?? text(tool, 'type') ?? '';
    const inner = list(tool, 'tools');
    return inner.length === 0 ? [[name, tool]] : inner.map((member) => [`${name}__${text(member, 'name') ?? ''}`, member]);
  });
}

function read(body: JsonObject): TurnRequest {
  const format = object(object(body, 'text') ?? {}, 'format');
  return {
    stream: flag(body, 'stream'),
    model: text(body, 'model') ?? '',
    tools: namedTools(body).map(([name]) => name),
    inputOf: (name) => own(namedTools(body).find(([one]) => one === name)?.[1] ?? {}, 'parameters'),
    results: resultsOf(body),
    schema: format !== undefined && text(format, 'type') === 'json_schema' ? own(format, 'schema') : undefined,
  };
}

/** The item as it is when complete; `filled` false: as it is when it begins. */
function itemOf(what: Reply, serial: number, filled: boolean): JsonObject {
  const status = filled ? 'completed' : 'in_progress';
  if (what.kind === 'text') {
    return { type: 'message', id: `msg_praetorctl_${serial}`, role: 'assistant', status, content: filled ? [{ type: 'output_text', text: what.text, annotations: [] }] : [] };
  }
  const { tool, namespace, input } = what.step;
  return {
    type: 'function_call', id: `fc_praetorctl_${serial}`, call_id: what.id, name: tool, status,
    ...(namespace === undefined ? {} : { namespace }), arguments: filled ? JSON.stringify(input) : '',
  };
}

function between(what: Reply, serial: number): [string, JsonObject][] {
  if (what.kind === 'call') {
    const at = { item_id: `fc_praetorctl_${serial}`, output_index: 0 };
    const all = JSON.stringify(what.step.input);
    return [
      ...pieces(all).map((delta): [string, JsonObject] => ['response.function_call_arguments.delta', { ...at, delta }]),
      ['response.function_call_arguments.done', { ...at, name: what.step.tool, arguments: all }],
    ];
  }
  const at = { item_id: `msg_praetorctl_${serial}`, output_index: 0, content_index: 0 };
  return [
    ['response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }],
    ...pieces(what.text).map((delta): [string, JsonObject] => ['response.output_text.delta', { ...at, delta }]),
    ['response.output_text.done', { ...at, text: what.text }],
    ['response.content_part.done', { ...at, part: { type: 'output_text', text: what.text, annotations: [] } }],
  ];
}

function reply(what: Reply, request: TurnRequest, serial: number): ReplyBody {
  const head: JsonObject = { id: `resp_praetorctl_${serial}`, object: 'response', created_at: 1, model: request.model };
  const item = itemOf(what, serial, true);
  const complete: JsonObject = { ...head, status: 'completed', output: [item], usage: USAGE };
  if (!request.stream) return whole(complete);
  const events: [string, JsonObject][] = [
    ['response.created', { response: { ...head, status: 'in_progress', output: [] } }],
    ['response.output_item.added', { output_index: 0, item: itemOf(what, serial, false) }],
    ...between(what, serial),
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: complete }],
  ];
  return stream(events.map(([type, data], index) => namedEvent(type, { sequence_number: index, ...data })));
}

export const openaiResponses: ModelApi = {
  id: 'openai-responses',
  basePath: '/v1',
  route: (method, path) => {
    if (method === 'POST') return endsWith(path, 'responses') ? 'turn' : endsWith(path, 'input_tokens') ? 'count' : 'unknown';
    return endsWith(path, 'models') ? 'models' : 'unknown';
  },
  read,
  reply,
  count: { object: 'response.input_tokens', input_tokens: 1 },
  // Codex reads `models`, everybody else `data`.
  models: { object: 'list', data: [], models: [] },
  error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};
