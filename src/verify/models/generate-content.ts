// Contract: Gemini's generateContent API as a scripted model speaks it (Gemini CLI). PURE.
import { object, own, text } from '../../clients/dialect-kit.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { ModelApi, Reply, ReplyBody, ToolResult, TurnRequest } from './script.ts';
import { contentText, dataEvent, list, stream, whole } from './wire.ts';

const USAGE: JsonObject = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };

/** A response is an object: `error` where the call failed, `output` where it did not, else whatever it holds. */
function resultOf(response: JsonObject): ToolResult {
  const body = object(response, 'response') ?? {};
  const error = own(body, 'error');
  const output = own(body, 'output') ?? own(body, 'content');
  return { id: text(response, 'id'), text: contentText(error ?? output ?? body), failed: error !== undefined };
}

const toolsOf = (body: JsonObject): JsonObject[] => list(body, 'tools').flatMap((group) => list(group, 'functionDeclarations'));

function read(body: JsonObject, path: string): TurnRequest {
  const config = object(body, 'generationConfig') ?? {};
  const json = text(config, 'responseMimeType') === 'application/json';
  return {
    stream: path.endsWith(':streamGenerateContent'),
    model: /([^/:]+):[A-Za-z]+$/.exec(path)?.[1] ?? '',
    tools: toolsOf(body).flatMap((tool) => text(tool, 'name') ?? []),
    inputOf: (name) => {
      const tool = toolsOf(body).find((one) => text(one, 'name') === name) ?? {};
      return own(tool, 'parametersJsonSchema') ?? own(tool, 'parameters');
    },
    results: list(body, 'contents').flatMap((content) => list(content, 'parts'))
      .flatMap((part) => (isObject(part['functionResponse']) ? [resultOf(part['functionResponse'])] : [])),
    schema: json ? own(config, 'responseJsonSchema') ?? own(config, 'responseSchema') ?? { type: 'object' } : undefined,
  };
}

function reply(what: Reply, request: TurnRequest, serial: number): ReplyBody {
  const part: JsonObject = what.kind === 'call' ? { functionCall: { id: what.id, name: what.step.tool, args: what.step.input } } : { text: what.text };
  const document: JsonObject = {
    responseId: `praetorctl_${serial}`, modelVersion: request.model, usageMetadata: USAGE,
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  };
  return request.stream ? stream([dataEvent(document)]) : whole(document);
}

export const geminiGenerateContent: ModelApi = {
  id: 'gemini-generate-content',
  basePath: '',
  route: (method, path) => {
    if (method === 'POST') return /:(?:streamGenerateContent|generateContent)$/.test(path) ? 'turn' : path.endsWith(':countTokens') ? 'count' : 'unknown';
    return path.endsWith('/models') ? 'models' : 'unknown';
  },
  read,
  reply,
  count: { totalTokens: 1 },
  models: { models: [] },
  error: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
};
