// Contract: a tool's name gives back (server, tool) or says that it is ambiguous, never a wrong pair: for every form that a client
// uses, for any set of servers and any name of a tool.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIALECTS, dialectFor } from '../src/clients/dialects.ts';
import { withServer } from '../src/hook/servers.ts';
import { formatServers, parseServers, SERVERS_MAX, serversOf, withSeen } from '../src/model/known-servers.ts';
import { NAME_CHARS_MAX, narrowName, pairsOf, splitMcp, type McpName } from '../src/model/mcp-names.ts';
import type { ToolCall } from '../src/model/payload.ts';

type Spelling = (server: string) => string;
const verbatim: Spelling = (server) => server;
const codex = dialectFor('codex')!.mcpSpelling!;
const claude = dialectFor('claude')!.mcpSpelling!;

interface Form { readonly name: string; readonly prefix: string; readonly separator: string; readonly order?: 'tool-first'; readonly spelling: Spelling }

const FORMS: readonly Form[] = [
  { name: '<s>-<t>', prefix: '', separator: '-', spelling: verbatim },
  { name: '<s>/<t>', prefix: '', separator: '/', spelling: verbatim },
  { name: '<s>_<t>', prefix: '', separator: '_', spelling: verbatim },
  { name: '<s>__<t>', prefix: '', separator: '__', spelling: verbatim },
  { name: '<s>___<t>', prefix: '', separator: '___', spelling: verbatim },
  { name: 'mcp_<s>_<t>', prefix: 'mcp_', separator: '_', spelling: verbatim },
  { name: 'mcp__<s>__<t>', prefix: 'mcp__', separator: '__', spelling: claude },
  { name: 'mcp__<s>__<t>, replaced characters', prefix: 'mcp__', separator: '__', spelling: codex },
  { name: '@<s>/<t>', prefix: '@', separator: '/', spelling: verbatim },
  { name: '<t>_<s>', prefix: '', separator: '_', order: 'tool-first', spelling: verbatim },
];

// Few characters, so that separators inside names and names that begin with other names are common.
const word = fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '.', '/'), minLength: 1, maxLength: 7 });
const servers = fc.uniqueArray(word, { minLength: 1, maxLength: 6 });

function seen(form: Form, server: string, tool: string): McpName {
  const spelled = form.spelling(server);
  const name = form.prefix + (form.order === 'tool-first' ? tool + form.separator + spelled : spelled + form.separator + tool);
  const split = splitMcp(name.slice(form.prefix.length), form.separator, form.order ?? 'server-first');
  if (split === undefined) throw new Error(`${name} is no name of a tool`);
  return split;
}

describe.each(FORMS.map((form) => [form.name, form] as const))('%s', (_name, form) => {
  test('the form alone: the true pair is among the candidates, and a certain answer is the true one', () => {
    fc.assert(fc.property(word, word, (server, tool) => {
      const split = seen(form, server, tool);
      expect(pairsOf(split)).toContainEqual({ server: form.spelling(server), tool });
      if (!split.ambiguous) expect(split).toMatchObject({ server: form.spelling(server), tool });
    }));
  });

  test('with the servers of the client: the true pair, or ambiguous with the true pair among the candidates', () => {
    fc.assert(fc.property(servers, fc.nat(), word, (all, pick, tool) => {
      const server = all[pick % all.length]!;
      const found = narrowName(seen(form, server, tool), all, form.spelling);
      expect(pairsOf(found)).toContainEqual({ server, tool });
      if (!found.ambiguous) expect(found).toEqual({ server, tool, ambiguous: false });
      for (const pair of pairsOf(found)) expect(all).toContain(pair.server);
    }), { numRuns: 500 });
  });

  test('names without the separator or its characters are always certain', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), minLength: 1, maxLength: 6 });
    fc.assert(fc.property(fc.uniqueArray(plain, { minLength: 1, maxLength: 5 }), plain, (all, tool) => {
      expect(narrowName(seen(form, all[0]!, tool), all, form.spelling)).toEqual({ server: all[0], tool, ambiguous: false });
    }));
  });
});

