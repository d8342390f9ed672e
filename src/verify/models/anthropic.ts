// Contract: the Anthropic Messages API as a scripted model speaks it (Claude Code). PURE.
import { flag, object, own, text } from '../../clients/dialect-kit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ModelApi, Reply, ReplyBody, ToolResult, TurnRequest } from './script.ts';
import { contentText, endsWith, list, namedEvent, pieces, stream, whole } from './wire.ts';

const USAGE: JsonObject = { input_tokens: 1, output_tokens: 1 };

function resultsOf(body: JsonObject): ToolResult[] {
  return list(body, 'messages').filter((message) => text(message, 'role') === 'user').flatMap((message) => list(message, 'content'))
    .filter((block) => text(block, 'type') === 'tool_result')
    .map((block) => ({ id: text(block, 'tool_use_id'), text: contentText(own(block, 'content')), failed: flag(block, 'is_error') }));
}

function read(body: JsonObject): TurnRequest {
  const config = object(body, 'output_config') ?? {};
  const format = object(config, 'format') ?? object(body, 'output_format');
  return {
    stream: flag(body, 'stream'),
    model: text(body, 'model') ?? '',
    tools: list(body, 'tools').flatMap((tool) => text(tool, 'name') ?? []),
    inputOf: (name) => own(list(body, 'tools').find((tool) => text(tool, 'name') === name) ?? {}, 'input_schema'),
    results: resultsOf(body),
    schema: format === undefined ? undefined : own(format, 'schema'),
  };
}

function reply(what: Reply, request: TurnRequest, serial: number): ReplyBody {
  const reason = what.kind === 'call' ? 'tool_use' : 'end_turn';
  const head: JsonObject = { id: `msg_praetorctl_${serial}`, type: 'message', role: 'assistant', model: request.model };
  if (!request.stream) return whole({ ...head, content: [finished(what)], stop_reason: reason, stop_sequence: null, usage: USAGE });
  const opening: JsonObject = what.kind === 'call' ? { type: 'tool_use', id: what.id, name: what.step.tool, input: {} } : { type: 'text', text: '' };
  const deltas: JsonObject[] = what.kind === 'call'
    ? pieces(JSON.stringify(what.step.input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
    : pieces(what.text).map((piece) => ({ type: 'text_delta', text: piece }));
  return stream([
    namedEvent('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: USAGE } }),
    namedEvent('content_block_start', { index: 0, content_block: opening }),
    ...deltas.map((delta) => namedEvent('content_block_delta', { index: 0, delta })),
    namedEvent('content_block_stop', { index: 0 }),
    namedEvent('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } }),
    namedEvent('message_stop', {}),
  ]);
}

function finished(what: Reply): JsonObject {
  return what.kind === 'call' ? { type: 'tool_use', id: what.id, name: what.step.tool, input: what.step.input } : { type: 'text', text: what.text };
}

export const anthropicMessages: ModelApi = {
  id: 'anthropic-messages',
  basePath: '',
  route: (method, path) => {
    if (method === 'POST') return endsWith(path, 'messages') ? 'turn' : endsWith(path, 'count_tokens') ? 'count' : 'unknown';
    return endsWith(path, 'models') ? 'models' : 'unknown';
  },
  read,
  reply,
  count: { input_tokens: 1 },
  models: { data: [], has_more: false, first_id: null, last_id: null },
  error: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};
