// Contract: the OpenAI Chat Completions API as a scripted model speaks it (Qwen Code, OpenCode, Copilot CLI, Droid, Cline). PURE.
import { flag, object, own, text } from '../../clients/dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ModelApi, Reply, ReplyBody, ToolResult, TurnRequest } from './script.ts';
import { contentText, dataEvent, endsWith, list, pieces, stream, whole } from './wire.ts';

const USAGE: JsonObject = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function resultsOf(body: JsonObject): ToolResult[] {
  return list(body, 'messages').filter((message) => text(message, 'role') === 'tool')
    .map((message) => ({ id: text(message, 'tool_call_id'), text: contentText(own(message, 'content')), failed: false }));
}

function read(body: JsonObject): TurnRequest {
  const format = object(body, 'response_format');
  const schema = format === undefined ? undefined : own(object(format, 'json_schema') ?? {}, 'schema');
  return {
    stream: flag(body, 'stream'),
    model: text(body, 'model') ?? '',
    tools: list(body, 'tools').flatMap((tool) => text(object(tool, 'function') ?? {}, 'name') ?? text(tool, 'name') ?? []),
    inputOf: (name) => own(list(body, 'tools').map((tool) => object(tool, 'function') ?? tool).find((tool) => text(tool, 'name') === name) ?? {}, 'parameters'),
    results: resultsOf(body),
    // `json_object` names no schema: the empty object is the smallest answer.
    schema: schema ?? (format !== undefined && text(format, 'type') === 'json_object' ? { type: 'object' } : undefined),
  };
}

function callOf(id: string, name: string, input: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: input } };
}

function reply(what: Reply, request: TurnRequest, serial: number): ReplyBody {
  const reason = what.kind === 'call' ? 'tool_calls' : 'stop';
  const head: JsonObject = { id: `chatcmpl_praetorctl_${serial}`, created: 1, model: request.model };
  if (!request.stream) {
    const message: JsonObject = what.kind === 'call'
      ? { role: 'assistant', content: null, tool_calls: [callOf(what.id, what.step.tool, JSON.stringify(what.step.input))] }
      : { role: 'assistant', content: what.text };
    return whole({ ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage: USAGE });
  }
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    dataEvent({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  const deltas: JsonObject[] = what.kind === 'call'
    ? [
        { role: 'assistant', content: null, tool_calls: [{ index: 0, ...callOf(what.id, what.step.tool, '') }] },
        ...pieces(JSON.stringify(what.step.input)).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
      ]
    : [{ role: 'assistant', content: '' }, ...pieces(what.text).map((piece) => ({ content: piece }))];
  return stream([
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reason),
    dataEvent({ ...head, object: 'chat.completion.chunk', choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ]);
}

export const openaiChat: ModelApi = {
  id: 'openai-chat-completions',
  basePath: '/v1',
  route: (method, path) => {
    if (method === 'POST') return endsWith(path, 'chat/completions') ? 'turn' : 'unknown';
    return endsWith(path, 'models') ? 'models' : 'unknown';
  },
  read,
  reply,
  count: {},
  models: { object: 'list', data: [] },
  error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};
