// What an administrator gets for the managed channels: golden bytes for three systems, each file read by a parser of its format, and
// holding exactly our entries.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { foreignHooks, ownedHooks } from '../../src/clients/registration.ts';
import { clientById, CLIENTS } from '../../src/clients/registry.ts';
import { managedSurface } from '../../src/clientsetup/managed.ts';
import { readDocument } from '../../src/clientsetup/plan.ts';
import { MANAGED_OS, parseManagedManifest, PLATFORM_OF_OS, renderManaged, type ManagedOs, type ManagedOutput } from '../../src/fleet/managed.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { DEFAULT_SETTINGS, wantedEvents } from '../../src/settings/schema.ts';
import { cli, settings, tree, world } from '../support/cli.ts';
import { parsePlist, type PlistValue } from '../support/xml.ts';

const events = wantedEvents(DEFAULT_SETTINGS);
const rendered = (os: ManagedOs, launcher?: string): ManagedOutput => renderManaged({ os, clients: CLIENTS, events, launcher });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const textOf = (output: ManagedOutput, path: string): string => output.files.get(path) ?? '';
const rowsOf = (os: ManagedOs): (readonly [ManagedOs, string, ManagedOutput['rows'][number]])[] => rendered(os).rows.map((row) => [os, row.client, row] as const);
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

describe.each(MANAGED_OS)('%s', (os) => {
  const output = rendered(os);
  it('is the golden output, and the same bytes every time', () => {
    expect([...output.files].map(([path, text]) => `==> ${path}\n${text}`).join('\n')).toMatchSnapshot();
    expect([...rendered(os).files]).toEqual([...output.files]);
  });
  it('the manifest names every other file with its digest, and every client with hooks is in it or said not to be', () => {
    const digests = parseManagedManifest(textOf(output, 'manifest.json'));
    expect([...digests ?? []]).toEqual([...output.files].filter(([path]) => path !== 'manifest.json').map(([path, text]) => [path, sha256(text)]));
    expect([...new Set([...output.rows.map(({ client }) => client), ...output.none.map(({ client }) => client)])].sort())
      .toEqual(CLIENTS.filter(({ hooks }) => hooks.shape !== 'none').map(({ id }) => id).sort());
    for (const row of output.rows) expect(sha256(textOf(output, row.source))).toBe(row.sha256);
  });
});

const isFirst = (os: ManagedOs, { client, dest }: ManagedOutput['rows'][number]): boolean => managedSurface(clientById(client))?.file(PLATFORM_OF_OS[os])?.path === dest;

describe.each(MANAGED_OS.flatMap(rowsOf).filter(([os, , row]) => isFirst(os, row)))('%s %s', (os, id, row) => {
  const output = rendered(os);
  const client = clientById(id);
  const file = managedSurface(client)?.file(PLATFORM_OF_OS[os]);
  const text = textOf(output, row.source);
  const read = file === undefined ? undefined : readDocument(file, Buffer.from(text));
  const document = read?.ok === true ? read.read.value as JsonObject : {};
  it("is read by its format's parser, and nothing but our entries stands in it", () => {
    if (file?.format === 'json') expect(JSON.parse(text)).toEqual(document);
    if (file?.format === 'toml') expect(JSON.parse(JSON.stringify(parseToml(text)))).toEqual(document);
    const wanted = client.hooks.events.filter(({ canonical }) => events.has(canonical)).map(({ native, canonical }) => `${native} ${canonical}`).sort();
    expect(ownedHooks(client.hooks, document, [id]).map(({ native, event }) => `${native} ${event}`).sort()).toEqual(wanted);
    expect(foreignHooks(client.hooks, document, [id])).toBe(0);
    const beside = { ...client.hooks.preamble, ...managedSurface(client)?.besides };
    if (file?.format !== 'artefact') expect(Object.keys(document).sort()).toEqual(['hooks', ...Object.keys(beside)].sort());
    for (const [key, value] of Object.entries(beside)) expect(document[key]).toEqual(value);
  });
  it('has no fault of the row, and names the program as this system needs it', () => {
    expect(file?.format === 'toml' ? [] : client.lint('hooks', document)).toEqual([]);
    const program = os === 'windows' ? 'praetorctl' : '/usr/local/bin/praetorctl';
    for (const { command } of ownedHooks(client.hooks, document, [id])) expect(command.startsWith(`${program} hook ${id} `)).toBe(true);
  });
  it('a file of others comes with what to add to it', () => {
    expect(row.merge.length > 0).toBe(row.ifPresent === 'refuse');
    if (row.ifPresent === 'refuse') expect(row.merge.filter((step) => 'append' in step).length).toBe(ownedHooks(client.hooks, document, [id]).length);
    expect([row.winsOver.text, ...row.blockedBy.map((fact) => fact.text)].every((said) => said !== '')).toBe(true);
  });
});

