// The settings document: what people paste is accepted, everything else is refused with its line, never with its value.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { desiredFor } from '../../src/clientsetup/desired.ts';
import { clientById } from '../../src/clients/registry.ts';
import { parseSettings } from '../../src/settings/parse.ts';
import { DEFAULT_SETTINGS, durationMs, SETTINGS_CHARS_MAX, type Settings } from '../../src/settings/schema.ts';
import { repo } from '../support/cli.ts';

function ok(text: string): Settings {
  const result = parseSettings('/s.yaml', text);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.settings;
}

const faults = (text: string): string[] => {
  const result = parseSettings('/s.yaml', text);
  return result.ok ? [] : result.diagnostics.map((d) => `${d.where?.line ?? 0}:${d.where?.column ?? 0} ${d.message}`);
};

describe('accepted', () => {
  it.each(['', '---\n', '# only a comment\n', '{}', 'clients:\nhooks: {}\n'.replace('clients:\n', '')])('%j means the defaults', (text) => {
    expect(ok(text)).toEqual(DEFAULT_SETTINGS);
  });

  it('JSON, because YAML 1.2 contains it, in the shape that vendors publish', () => {
    const text = '{\n\t"mcpServers": {\n\t\t"github": { "command": "npx", "args": ["-y", "@x/github"], "env": { "TOKEN": "${TOKEN}" } },\n\t\t"docs": { "type": "http", "url": "https://h.test/mcp" }\n\t}\n}';
    expect(Object.keys(ok(text).mcpServers)).toEqual(['github', 'docs']);
  });

  it('YAML 1.2 core: `no` is a word, a quoted number is a string', () => {
    expect(ok('mcpServers:\n  a: { command: no, args: ["1"] }').mcpServers['a']).toMatchObject({ command: 'no', args: ['1'] });
  });

  it('durations', () => {
    expect(['30s', '15m', '2h', '7d'].map(durationMs)).toEqual([30_000, 900_000, 7_200_000, 604_800_000]);
  });
});

describe('refused with its place', () => {
  it.each([
    ['an unknown section', 'clients: {}\nclient: {}\n', '2:1 unknown key client'],
    ['an unknown key deep inside', 'mcpServers:\n  a:\n    command: x\n    autoApprove: []\n', '4:5 unknown key mcpServers.a.autoApprove'],
    ['a wrong type', 'hooks:\n  events: pre-tool\n', '2:11 hooks.events: Invalid input: expected array, received string'],
    ['a duplicate key', 'hooks: {}\nhooks: {}\n', '2:1 not valid YAML (duplicate key)'],
    ['an anchor', 'hooks: &a {}\n', '1:11 anchors are not allowed'],
    ['an alias', 'clients: &a {}\nhooks: *a\n', '2:8 aliases are not allowed'],
    ['a tag', 'hooks: !!map {}\n', '1:14 tags are not allowed'],
    ['two documents', '---\n{}\n---\n{}\n', 'not valid YAML'],
    ['tabs as indentation', 'hooks:\n\tevents: []\n', 'not valid YAML'],
    ['an unknown event', 'hooks:\n  events: [pre-tool, before-tool]\n', '2:22 hooks.events[1]'],
    ['a list as root', '- a\n', 'the document'],
    ['a server without anything', 'mcpServers:\n  a: {}\n', '2:6 mcpServers.a is neither'],
    ['a bad server name', 'mcpServers:\n  "a b": { command: x }\n', 'mcpServers'],
    ['a bad duration', 'clients:\n  verified_max_age: soon\n', '2:21 clients.verified_max_age'],
  ])('%s', (_name, text, expected) => {
    expect(faults(text).join('\n')).toContain(expected);
  });

  it('never repeats a value', () => {
    for (const text of ['mcpServers: { a: { command: [sekret] } }', 'hooks: { events: [sekret] }', 'update: { channel: sekret }', 'clients: { verified_max_age: sekret }', 'mcpServers: { a: { url: sekret } }', 'x: "sekret']) {
      expect(faults(text).length).toBeGreaterThan(0);
      expect(faults(text).join()).not.toContain('sekret');
    }
  });

  it('at the size limit and one past it', () => {
    const pad = (length: number): string => `#${'x'.repeat(length - 1)}`;
    expect(faults(pad(SETTINGS_CHARS_MAX))).toEqual([]);
    expect(faults(pad(SETTINGS_CHARS_MAX + 1))).toEqual(['0:0 the settings file is larger than 4 MiB']);
  });
});

describe('servers in each client\'s spelling', () => {
  const settings = ok('mcpServers:\n  s: { command: c, args: [a], env: { T: "${T}", L: lit } }\n  h: { url: "https://h.test/m", headers: { A: "${A}" } }\n  odd: { command: c, env: { X: "${Y}" } }\n');
  const context = { platform: 'linux' as const, env: {}, home: '/h', project: '/p', dirExists: () => true, dirNames: () => [] };
  it.each([
    ['claude', { s: { type: 'stdio', command: 'c', args: ['a'], env: { T: '${T}', L: 'lit' } }, h: { type: 'http', url: 'https://h.test/m', headers: { A: '${A}' } }, odd: { type: 'stdio', command: 'c', args: [], env: { X: '${Y}' } } }, 0],
    ['codex', { s: { command: 'c', args: ['a'], env: { L: 'lit' }, env_vars: ['T'] }, h: { url: 'https://h.test/m', env_http_headers: { A: 'A' } } }, 1],
    ['gemini', { s: { command: 'c', args: ['a'], env: { T: '${T}', L: 'lit' } }, h: { httpUrl: 'https://h.test/m', headers: { A: '${A}' } }, odd: { command: 'c', args: [], env: { X: '${Y}' } } }, 0],
    ['agy', { h: { serverUrl: 'https://h.test/m', headers: { A: '${A}' } } }, 2],
  ])('%s', (id, expected, left) => {
    const desired = desiredFor(clientById(id), context, 'user', settings);
    const servers = desired.files.flatMap((f) => f.servers);
    expect(Object.fromEntries(servers.map((s) => [s.name, s.entry]))).toEqual(expected);
    expect(desired.diagnostics.length).toBe(left);
  });
});

it('the committed schema is the one of the program', () => {
  const schema = JSON.parse(readFileSync(join(repo, 'schemas/settings.schema.json'), 'utf8')) as { properties: Record<string, unknown>; additionalProperties: boolean };
  expect(Object.keys(schema.properties)).toEqual(['clients', 'hooks', 'contract', 'update', 'mcpServers']);
  expect(schema.additionalProperties).toBe(false);
});
