// Contract: asks a server for its tools: started or connected to, initialised, listed, ended. IO. Bounded in time, pages and bytes.
// Starting a server is running code: the caller has asked the person before.
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { OPERATIONS_MAX } from '../../contract/catalogue.ts';
import { canonicalJson, type ToolDefinition } from '../../contract/pins.ts';
import { messageOf, request } from '../messages.ts';
import { lineSplitter } from './lines.ts';
import type { Link, LinkEvents } from './link.ts';

export const INSPECT_MS_MAX = 60_000;
const PAGES_MAX = 1_000;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const PROTOCOL = '2025-11-25';

export interface Refused { readonly where: string; readonly message: string }

export interface Inspected { readonly tools: readonly ToolDefinition[]; /** Left out of the list, and why. */ readonly refused: readonly Refused[]; readonly version: string; readonly protocol: string }

/** Rejects with a sentence that says what the server did instead. */
export function inspectServer(start: (events: LinkEvents) => Link, capabilities: JsonObject, limitMs = INSPECT_MS_MAX): Promise<Inspected> {
  return new Promise((done, fail) => {
    const tools: ToolDefinition[] = [];
    const refused: Refused[] = [];
    const cursors = new Set<string>();
    let info = { version: '', protocol: PROTOCOL };
    let pages = 0;
    let over: (() => void) | undefined;
    /** What is known then is told once the server has ended: a session over HTTP is not left open. */
    const finish = (error?: string): void => {
      if (over !== undefined) return;
      over = () => (error === undefined ? done({ tools, refused, ...info }) : fail(new Error(error)));
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
      if (!Array.isArray(result['tools'])) return finish('its list of tools is no list');
      for (const tool of result['tools']) {
        const fault = toolFault(tool);
        if (fault === undefined) tools.push(tool as unknown as ToolDefinition);
        else refused.push({ where: nameIn(tool), message: fault });
      }
      if (tools.length > OPERATIONS_MAX || refused.length > OPERATIONS_MAX) return finish(`it lists more than ${OPERATIONS_MAX} tools`);
      const cursor = result['nextCursor'];
      if (cursor === undefined || cursor === null || cursor === '') return finish();
      // What is behind a page that is not asked for would be a tool that nobody saw.
      if (typeof cursor !== 'string') return finish('it names a next page that cannot be asked for');
      if (cursors.has(cursor)) return finish('its pages of tools have no end: one names a page that was read before');
      if (pages >= PAGES_MAX) return finish(`its list of tools has more than ${PAGES_MAX} pages`);
      cursors.add(cursor);
      list(cursor);
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

const NAME_CHARS_MAX = 128;

const nameIn = (tool: JsonValue): string => (isObject(tool) && typeof tool['name'] === 'string' ? tool['name'].slice(0, NAME_CHARS_MAX) : 'a tool');

/** Why a tool cannot be in a catalogue; undefined: it can. */
function toolFault(tool: JsonValue): string | undefined {
  if (!isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return 'left out: it has no name';
  if (tool['name'].length > NAME_CHARS_MAX) return `left out: its name is longer than ${NAME_CHARS_MAX} characters`;
  if (tool['name'] === '__proto__') return 'left out: its name is no key that a document can hold';
  if (!isObject(tool['inputSchema'])) return 'left out: it has no schema of its arguments';
  try {
    canonicalJson(tool);
  } catch (error) {
    return `left out: its definition is ${error instanceof Error ? error.message : 'not readable'}`;
  }
  return undefined;
}

/** Its own words, in one line. */
function reasonOf(error: JsonValue | undefined): string {
  const text = isObject(error) && typeof error['message'] === 'string' ? error['message'].replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200) : '';
  return text === '' ? '' : `: ${text}`;
}