it('Codex: the feature is pinned, or a trusted repository would switch every hook off', () => {
  for (const os of MANAGED_OS) {
    expect(parseToml(textOf(rendered(os), 'files/codex/requirements.toml'))).toMatchObject({ features: { hooks: true } });
    expect(rendered(os).rows.find(({ client }) => client === 'codex')?.merge).toContainEqual({ set: 'features.hooks', value: true });
  }
});

it('OpenCode: its plugin is not found by itself, so the configuration of the machine names it', () => {
  for (const os of MANAGED_OS) {
    const [plugin, config] = rendered(os).rows.filter(({ client }) => client === 'opencode');
    const named = (JSON.parse(textOf(rendered(os), config?.source ?? '')) as { plugin: string[] }).plugin;
    expect(named).toEqual([expect.stringMatching(/^file:\/\/\/\S+\/plugins\/praetorctl\.js$/)]);
    expect(decodeURI(named[0] ?? '').slice('file://'.length + (os === 'windows' ? 1 : 0))).toBe(plugin?.dest.replace(/\\/g, '/'));
    expect([plugin?.ifPresent, config?.ifPresent, config?.merge]).toEqual(['replace', 'refuse', [{ append: 'plugin', value: named[0] }]]);
  }
});

it('clients to which nothing can be put say why', () => {
  const why = new Map(rendered('linux').none.map(({ client, why: fact }) => [client, fact.text]));
  expect(why.get('agy')).toContain('user');
  expect(why.get('vscode')).toContain('only restrict');
  expect(why.get('cursor')).toContain('no document');
  expect(rendered('macos').rows.map(({ client }) => client)).toContain('cursor');
});

describe('Ansible', () => {
  it.each(['linux', 'macos'] as const)('%s: tasks that refuse a file of others, before anything of that client is written', (os) => {
    const output = rendered(os);
    const tasks = parseYaml(textOf(output, 'ansible/tasks/main.yml')) as Record<string, unknown>[];
    expect(tasks.every((task) => typeof task['name'] === 'string' && Object.keys(task).filter((key) => key.startsWith('ansible.builtin.')).length === 1)).toBe(true);
    for (const row of output.rows) {
      const mine = tasks.filter((task) => String(task['name']).startsWith(`${row.client}: ${row.source.split('/').at(-1) ?? ''}`)).flatMap((task) => Object.keys(task).filter((key) => key.startsWith('ansible.'))).map((key) => key.slice('ansible.builtin.'.length));
      expect(mine).toEqual(row.ifPresent === 'refuse' ? ['stat', 'assert', 'file', 'copy'] : ['stat', 'file', 'copy']);
      const copy = tasks.map((task) => task['ansible.builtin.copy'] as Record<string, string> | undefined).find((one) => one?.['dest'] === row.dest);
      expect(copy).toMatchObject({ owner: 'root', group: os === 'linux' ? 'root' : 'wheel', mode: '0644' });
      expect(textOf(output, `ansible/files/${copy?.['src'] ?? ''}`)).toBe(textOf(output, row.source));
    }
  });
});

describe('Intune (PowerShell does not run here)', () => {
  const output = rendered('windows');
  it('carries the bytes it writes, and the digests it looks for', () => {
    const script = textOf(output, 'intune/remediate.ps1');
    const carried = [...script.matchAll(/dest = '([^']*)'; sha256 = '([0-9a-f]{64})'; ifPresent = '(\w+)'; content = '([A-Za-z0-9+/=]+)'/g)];
    expect(carried.map(([, dest, digest, ifPresent, content]) => [dest, digest, ifPresent, Buffer.from(content ?? '', 'base64').toString('utf8')]))
      .toEqual(output.rows.map((row) => [row.dest, row.sha256, row.ifPresent, textOf(output, row.source)]));
    for (const row of output.rows) expect(textOf(output, 'intune/detect.ps1')).toContain(`dest = '${row.dest}'; sha256 = '${row.sha256}'`);
  });
  it('lines end as Windows wants them, and brackets are closed', () => {
    for (const name of ['intune/detect.ps1', 'intune/remediate.ps1']) {
      const script = textOf(output, name);
      expect(script.replace(/\r\n/g, '')).not.toMatch(/[\r\n]/);
      for (const [open, close] of ['()', '{}', '[]']) expect(script.split(open ?? '').length).toBe(script.split(close ?? '').length);
    }
  });
});

