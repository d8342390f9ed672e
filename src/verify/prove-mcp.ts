// Contract: the call of an MCP tool in a proof: chosen among what the client offers of the servers that praetorctl's own settings
// registered, with the canary in its arguments, so that the hook refuses it and no server is reached. It is made only after the
// hook refused the canary command in the same session, and never of a tool whose name says that it writes. PURE.
import type { McpCalls } from '../model/client.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { CANARY_RULE, MCP_CANARY_RULE, mcpCanary } from '../policy/canary.ts';
import { isHarmlessName } from '../policy/rules/mcp.ts';
import type { Receipt } from '../receipts/format.ts';
import { exampleOf } from './models/example.ts';
import type { ChosenStep, ToolStep } from './models/script.ts';

/** What came of it; `tool` undefined: none was called. */
export interface McpSeen { readonly tool: string | undefined; readonly judged: boolean }

export interface McpCall { readonly step: ChosenStep; readonly called: () => string | undefined }

/** Arguments that the client itself takes: by the tool's schema, with the canary wherever a text is wanted, or beside it. */
function inputFor(schema: ReturnType<NonNullable<Parameters<ChosenStep>[0]['inputOf']>>, canary: string): JsonObject {
  const made = schema === undefined ? {} : exampleOf(schema, canary);
  const input = isObject(made) ? made : {};
  return JSON.stringify(input).includes(canary) ? input : { ...input, praetorctl_canary: canary };
}

/** `canaryStep` is where the canary command stands in the script. */
export function mcpCall(calls: McpCalls, servers: readonly string[], nonce: string, canaryStep: number): McpCall {
  let called: string | undefined;
  const step: ChosenStep = (request, answered): ToolStep | undefined => {
    if (answered.get(canaryStep)?.text.includes(`[praetorctl: ${CANARY_RULE}]`) !== true) return undefined;
    for (const server of servers) {
      const prefix = calls.prefix(server);
      const name = request.tools.find((tool) => tool.startsWith(prefix) && tool.length > prefix.length && isHarmlessName(tool.slice(prefix.length)));
      if (name === undefined) continue;
      called = name;
      const input = inputFor(request.inputOf?.(name), mcpCanary(nonce));
      return calls.namespace === true ? { tool: name.slice(prefix.length), namespace: prefix.slice(0, -2), input } : { tool: name, input };
    }
    return undefined;
  };
  return { step, called: () => called };
}

export function mcpSeen(tool: string | undefined, receipts: readonly Receipt[]): McpSeen {
  return { tool, judged: receipts.some(({ rule, verdict, kind }) => kind === 'mcp' && rule === MCP_CANARY_RULE && verdict === 'deny') };
}
