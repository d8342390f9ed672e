// What verify and doctor say of a client without hooks: its servers, and nothing more.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { capabilityRows, renderCapabilities } from '../../src/cli/capabilities.ts';
import { renderDoctor, renderVerify } from '../../src/cli/verify-view.ts';
import { hasHooks, NO_HOOK_SURFACE } from '../../src/clients/mcp-only.ts';
import { CLIENTS, clientById } from '../../src/clients/registry.ts';
import { runDoctor } from '../../src/verify/doctor.ts';
import { apply, codes, editJson, fileOf, leave, machine, one, receipt, settings, texts, verify } from './support.ts';

const HOOKLESS = CLIENTS.filter((client) => !hasHooks(client)).map(({ id }) => id);
const SERVERS = 'mcpServers: { lab: { command: lab-server, args: [--fast] } }\n';

describe.each(HOOKLESS)('%s', (id) => {
  it('says that no hook of ours runs there, and asks for nothing where no server is wanted', () => {
    const m = machine();
    const report = one(m, id);
    expect(report.states).toEqual({ absent: true, installed: false, discovered: false, observed: false, drifted: false, stale: false });
    expect(codes(report)).toEqual(['no-hook-surface']);
    expect([report.meets, one(m, id, { require: 'installed' }).meets]).toEqual([false, true]);
  });

  it('is installed by its servers, and never observed, whatever receipts say', async () => {
    const m = machine();
    settings(m, SERVERS);
    expect(one(m, id).states).toMatchObject({ absent: true, installed: false });
    expect(one(m, id, { require: 'installed' }).meets).toBe(false);
    await apply(m, [id]);
    leave(m, receipt('claude', { client: id, caller: id }));
    const report = one(m, id);
    expect(report.states).toEqual({ absent: false, installed: true, discovered: 'unknown', observed: false, drifted: false, stale: false });
    expect(report).toMatchObject({ observed: false, proven: null, hooks: [], meets: false });
    expect(one(m, id, { require: 'installed' }).meets).toBe(true);
    expect(one(m, id, { require: 'discovered' }).meets).toBe(false);
    const text = renderVerify(verify(m, { clients: [id] }), { color: false, home: m.home });
    expect(text.replace(/\s+/g, ' ')).toContain(NO_HOOK_SURFACE);
    expect(text).not.toMatch(/enforc/);
    expect(texts(report)).not.toMatch(/hooks? (that|of praetorctl)/);
    const said = runDoctor(m.host, { clients: [id], scope: 'user' });
    expect(said.rows.filter((row) => row.id.endsWith(`.${id}`)).map((row) => row.status)).toEqual(['info']);
    expect(renderDoctor(said, { color: false, home: m.home }).replace(/\s+/g, ' ')).toContain(NO_HOOK_SURFACE);
  });

  it('tells what it can do in the same words', () => {
    const text = renderCapabilities(capabilityRows([clientById(id)]));
    expect(text).toContain(`events: ${NO_HOOK_SURFACE}`);
    expect(text).toContain('gap: ');
  });
});

describe('a client that writes its file itself', () => {
  it('is drifted once it dropped what we wrote, and nothing is written again by looking', async () => {
    const m = machine();
    settings(m, SERVERS);
    await apply(m, ['claude-desktop']);
    const file = fileOf(m, clientById('claude-desktop'), 'mcp').path;
    fs.writeFileSync(file, '{"preferences": {}}');
    expect(one(m, 'claude-desktop').states).toMatchObject({ installed: false, drifted: true, observed: false });
    expect(codes(one(m, 'claude-desktop'))).toEqual(['servers-missing', 'no-hook-surface']);
    expect(fs.readFileSync(file, 'utf8')).toBe('{"preferences": {}}');
    await apply(m, ['claude-desktop']);
    expect(one(m, 'claude-desktop').states).toMatchObject({ installed: true, drifted: false });
  });

  it('is drifted once it dropped what others wrote', async () => {
    const m = machine();
    settings(m, SERVERS);
    const file = path.join(m.home, '.config', 'Claude', 'claude_desktop_config.json');
    editJson(file, () => ({ mcpServers: { theirs: { command: 'x' } } }));
    await apply(m, ['claude-desktop']);
    editJson(file, (document) => ({ mcpServers: { lab: (document['mcpServers'] as Record<string, never>)['lab'] ?? {} } }));
    expect(one(m, 'claude-desktop').states).toMatchObject({ installed: true, drifted: true });
    expect(codes(one(m, 'claude-desktop'))).toEqual(['foreign-gone', 'no-hook-surface']);
  });

  it('does not stand in the way with a file in which nothing is wanted', async () => {
    const m = machine();
    const file = path.join(m.home, '.config', 'Claude', 'claude_desktop_config.json');
    editJson(file, () => ({}));
    fs.writeFileSync(file, '{ // theirs\n');
    await apply(m, ['claude-desktop', 'claude']);
    expect(fs.readFileSync(file, 'utf8')).toBe('{ // theirs\n');
    settings(m, SERVERS);
    await expect(apply(m, ['claude-desktop', 'claude'])).rejects.toThrow();
  });
});
