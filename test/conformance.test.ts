// One suite for every client row. A row without fixture homes and captured payloads fails.
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../src/clients/registry.ts';
import { dialectFor } from '../src/clients/dialects.ts';
import { hasHooks } from '../src/clients/mcp-only.ts';
import { commandFor } from '../src/clients/registration.ts';
import type { ClientDefinition, FileSpec, McpServer, RootContext } from '../src/model/client.ts';
import { DEFAULT_SETTINGS } from '../src/settings/schema.ts';
import { cli, dirNames, get, put, repo, settings, tree, world, type World } from './support/cli.ts';

const SERVERS = `mcpServers:
  lab:
    command: lab-mcp
    args: ["--root", "/srv/lab"]
  remote:
    url: https://mcp.example.test/mcp
    headers: { Authorization: "\${LAB_TOKEN}" }
`;

/** The events that are registered without settings. */
const EVENTS: readonly string[] = DEFAULT_SETTINGS.hooks.events;
const STDIO: McpServer = { kind: 'stdio', command: 'lab-mcp', args: ['--root', '/srv/lab'], env: {} };
const HTTP: McpServer = { kind: 'http', url: 'https://mcp.example.test/mcp', headers: { Authorization: '${LAB_TOKEN}' } };

const contextOf = (where: World): RootContext => ({ platform: 'linux', env: where.env, home: where.home, project: where.project, dirExists: existsSync, dirNames });
const specsOf = (client: ClientDefinition, where: World): readonly FileSpec[] => client.files(client.roots(contextOf(where)), 'user');
/** The file that holds the person's own text too: where the hooks' file is generated whole, the servers' file. */
const sharedSpec = (client: ClientDefinition, where: World): FileSpec => {
  const specs = specsOf(client, where);
  // The ways to break a document are JSON's; what is particular to another format is tested with the client that has it.
  return (specs.find((s) => s.format === 'json') ?? specs.find((s) => s.format !== 'artefact'))!;
};
/** The file that tells whether an apply arrived: the hooks' one, or the servers' one of a client without hooks. */
const toldSpec = (client: ClientDefinition, where: World): FileSpec => specsOf(client, where).find((s) => s.role !== 'mcp' || !hasHooks(client))!;
const relativeTo = (where: World, path: string): string => path.slice(where.home.length + 1);
const fixtures = readdirSync(join(repo, 'test/fixtures/homes'));

