// Redacted captures: none of the recorded values, the structure as it was, the same result each time.
import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../src/model/json.ts';
import { captureName, redactor } from '../../src/verify/redact.ts';
import { repo } from '../support/cli.ts';

const shape = (value: JsonValue): unknown => (Array.isArray(value) ? value.map(shape) : isObject(value) ? Object.values(value).map(shape) : value === null ? 'null' : typeof value);

/** Recognisable wherever it would come out again. */
const secret = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEF0123456789'), minLength: 10, maxLength: 30 }).map((tail) => `s7${tail}`);
const value = secret.chain((s) => fc.constantFrom(s, `/home/${s}/file.ts`, `C:\\Users\\${s}`, `https://${s}.example/x`, `export KEY=${s}`, `mcp__${s}__${s}`, `mcp_${s}_${s}`, `${s} and more`, `2026-01-02T03:04:05Z ${s}`));
const key = fc.oneof(fc.constantFrom('hook_event_name', 'tool_name', 'type', 'source', 'command', 'cwd', 'name', 'env', 'path'), secret);
const { document } = fc.letrec((tie) => ({
  leaf: fc.oneof(value, fc.boolean(), fc.constant(null), fc.integer({ min: 100_000 })),
  node: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('node'), { maxLength: 4 }), tie('document')),
  document: fc.dictionary(key, tie('node'), { maxKeys: 5, noNullPrototype: true }),
}));

describe('redact', () => {
  it('lets no value through, keeps the structure, and gives the same twice', () => {
    fc.assert(fc.property(document as fc.Arbitrary<JsonObject>, (recorded) => {
      const once = redactor()(recorded);
      const found = JSON.stringify(once);
      for (const word of JSON.stringify(recorded).match(/s7[a-zA-F0-9]{10,}/g) ?? []) expect(found).not.toContain(word);
      for (const number of JSON.stringify(recorded).match(/\d{6,}/g) ?? []) expect(found).not.toContain(number);
      expect(shape(once)).toEqual(shape(recorded));
      expect(redactor()(recorded)).toEqual(once);
    }), { numRuns: 1500 });
  });

  it('keeps the words by which a client speaks, and relations between values', () => {
    const out = redactor()({
      session_id: '7f0c0f6e-3e8e-4d0f-9a53-0f3b2a5d9c11', hook_event_name: 'PreToolUse', tool_name: 'mcp__intranet__search', cwd: '/home/ann/work', permission_mode: 'acceptEdits',
      tool_input: { file_path: '/home/ann/work/plan.md', count: 42, again: '7f0c0f6e-3e8e-4d0f-9a53-0f3b2a5d9c11', 'ann@example.com': true }, stop_hook_active: false,
    });
    expect(out).toMatchObject({ hook_event_name: 'PreToolUse', tool_name: 'mcp__server__tool', permission_mode: 'acceptEdits', stop_hook_active: false });
    const input = out['tool_input'] as JsonObject;
    expect(String(input['file_path']).startsWith(`${String(out['cwd'])}/`)).toBe(true);
    expect(input['again']).toBe(out['session_id']);
    expect(JSON.stringify(out)).not.toMatch(/ann|plan|intranet|search|42/);
  });

  it('makes a capture of every committed payload without a change of structure', () => {
    for (const client of ['claude', 'codex', 'gemini']) {
      const directory = join(repo, 'test/fixtures/payloads', client);
      for (const name of readdirSync(directory)) {
        const text = readFileSync(join(directory, name), 'utf8');
        if (text.trim() === '') continue;
        const recorded = JSON.parse(text) as JsonObject;
        const out = redactor()(recorded);
        expect(shape(out)).toEqual(shape(recorded));
        expect(out['hook_event_name']).toBe(recorded['hook_event_name']);
      }
    }
  });

  it('names captures by plain words only', () => {
    expect(captureName('claude', 'pre-tool', { hook_event_name: 'PreToolUse', tool_name: 'Bash' })).toBe('claude.PreToolUse.Bash');
    expect(captureName('../x', 'pre-tool', { tool_name: '../../etc' })).toBe('x.pre-tool');
  });
});
