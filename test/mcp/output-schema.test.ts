// A result that does not fit the output schema of its tool, of a call that was made: the client is shown no schema that it could fail,
// in both eras, and gets the result as it came.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { buildHook } from '../hook/support.ts';
import { lab, start, withId } from './lab.ts';
import { initialize, modernMeta, toolCall } from './support.ts';

beforeAll(buildHook);

const TOOL = 'payments_get_payment';
interface Shown { readonly name: string; readonly outputSchema?: JsonObject }

/** The rule of the SDK's client (1.32.2), for the schema of these tools: an object whose `ok` is a boolean. */
function clientFails(tool: Shown | undefined, result: JsonObject): boolean {
  if (tool?.outputSchema === undefined || result['isError'] === true) return false;
  const content = result['structuredContent'];
  return typeof content !== 'object' || content === null || Array.isArray(content) || !['boolean', 'undefined'].includes(typeof content['ok']);
}

describe.each([['legacy', {}], ['modern', modernMeta({})]] as const)('in the %s era', (era, meta) => {
  it.each<[string, JsonValue | undefined]>([['no structuredContent', undefined], ['a wrong type', { ok: 'yes' }], ['no object', [1]], ['what fits', { ok: true }]])('%s', async (_what, structured) => {
    const of = lab();
    const declared = (JSON.parse(readFileSync(of.tools, 'utf8')) as Shown[]).find(({ name }) => name === TOOL);
    expect(declared?.outputSchema).toBeDefined();
    const wire = start(of);
    if (era === 'legacy') wire.send(initialize());
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta as JsonObject });
    const { tools } = (await wire.until(withId(1)))['result'] as unknown as { tools: Shown[] };
    wire.send(toolCall(2, TOOL, structured === undefined ? {} : { structured }, meta));
    const result = (await wire.until(withId(2)))['result'] as JsonObject;
    expect(result['structuredContent']).toEqual(structured);
    expect(readFileSync(of.log, 'utf8')).toContain('tools/call');
    const shown = tools.find(({ name }) => name === TOOL);
    expect(shown).toBeDefined();
    expect(clientFails(shown, result)).toBe(false);
    // Without the runtime it would fail.
    expect(clientFails(declared, result)).toBe(structured === undefined || JSON.stringify(structured) !== '{"ok":true}');
  });
});
