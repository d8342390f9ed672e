// The trust hash of Codex is reproduced from what the client itself reported for eight hooks.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codex, trustHash } from '../../src/clients/codex/setup.ts';
import { hookEntry } from '../../src/clients/registration.ts';
import type { JsonObject } from '../../src/model/json.ts';

interface Canonical { event_name: string; matcher?: string; hooks: [JsonObject] }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const vectors = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/codex/trust-hash.vectors.json'), 'utf8')) as { canonical: string; trusted_hash: string }[];
const pascal = (name: string): string => name.replace(/(^|_)([a-z])/g, (_m, _s, c: string) => c.toUpperCase());

/** A hook as a person writes it: defaults are left out, so that the hash has to fill them in. */
function written(canonical: Canonical): { native: string; group: JsonObject; handler: JsonObject } {
  const handler: JsonObject = { ...canonical.hooks[0] };
  if (handler['async'] === false) delete handler['async'];
  if (handler['timeout'] === 600) delete handler['timeout'];
  return { native: pascal(canonical.event_name), handler, group: canonical.matcher === undefined ? { hooks: [handler] } : { matcher: canonical.matcher, hooks: [handler] } };
}

describe('trustHash', () => {
  it('has the eight captured vectors', () => {
    expect(vectors.length).toBe(8);
  });

  it.each(vectors.map((v) => [v.canonical, v.trusted_hash] as const))('gives the hash that the client gave for %s', (canonical, hash) => {
    expect(`sha256:${sha256(canonical)}`).toBe(hash);
    const { native, group, handler } = written(JSON.parse(canonical) as Canonical);
    expect(trustHash(native, group, handler, sha256)).toBe(hash);
  });

  it('does not depend on the order of keys, on unknown keys or on what is not hashed', () => {
    const handler = { command: 'c', type: 'command', timeout: 5 };
    const other = { timeout: 5, type: 'command', command: 'c', commandWindows: 'd', unknown: 1 };
    expect(trustHash('PreToolUse', { hooks: [other], matcher: 'Bash' }, other, sha256)).toBe(trustHash('PreToolUse', { matcher: 'Bash', hooks: [handler] }, handler, sha256));
  });

  it('changes with the command, the matcher and the timeout, and not with a matcher where none counts', () => {
    const handler = { type: 'command', command: 'c', timeout: 5 };
    const base = trustHash('PreToolUse', { matcher: 'Bash', hooks: [handler] }, handler, sha256);
    expect(trustHash('PreToolUse', { matcher: 'Bash', hooks: [handler] }, { ...handler, command: 'd' }, sha256)).not.toBe(base);
    expect(trustHash('PreToolUse', { matcher: 'bash', hooks: [handler] }, handler, sha256)).not.toBe(base);
    expect(trustHash('PreToolUse', { matcher: 'Bash', hooks: [handler] }, { ...handler, timeout: 6 }, sha256)).not.toBe(base);
    expect(trustHash('Stop', { matcher: 'x', hooks: [handler] }, handler, sha256)).toBe(trustHash('Stop', { hooks: [handler] }, handler, sha256));
  });

  it('gives 0 the meaning 1, and the end of a session at most 3 seconds', () => {
    const hash = (native: string, timeout: number): string => trustHash(native, { hooks: [] }, { type: 'command', command: 'c', timeout }, sha256);
    expect(hash('PreToolUse', 0)).toBe(hash('PreToolUse', 1));
    expect(hash('SessionEnd', 30)).toBe(hash('SessionEnd', 3));
  });
});

describe('trust of our hooks', () => {
  const file = '/home/dev/.codex/hooks.json';
  const event = codex.hooks.events.find((e) => e.canonical === 'pre-tool');
  const entry = event === undefined ? {} : hookEntry(codex.hooks, 'codex', event);
  const handler = (entry['hooks'] as JsonObject[])[0] ?? {};
  const hash = trustHash('PreToolUse', entry, handler, sha256);
  const state = (record: JsonObject | undefined, groups: JsonObject[] = [entry]): string[] => {
    const documents = new Map<string, JsonObject>([['own', { hooks: { PreToolUse: groups } }]]);
    if (record !== undefined) documents.set('mcp', { hooks: { state: { [`${file}:pre_tool_use:0:0`]: record } } });
    return (codex.trust?.(documents, file, sha256) ?? []).map((one) => one.state);
  };

  it('knows trusted, modified, disabled and untrusted', () => {
    expect(state({ trusted_hash: hash })).toEqual(['trusted']);
    expect(state({ trusted_hash: 'sha256:00' })).toEqual(['modified']);
    expect(state({ trusted_hash: hash, enabled: false })).toEqual(['disabled']);
    expect(state({ enabled: true })).toEqual(['untrusted']);
    expect(state(undefined)).toEqual(['untrusted']);
  });

  it('is positional: a group before ours takes its trust away', () => {
    const foreign: JsonObject = { matcher: 'Bash', hooks: [{ type: 'command', command: 'other' }] };
    expect(state({ trusted_hash: hash }, [foreign, entry])).toEqual(['untrusted']);
    expect(state({ trusted_hash: hash }, [entry, foreign])).toEqual(['trusted']);
  });
});
