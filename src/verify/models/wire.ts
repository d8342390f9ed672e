// Contract: what the four APIs share on the wire: server-sent events, tool input as streamed JSON text, content that is a
// string or a list of text parts. PURE.
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { own, text } from '../../clients/dialect-kit.ts';
import type { ReplyBody } from './script.ts';

/** The length of one piece of streamed tool input: short, so that a client has to put pieces together. */
const PIECE_CHARS = 24;
const PIECES_MAX = 64;

/** One event with its name repeated in the data, as Anthropic and OpenAI Responses send it. */
export function namedEvent(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

export function dataEvent(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function stream(parts: readonly string[]): ReplyBody {
  return { type: 'text/event-stream', parts };
}

export function whole(document: JsonObject): ReplyBody {
  return { type: 'application/json', parts: [JSON.stringify(document)] };
}

/** Never empty, so that every call has at least one piece. */
export function pieces(all: string): string[] {
  const size = Math.max(PIECE_CHARS, Math.ceil(all.length / PIECES_MAX));
  const cut: string[] = [];
  for (let at = 0; at < all.length; at += size) cut.push(all.slice(at, at + size));
  return cut.length === 0 ? [''] : cut;
}

export function list(document: JsonObject, key: string): JsonObject[] {
  const value = own(document, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A string, or the `text` of every part of a list, joined by newlines. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((part) => (typeof part === 'string' ? part : isObject(part) ? text(part, 'text') ?? '' : '')).filter((part) => part !== '').join('\n');
}

/** The last step of a path such as `/v1/messages`. */
export function endsWith(path: string, ...words: readonly string[]): boolean {
  return words.some((word) => path === word || path.endsWith(`/${word}`));
}