describe('configuration profiles', () => {
  const output = rendered('macos');
  const payloadOf = (domain: string): Record<string, PlistValue> => {
    const profile = parsePlist(textOf(output, `jamf/${domain}.mobileconfig`)) as { PayloadContent: Record<string, PlistValue>[]; PayloadType: string };
    expect(profile.PayloadType).toBe('Configuration');
    return profile.PayloadContent[0] ?? {};
  };
  it('Claude Code: the keys of the document', () => {
    const payload = payloadOf('com.anthropic.claudecode');
    expect(payload['PayloadType']).toBe('com.anthropic.claudecode');
    expect(payload['hooks']).toEqual((JSON.parse(textOf(output, 'files/claude/50-praetorctl.json')) as JsonObject)['hooks']);
  });
  it('Codex: the whole document in base64', () => {
    expect(Buffer.from(String(payloadOf('com.openai.codex')['requirements_toml_base64']), 'base64').toString('utf8')).toBe(textOf(output, 'files/codex/requirements.toml'));
  });
  it.runIf(has('python3'))("python's plistlib reads them", () => {
    for (const { source } of output.profiles) {
      const said = spawnSync('python3', ['-c', 'import plistlib,json,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'], { input: textOf(output, source), encoding: 'utf8' });
      expect(JSON.parse(said.stdout)).toEqual(parsePlist(textOf(output, source)));
    }
  });
});

describe('clients render', () => {
  it('writes the set, is quiet about the machine, and says the same in JSON', async () => {
    const where = world();
    const before = tree(where.home);
    const out = join(where.root, 'set');
    const answer = await cli(where, ['clients', 'render', '--managed', '--os', 'linux', '--out', out]);
    expect(answer.code, answer.err).toBe(0);
    expect(answer.out).toContain('claude: /etc/claude-code/managed-settings.d/50-praetorctl.json, a file of our own');
    expect(answer.out).toMatch(/wins over: .*\n {2}beaten by: /);
    expect(tree(where.home)).toEqual(before);
    expect(Object.keys(tree(out)).filter((path) => !path.endsWith('/')).sort()).toEqual([...rendered('linux').files.keys()].sort());
    const { json } = await cli(where, ['clients', 'render', '--managed', '--os', 'linux', '--out', out, '--json']);
    expect(json).toMatchObject({ schema: 'praetorctl/clients-render', ok: true, written: 0 });
    expect(OUTPUT_SCHEMAS['clients-render']?.safeParse(json).error).toBeUndefined();
  });
  it('another set in the same directory drops what is no longer in it; the settings say which events', async () => {
    const where = world();
    settings(where, 'hooks:\n  events: [pre-tool]\n');
    const out = join(where.root, 'set');
    await cli(where, ['clients', 'render', '--managed', '--os', 'windows', '--out', out]);
    const answer = await cli(where, ['clients', 'render', '--managed', '--os', 'linux', '--client', 'claude', '--out', out]);
    expect(answer.code, answer.err).toBe(0);
    expect(Object.keys(tree(out)).filter((path) => !path.endsWith('/')).sort()).toEqual(['README.md', 'ansible/files/claude/50-praetorctl.json', 'ansible/tasks/main.yml', 'files/claude/50-praetorctl.json', 'manifest.json']);
    expect(Object.keys((JSON.parse(readFileSync(join(out, 'files/claude/50-praetorctl.json'), 'utf8')) as { hooks: object }).hooks)).toEqual(['PreToolUse']);
  });
  it('a file of somebody else in the directory, or one that was changed, is refused', async () => {
    for (const [path, text] of [['notes.txt', 'mine'], ['files/claude/50-praetorctl.json', '{}']] as const) {
      const where = world();
      const out = join(where.root, 'set');
      await cli(where, ['clients', 'render', '--managed', '--os', 'linux', '--out', out]);
      writeFileSync(join(out, path), text);
      const before = tree(out);
      const answer = await cli(where, ['clients', 'render', '--managed', '--os', 'macos', '--out', out]);
      expect(answer.code).toBe(4);
      expect(tree(out)).toEqual(before);
    }
  });
  it.each([
    [['--launcher', '/opt/my apps/praetorctl', '--os', 'linux'], 'absolute path'], [['--launcher', 'praetorctl', '--os', 'linux'], 'absolute path'], [['--launcher', '/usr/local/bin/praetorctl', '--os', 'windows'], 'absolute path'],
    [['--os', 'beos'], 'beos'],
  ])('refuses %j', async (argv, said) => {
    const where = world();
    const answer = await cli(where, ['clients', 'render', '--managed', '--out', join(where.root, 'set'), ...argv]);
    expect(answer.code).toBe(64);
    expect(answer.err).toContain(said);
    expect(existsSync(join(where.root, 'set'))).toBe(false);
  });
  it('without --managed there is nothing to render', async () => {
    const where = world();
    expect((await cli(where, ['clients', 'render', '--out', join(where.root, 'set')])).err).toContain('--managed --out DIR');
  });
});