describe.each(CLIENTS.map((client) => [client.id, client] as const))('%s', (id, client) => {
  /** A home in use: one of the client's own, or the one that several clients share. */
  const grown = fixtures.includes(`${id}-grown`) ? `${id}-grown` : 'four-clients';
  const homes = [undefined, `${id}-minimal`, grown] as const;
  const only = ['--client', id];
  const hooked = hasHooks(client);
  /** What is wanted where nothing else is said: the two hooks, or the servers that a client without hooks takes. */
  const wanted = hooked ? '' : SERVERS;
  const additions = hooked ? client.hooks.events.filter((event) => EVENTS.includes(event.canonical)).length : [STDIO, HTTP].filter((server) => client.mcp.entry(server).ok).length;
  const told = hooked ? `"${commandFor(id, 'pre-tool')}"` : 'lab-mcp';

  it('has two fixture homes and captured payloads', () => {
    expect(fixtures).toEqual(expect.arrayContaining([`${id}-minimal`, grown]));
    expect(hooked ? readdirSync(join(repo, 'test/fixtures/payloads', id)).length : 3).toBeGreaterThan(2);
  });

  it('has a dialect that judges its own samples, or no hooks and no dialect', () => {
    const dialect = dialectFor(id);
    if (!hooked) {
      expect([dialect, specsOf(client, world()).filter((spec) => spec.role !== 'mcp')]).toEqual([undefined, []]);
      return;
    }
    expect(dialect).toBeDefined();
    for (const kind of ['allow', 'deny'] as const) {
      const payload = dialect!.decode('pre-tool', client.sample(kind, '/home/dev/work').payload, {});
      expect(payload).toMatchObject({ client: id, tool: { kind: 'shell', command: client.sample(kind, '').command } });
    }
  });

  it('plans on an empty home without writing, and says so by exit 3', async () => {
    const where = world();
    settings(where, wanted);
    const plan = await cli(where, ['clients', 'plan', ...only]);
    expect(plan.code).toBe(3);
    expect(additions).toBeGreaterThan(0);
    expect(plan.out.trimEnd().split('\n').at(-1)).toBe(`plan: ${additions} to add, 0 to change, 0 to remove, 0 unchanged`);
    expect(plan.err).toContain('not-detected');
    expect(tree(where.home)).toEqual({});
    expect(existsSync(join(where.root, 'state'))).toBe(false);
  });

  it.each(homes)('home %s: apply, then the plan is empty, then remove gives every byte back', async (fixture) => {
    for (const servers of new Set([wanted, SERVERS])) {
      const where = world(fixture === undefined ? {} : { fixture });
      settings(where, servers);
      const before = tree(where.home);
      const applied = await cli(where, ['clients', 'apply', '--yes', ...only]);
      expect({ code: applied.code, err: applied.err.replace(/.*(not-detected|note|trust-needed|unverified-root)[^\n]*\n[^\n]*\n/g, '') }).toEqual({ code: 0, err: '' });
      expect(tree(where.home)).not.toEqual(before);
      expect((await cli(where, ['clients', 'plan', ...only])).code).toBe(0);
      expect(readFileSync(toldSpec(client, where).path, 'utf8')).toContain(told);
      expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
      expect(tree(where.home)).toEqual(before);
    }
  });

  it.each(homes)('home %s: apply, then rollback gives every byte back', async (fixture) => {
    const where = world(fixture === undefined ? {} : { fixture });
    settings(where, SERVERS);
    const before = tree(where.home);
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    expect((await cli(where, ['clients', 'rollback', '--yes'])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
    expect((await cli(where, ['clients', 'plan', ...only])).code).toBe(3);
  });

  it('a second apply writes nothing', async () => {
    const where = world({ fixture: grown });
    settings(where, wanted);
    await cli(where, ['clients', 'apply', '--yes', ...only]);
    const path = toldSpec(client, where).path;
    const stamp = statSync(path, { bigint: true });
    const again = await cli(where, ['clients', 'apply', '--yes', ...only]);
    expect(again.code).toBe(0);
    expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs: stamp.mtimeNs, ino: stamp.ino });
  });

  it('foreign lines survive, and after a foreign change remove takes only ours', async () => {
    const where = world({ fixture: grown });
    settings(where, SERVERS);
    const files = specsOf(client, where).filter((s) => existsSync(s.path)).map((s) => relativeTo(where, s.path));
    const originals = new Map(files.map((f) => [f, get(where, f)]));
    await cli(where, ['clients', 'apply', '--yes', ...only]);
    for (const [file, original] of originals) {
      const now = get(where, file).split(/\r?\n/).map((l) => l.replaceAll(',', '').trim());
      const lost = original.split(/\r?\n/).map((l) => l.replaceAll(',', '').trim()).filter((l) => l !== '' && !now.includes(l));
      // A one-line document keeps its text inside its line.
      expect(original.includes('\n') ? lost : []).toEqual([]);
      // A person changes something else in the file.
      writeFileSync(join(where.home, file), /\.(?:toml|yaml)$/.test(file) ? `${get(where, file)}\n# later\n` : get(where, file).replace('{', '{"zz-later": {},'));
    }
    expect((await cli(where, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
    for (const [file, original] of originals) {
      expect(get(where, file)).toBe(/\.(?:toml|yaml)$/.test(file) ? `${original}\n# later\n` : original.replace('{', '{"zz-later": {},'));
    }
  });

  it('a symbolic link stays a link, is named in the plan, and its target is written', async () => {
    const where = world({ fixture: grown });
    settings(where, SERVERS);
    const spec = sharedSpec(client, where);
    const real = join(where.root, 'dotfiles');
    mkdirSync(real);
    renameSync(spec.path, join(real, 'real'));
    symlinkSync(join(real, 'real'), spec.path);
    const before = tree(where.root);
    const plan = await cli(where, ['clients', 'plan', ...only]);
    expect(plan.out).toContain('symbolic link');
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    expect(readFileSync(join(real, 'real'), 'utf8')).toMatch(/praetorctl hook|lab-mcp/);
    await cli(where, ['clients', 'remove', '--yes', ...only]);
    const after = tree(where.root);
    for (const key of Object.keys(before)) if (!key.startsWith('state')) expect(after[key]).toBe(before[key]);
  });

  describe('refuses and touches nothing', () => {
    const strict = (text: string, bad: string): string => (text.startsWith('{') ? `${bad}${text}` : text);
    const CONTAINERS = ['hooks', 'praetorctl', 'PreToolUse', client.mcp.key];
    /** The document's own containers of those names, behind the spoiled ones. */
    const others = new RegExp(`(?<=\\n\\s*)"(?:${CONTAINERS.join('|')})": \\{`, 'g');
    const broken: Record<string, (text: string) => string | Uint8Array> = {
      'a truncated document': (text) => text.slice(0, Math.floor(text.length / 2)),
      'merge-conflict markers': (text) => `<<<<<<< HEAD\n${text}\n=======\n{}\n>>>>>>> theirs\n`,
      'two documents': (text) => `${text}\n${text}`,
      'a list as root': () => '[]',
      'null as root': () => 'null',
      'an empty file': () => '',
      'white space only': () => ' \n\t\n',
      'Latin-1 bytes': (text) => Buffer.concat([Buffer.from(text.replace('{', '{"x":"'), 'utf8').subarray(0, 6), Buffer.from([0xe9]), Buffer.from('"}')]),
      'UTF-16 without a mark': (text) => Buffer.from(text, 'utf16le'),
      'a file of zero bytes values': () => new Uint8Array(512),
      'a trailing comma': (text) => text.replace(/\}\s*$/, ',}'),
      'a container of the wrong type': (text) => strict(text, '').replace(/^\{/m, `{${CONTAINERS.map((key) => `"${key}": 5,`).join(' ')}`).replace(others, '"other": {'),
      'a container twice': (text) => text.replace(/\{/, `{"praetorctl": {"PreToolUse": []}, ${[...CONTAINERS, ...CONTAINERS].map((key) => `"${key}": ${key === 'PreToolUse' ? '[]' : '{}'},`).join(' ')}`).replace(others, '"other": {'),
    };
    // Half of a hand-written document is often another one, and brackets are rare in it.
    const spoiledYaml: typeof broken = {
      'a truncated document': (text) => text.slice(0, text.indexOf('"') + 4),
      'two documents': (text) => `${text}---\n${text}`,
      'a trailing comma': (text) => text.replace('[]', '[1,,2]'),
      'a container of the wrong type': (text) => text.replace(`${client.mcp.key}:`, `${client.mcp.key}: 5\nother:`),
      'a container twice': (text) => `${text}${client.mcp.key}: []\n`,
    };
    it.each(Object.keys(broken))('%s', async (kind) => {
      const where = world({ fixture: grown });
      settings(where, SERVERS);
      const spec = sharedSpec(client, where);
      const spoil = (spec.format === 'yaml' ? spoiledYaml[kind] : undefined) ?? broken[kind]!;
      writeFileSync(spec.path, spoil(readFileSync(spec.path, 'utf8')));
      const before = tree(where.home);
      const applied = await cli(where, ['clients', 'apply', '--yes', ...only]);
      expect(applied.code).toBe(1);
      expect(applied.err).toMatch(/^praetorctl: error: [a-z-]+: ~\/.*nothing was written\.$/ms);
      expect(tree(where.home)).toEqual(before);
    });

    it('one broken file stops the whole plan before the first write', async () => {
      const where = world({ fixture: grown });
      settings(where, wanted);
      writeFileSync(sharedSpec(client, where).path, '{');
      const before = tree(where.home);
      const applied = await cli(where, ['clients', 'apply', '--yes', ...only, '--client', 'claude']);
      expect(applied.code).toBe(1);
      expect(tree(where.home)).toEqual(before);
    });

    const shapes: Record<string, (path: string) => void> = {
      'a directory': (path) => { unlinkSync(path); mkdirSync(path); },
      'a FIFO': (path) => { unlinkSync(path); execFileSync('mkfifo', [path]); },
      'a dangling link': (path) => { unlinkSync(path); symlinkSync(`${path}.gone`, path); },
      'a loop of links': (path) => { unlinkSync(path); symlinkSync(`${path}2`, path); symlinkSync(path, `${path}2`); },
      'a hard link': (path) => { linkSync(path, `${path}.other`); },
    };
    it.each(Object.keys(shapes))('%s', async (kind) => {
      const where = world({ fixture: grown });
      settings(where, wanted);
      shapes[kind]!(sharedSpec(client, where).path);
      const before = tree(where.home);
      const applied = await cli(where, ['clients', 'apply', '--yes', ...only]);
      expect(applied.code).toBe(1);
      expect(applied.err).toContain('nothing was written.');
      expect(tree(where.home)).toEqual(before);
    });
  });

  it('a same-name server of somebody else is a conflict, unless it is adopted', async () => {
    const where = world({ fixture: grown });
    settings(where, SERVERS);
    expect((await cli(where, ['clients', 'apply', '--yes', ...only])).code).toBe(0);
    const other = world({ fixture: grown });
    settings(other, SERVERS.replace('lab-mcp', 'another-mcp'));
    for (const spec of specsOf(client, where).filter(({ path }) => existsSync(path))) {
      mkdirSync(dirname(spec.path.replace(where.home, other.home)), { recursive: true });
      writeFileSync(spec.path.replace(where.home, other.home), readFileSync(spec.path));
    }
    const before = tree(other.home);
    const refused = await cli(other, ['clients', 'apply', '--yes', ...only]);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('foreign-entry');
    expect(tree(other.home)).toEqual(before);
    expect((await cli(other, ['clients', 'apply', '--yes', '--adopt', ...only])).code).toBe(0);
    expect((await cli(other, ['clients', 'remove', '--yes', ...only])).code).toBe(0);
  });

  it('has roots on three platforms', async () => {
    const table = {
      linux: { home: '/home/dev', env: { HOME: '/home/dev', XDG_CONFIG_HOME: 'relative' } },
      darwin: { home: '/Users/dev', env: { HOME: '/Users/dev' } },
      win32: { home: 'C:\\Users\\dev', env: { USERPROFILE: 'C:\\Users\\dev', APPDATA: 'C:\\Users\\dev\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\dev\\AppData\\Local' } },
    } as const;
    const paths = Object.entries(table).map(([platform, { home, env }]) => {
      const context: RootContext = { platform: platform as RootContext['platform'], env, home, project: platform === 'win32' ? 'D:\\work' : '/work', dirExists: () => true, dirNames: () => [] };
      const roots = client.roots(context);
      return [platform, (['user', 'project'] as const).flatMap((scope) => client.files(roots, scope).map((s) => `${s.role} ${s.path}`)), client.evidenceFiles(roots, context).map((f) => f.path)];
    });
    // A file for each client: two branches that add clients do not meet in it.
    await expect(`${JSON.stringify(paths, null, 1)}\n`).toMatchFileSnapshot(`roots/golden/${id}.json`);
  });
});

describe('the launcher', () => {
  it('is planned, written and removed where praetorctl does not resolve', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    where.env['PATH'] = `${join(where.home, '.local/bin')}:/usr/bin:/bin`;
    const before = tree(where.home);
    const applied = await cli(where, ['clients', 'apply', '--yes']);
    expect(applied.code).toBe(0);
    expect(applied.err).not.toContain('entrypoint-not-on-path');
    const version = execFileSync('sh', ['-c', 'praetorctl --version'], { env: where.env, encoding: 'utf8' });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect((await cli(where, ['clients', 'plan'])).code).toBe(0);
    await cli(where, ['clients', 'remove', '--yes', '--client', 'claude']);
    expect(existsSync(join(where.home, '.local/bin/praetorctl'))).toBe(true);
    expect((await cli(where, ['clients', 'remove', '--yes'])).code).toBe(0);
    expect(tree(where.home)).toEqual(before);
  });

  it('warns where its directory is not on PATH', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    const plan = await cli(where, ['clients', 'plan']);
    expect(plan.code).toBe(3);
    expect(plan.err).toContain('entrypoint-not-on-path');
  });

  it('never replaces a foreign file', async () => {
    const where = world({ fixture: 'four-clients', onPath: false });
    put(where, '.local/bin/praetorctl', 'mine');
    expect((await cli(where, ['clients', 'apply', '--yes'])).code).toBe(0);
    expect(get(where, '.local/bin/praetorctl')).toBe('mine');
  });
});
