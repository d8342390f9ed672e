// The MCP call of a proof: which tool it takes, when it is made at all, what stands in its arguments, and that the rule refuses it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { CANARY_RULE, MCP_CANARY_RULE, mcpCanary } from '../../src/policy/canary.ts';
import { RULES } from '../../src/policy/rules-all.ts';
import { MCP_RULES } from '../../src/policy/rules/mcp.ts';
import { anthropicMessages } from '../../src/verify/models/anthropic.ts';
import { openaiChat } from '../../src/verify/models/chat.ts';
import { geminiGenerateContent } from '../../src/verify/models/generate-content.ts';
import { openaiResponses } from '../../src/verify/models/responses.ts';
import type { ToolResult, TurnRequest } from '../../src/verify/models/script.ts';
import { mcpCall, mcpSeen } from '../../src/verify/prove-mcp.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const CANARY = mcpCanary(NONCE);
const refused: ReadonlyMap<number, ToolResult> = new Map([[1, { id: 'x', text: `no [praetorctl: ${CANARY_RULE}]`, failed: true }]]);
const request = (tools: readonly string[], inputOf?: TurnRequest['inputOf']): TurnRequest => ({ stream: true, model: 'm', tools, results: [], schema: undefined, ...(inputOf === undefined ? {} : { inputOf }) });
const call = (servers: readonly string[] = ['lab'], namespace?: true): ReturnType<typeof mcpCall> => mcpCall({ prefix: (server) => `mcp__${server}__`, ...(namespace === undefined ? {} : { namespace }) }, servers, NONCE, 1);

describe('the call', () => {
  it('is made only after the hook refused the canary command', () => {
    const offer = request(['Bash', 'mcp__lab__echo']);
    for (const answered of [new Map<number, ToolResult>(), new Map([[1, { id: 'x', text: 'ran', failed: false }]])]) {
      const one = call();
      expect(one.step(offer, answered)).toBeUndefined();
      expect(one.called()).toBeUndefined();
    }
    const one = call();
    expect(one.step(offer, refused)).toMatchObject({ tool: 'mcp__lab__echo', input: { praetorctl_canary: CANARY } });
    expect(one.called()).toBe('mcp__lab__echo');
  });

  it('takes tools of our own servers alone, and none whose name says that it writes', () => {
    expect(call().step(request(['mcp__other__echo', 'mcp__lab__', 'mcp__lab__delete_file', 'mcp__lab__createIssue']), refused)).toBeUndefined();
    expect(call([]).step(request(['mcp__lab__echo']), refused)).toBeUndefined();
    expect(call(['other', 'lab']).step(request(['mcp__lab__write_file', 'mcp__lab__list']), refused)).toMatchObject({ tool: 'mcp__lab__list' });
  });

  it('names the namespace apart where the client has one', () => {
    expect(call(['lab'], true).step(request(['mcp__lab__echo']), refused)).toMatchObject({ namespace: 'mcp__lab', tool: 'echo' });
  });

  it('holds the canary in arguments that the tool takes', () => {
    const schema = { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } }, required: ['text', 'count'] };
    expect(call().step(request(['mcp__lab__echo'], () => schema), refused)?.input).toEqual({ text: CANARY, count: 1 });
    expect(call().step(request(['mcp__lab__echo'], () => ({ type: 'object' })), refused)?.input).toEqual({ praetorctl_canary: CANARY });
  });

  it.each<[string, TurnRequest]>([
    ['messages', anthropicMessages.read({ tools: [{ name: 'a' }, { name: 'b', input_schema: { x: 1 } }], messages: [] }, '/v1/messages')],
    ['chat', openaiChat.read({ tools: [{ type: 'function', function: { name: 'b', parameters: { x: 1 } } }], messages: [] }, '/v1/chat/completions')],
    ['generateContent', geminiGenerateContent.read({ tools: [{ functionDeclarations: [{ name: 'b', parametersJsonSchema: { x: 1 } }] }], contents: [] }, '/v1/models/m:generateContent')],
  ])('reads the schema of a tool from %s', (_api, read) => {
    expect([read.inputOf?.('b'), read.inputOf?.('c')]).toEqual([{ x: 1 }, undefined]);
  });

  it('reads the schema of a tool in a namespace', () => {
    const read = openaiResponses.read({ input: [], tools: [{ type: 'namespace', name: 'mcp__lab', tools: [{ name: 'echo', parameters: { x: 1 } }] }] }, '/v1/responses');
    expect(read.tools).toEqual(['mcp__lab__echo']);
    expect(read.inputOf?.('mcp__lab__echo')).toEqual({ x: 1 });
  });
});

describe('the rule', () => {
  const rule = MCP_RULES.find(({ id }) => id === MCP_CANARY_RULE);
  const judge = (input: JsonObject): unknown => rule?.checkTool({ name: 'mcp__lab__echo', kind: 'mcp', mcp: { server: 'lab', tool: 'echo', ambiguous: false }, input }, {} as never);

  it('refuses the canary with its nonce and nothing else', () => {
    expect(RULES.some(({ id }) => id === MCP_CANARY_RULE)).toBe(false);
    expect(judge({ deep: [{ text: CANARY }] })).toBeDefined();
    for (const text of ['praetorctl-canary', `${CANARY}0`, `x${CANARY}`, mcpCanary('short'), mcpCanary(NONCE.toUpperCase())]) expect(judge({ text })).toBeUndefined();
  });

  it('counts as judged only by its own refusal', () => {
    const line = { v: 1, time: '2026-01-01T00:00:00.000Z', client: 'c', caller: 'c', event: 'pre-tool', engine: '1', policy: 'p', ms: 1 } as const;
    const lines = [{ ...line, kind: 'mcp', verdict: 'neutral' }, { ...line, kind: 'mcp', verdict: 'deny', rule: 'other' }, { ...line, kind: 'shell', verdict: 'deny', rule: MCP_CANARY_RULE }] as const;
    expect(mcpSeen('t', lines)).toEqual({ tool: 't', judged: false });
    expect(mcpSeen('t', [...lines, { ...line, kind: 'mcp', verdict: 'deny', rule: MCP_CANARY_RULE }])).toEqual({ tool: 't', judged: true });
  });
});