describe('what the servers decide', () => {
  const name = (text: string, separator: string): McpName => splitMcp(text, separator)!;

  test('a separator inside the name of the one server that fits', () => {
    expect(name('lab-srv-ping-it', '-')).toMatchObject({ ambiguous: true });
    expect(narrowName(name('lab-srv-ping-it', '-'), ['lab-srv', 'other'], verbatim)).toEqual({ server: 'lab-srv', tool: 'ping-it', ambiguous: false });
  });

  test('the longest match comes first where more than one fits', () => {
    expect(narrowName(name('lab-srv-ping', '-'), ['lab', 'lab-srv'], verbatim)).toEqual({
      server: 'lab-srv', tool: 'ping', ambiguous: true, candidates: [{ server: 'lab-srv', tool: 'ping' }, { server: 'lab', tool: 'srv-ping' }],
    });
  });

  test('a replaced character comes back, and two servers of one spelling are ambiguous', () => {
    expect(narrowName(name('my_server__ping', '__'), ['my-server'], codex)).toEqual({ server: 'my-server', tool: 'ping', ambiguous: false });
    expect(narrowName(name('my_server__ping', '__'), ['my-server', 'my.server'], codex)).toMatchObject({ ambiguous: true, candidates: [{ server: 'my-server' }, { server: 'my.server' }] });
  });

  test('a server that nobody knows leaves the name as it was', () => {
    const split = name('new_one_ping', '_');
    expect(narrowName(split, ['lab'], verbatim)).toBe(split);
  });

  test('a name that is too long is a guess, and so is one without a place', () => {
    expect(splitMcp(`${'a_'.repeat(NAME_CHARS_MAX)}b`, '_')).toMatchObject({ server: '', ambiguous: true });
    for (const none of ['ping', '_ping', 'ping_', '_', '']) expect(splitMcp(none, '_')).toBeUndefined();
  });
});

describe('what is known of the servers', () => {
  test('is written and read back; projects add up, the user scope is replaced', () => {
    fc.assert(fc.property(servers, servers, servers, (a, b, c) => {
      const known = withSeen(withSeen(withSeen(withSeen({}, 'x', 'user', a), 'x', 'user', b), 'x', 'project', a), 'x', 'project', c);
      expect(parseServers(formatServers(known))).toEqual(known);
      expect(new Set(serversOf(known, 'x'))).toEqual(new Set([...a, ...b, ...c]));
      expect(known['x']!.user).toEqual([...b].sort());
    }));
  });

  test('too many are not kept in part, and damage is nothing known', () => {
    const many = Array.from({ length: SERVERS_MAX + 1 }, (_, i) => `s${i}`);
    expect(serversOf(withSeen({}, 'x', 'user', many), 'x')).toEqual([]);
    expect(serversOf(withSeen({}, 'x', 'user', many.slice(1)), 'x')).toHaveLength(SERVERS_MAX);
    for (const text of ['', '{', '[]', '{"v":2,"clients":{}}', '{"v":1,"clients":[]}', '{"v":1,"clients":{"x":{"user":[1,null]}}}']) expect(serversOf(parseServers(text), 'x')).toEqual([]);
    expect(serversOf({}, '__proto__')).toEqual([]);
  });

  test('the list is asked only where the name leaves something open', () => {
    const call = (mcp: McpName): ToolCall => ({ name: 'n', kind: 'mcp', mcp, input: {} });
    let asked = 0;
    const list = (): readonly string[] => { asked += 1; return ['a']; };
    for (const dialect of DIALECTS) {
      withServer(call({ server: 'a', tool: 'b', ambiguous: false, apart: true }), dialect, list);
      withServer({ name: 'n', kind: 'other', input: {} }, dialect, list);
    }
    expect(asked).toBe(0);
    expect(withServer(call(splitMcp('a-b-c', '-')!), dialectFor('copilot-cli')!, list).mcp).toEqual({ server: 'a', tool: 'b-c', ambiguous: false });
    expect(asked).toBe(1);
  });
});
