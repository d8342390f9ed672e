// Contract: names of MCP tools as clients spell them -> (server, tool). A name is never cut blindly: every place where the
// separator stands is a candidate, the servers that the client has decide among them, and what stays open is said to be open. PURE.

export interface McpPair { readonly server: string; readonly tool: string }

export interface McpName extends McpPair {
  /** More than one pair is possible, or none is known: then `server` and `tool` are a guess. */
  readonly ambiguous: boolean;
  /** Every possible pair where there is more than one, the likeliest first. */
  readonly candidates?: readonly McpPair[];
  /** The client named server and tool apart: nothing had to be read out of the tool's name. */
  readonly apart?: true;
}

/** Far above any name that a server may use; in a longer one nothing is looked for. */
export const NAME_CHARS_MAX = 512;

function named(pairs: readonly McpPair[]): McpName | undefined {
  const [first, ...rest] = pairs;
  if (first === undefined) return undefined;
  return rest.length === 0 ? { server: first.server, tool: first.tool, ambiguous: false } : { server: first.server, tool: first.tool, ambiguous: true, candidates: pairs };
}

/**
 * The pairs that `<server><separator><tool>` can mean, by its form alone; `tool-first`: `<tool><separator><server>`. The shortest
 * server is the first guess. Undefined where it can mean none. Places overlap: `a___b` with `__` is (a, _b) and (a_, b).
 */
export function splitMcp(rest: string, separator: string, order: 'server-first' | 'tool-first' = 'server-first'): McpName | undefined {
  if (rest.length > NAME_CHARS_MAX) return { server: '', tool: rest, ambiguous: true };
  const pairs: McpPair[] = [];
  for (let at = rest.indexOf(separator, 1); at !== -1 && at + separator.length < rest.length; at = rest.indexOf(separator, at + 1)) {
    const before = rest.slice(0, at);
    const after = rest.slice(at + separator.length);
    pairs.push(order === 'server-first' ? { server: before, tool: after } : { server: after, tool: before });
  }
  return named(order === 'server-first' ? pairs : pairs.reverse());
}

/**
 * The name with what is known of the client's servers, the longest match first. `spelling` is how the client writes a server's name in names of tools;
 * the answer has the name as configured. Nothing known that fits: the name as it was. The answer is certain only as far as
 * `servers` is all that the client has.
 */
export function narrowName(name: McpName, servers: readonly string[], spelling: (server: string) => string): McpName {
  const pairs: McpPair[] = [];
  for (const { server, tool } of pairsOf(name)) {
    for (const known of servers) if (spelling(known) === server && !pairs.some((pair) => pair.server === known && pair.tool === tool)) pairs.push({ server: known, tool });
  }
  return named(pairs.sort((a, b) => b.server.length - a.server.length)) ?? name;
}

/** Every pair that a name can mean. */
export function pairsOf(name: McpName): readonly McpPair[] {
  return name.candidates ?? [{ server: name.server, tool: name.tool }];
}
