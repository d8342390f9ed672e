// Contract: asks a server for its tools: started or connected to, initialised, listed, ended. IO. Bounded in time, pages and bytes.
// Starting a server is running code: the caller has asked the person before.
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { ToolDefinition } from '../../contract/pins.ts';
import { messageOf, request } from '../messages.ts';
import { lineSplitter } from './lines.ts';
import type { Link, LinkEvents } from './link.ts';

export const INSPECT_MS_MAX = 60_000;
const PAGES_MAX = 1_000;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const PROTOCOL = '2025-11-25';

export interface Inspected { readonly tools: readonly ToolDefinition[]; readonly version: string; readonly protocol: string }

/** Rejects with a sentence that says what the server did instead. */
export function inspectServer(start: (events: LinkEvents) => Link, capabilities: JsonObject, limitMs = INSPECT_MS_MAX): Promise<Inspected> {
  return new Promise((done, fail) => {
    const tools: ToolDefinition[] = [];
    let info = { version: '', protocol: PROTOCOL };
    let pages = 0;
    let over: (() => void) | undefined;
    /** What is known then is told once the server has ended: a session over HTTP is not left open. */
    const finish = (error?: string): void => {
      if (over !== undefined) return;
      over = () => (error === undefined ? done({ tools, ...info }) : fail(new Error(error)));
      clearTimeout(timer);
      link.end();
    };
    const timer = setTimeout(() => finish(`it did not list its tools within ${limitMs / 1000} s`), limitMs);
    const list = (cursor?: string): void => void link.send(request(`praetor-${++pages}`, 'tools/list', cursor === undefined ? {} : { cursor }));
    const take = (line: Buffer): void => {
      const message = messageOf(line.toString('utf8'));
      if (message.kind === 'request') {
        link.send(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'not here' } })}\n`);
        return;
      }
      if (message.kind !== 'response') return;
      const { result } = message.value;
      if (!isObject(result)) return finish(`it answered with an error${reasonOf(message.value['error'])}`);
      if (message.id === 'praetor-init') {
        const server = isObject(result['serverInfo']) ? result['serverInfo'] : {};
        info = { version: typeof server['version'] === 'string' ? server['version'] : '', protocol: typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : PROTOCOL };
        link.send(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
        return list();
      }
      if (message.id !== `praetor-${pages}`) return;
      for (const tool of Array.isArray(result['tools']) ? result['tools'] : []) if (isTool(tool)) tools.push(tool as unknown as ToolDefinition);
      const cursor = result['nextCursor'];
      if (typeof cursor === 'string' && cursor !== '' && pages < PAGES_MAX) list(cursor);
      else finish();
    };
    const split = lineSplitter(take, LINE_BYTES_MAX);
    const link = start({
      onChunk: (chunk) => {
        try {
          split(chunk);
        } catch (error) {
          finish(error instanceof Error ? error.message : 'it sent what cannot be read');
        }
      },
      onDrain: () => undefined,
      onEnd: (code, why) => {
        finish(why ?? `it ended with ${code} before it listed its tools`);
        over?.();
      },
    });
    link.send(request('praetor-init', 'initialize', { protocolVersion: PROTOCOL, capabilities, clientInfo: { name: 'praetorctl', version: '1' } }));
  });
}

function isTool(tool: unknown): boolean {
  return isObject(tool) && typeof tool['name'] === 'string' && tool['name'].length > 0 && tool['name'].length <= 128 && isObject(tool['inputSchema']);
}

/** Its own words, in one line. */
function reasonOf(error: JsonValue | undefined): string {
  const text = isObject(error) && typeof error['message'] === 'string' ? error['message'].replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200) : '';
  return text === '' ? '' : `: ${text}`;
}
