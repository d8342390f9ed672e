// `settings check | show | explain` and the selection of documents, on real files: what is selected wins in a fixed order, what is
// selected must exist and say something, and every command that reads settings reads the one effective document.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { BLANK_RECORD, formatInstallRecord, type InstallRecord } from '../../src/roots/install-record.ts';
import { OPERATOR_CHARS_MAX, operatorDocuments } from '../../src/settings/load.ts';
import { KEY_RULES } from '../../src/settings/merge-rules.ts';
import { cli, world, type Answer, type World } from '../support/cli.ts';

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const own = (at: World, text: string): string => put(join(at.root, 'config', 'settings.yaml'), text);
const fleet = (at: World, text: string): string => put(join(at.root, 'op', 'fleet.yaml'), text);

async function json(at: World, ...argv: string[]): Promise<Answer> {
  const answer = await cli(at, [...argv, '--json']);
  const kind = String(answer.json['schema']).replace('praetorctl/', '');
  expect(OUTPUT_SCHEMAS[kind]?.safeParse(answer.json).error?.issues ?? []).toEqual([]);
  return answer;
}

const paths = ({ json: body }: Answer): string[] => (body['documents'] as { layer: string; path: string }[]).map(({ layer, path }) => `${layer} ${path}`);

const RECORD: InstallRecord = {
  ...BLANK_RECORD, hostId: '5e0c6d0e-0000-4000-8000-000000000000', current: 'a'.repeat(16), org: 'acme', name: 'desk-1', node: [process.execPath], launcher: '/x', installedAt: '2026-01-01T00:00:00.000Z',
};

/** An installed version with documents of an operator. */
function installed(at: World, files: Readonly<Record<string, string>>, record: Partial<InstallRecord> = {}): string {
  const data = join(at.home, '.local', 'share', 'praetorctl');
  put(join(data, 'install.json'), formatInstallRecord({ ...RECORD, ...record }));
  const operator = join(data, 'versions', RECORD.current, 'operator');
  mkdirSync(dirname(operator), { recursive: true });
  for (const [name, text] of Object.entries(files)) put(join(operator, name), text);
  return operator;
}

describe('selection', () => {
  it('the places in a version are a function of the record alone', () => {
    expect(operatorDocuments('linux', { org: 'acme', name: 'desk-1' }, '/v')).toEqual({ directory: '/v/operator', fleet: '/v/operator/fleet.yaml', organisation: '/v/operator/orgs/acme.yaml', workstation: '/v/operator/workstations/desk-1.yaml' });
    expect(operatorDocuments('win32', { org: null, name: null }, 'C:\\v')).toEqual({ directory: 'C:\\v\\operator', fleet: 'C:\\v\\operator\\fleet.yaml', organisation: undefined, workstation: undefined });
    expect(() => operatorDocuments('linux', { org: '../../x', name: null }, '/v')).toThrow('cannot be a file\'s name');
  });

  it('nothing is discovered: without selection there is the person\'s own document alone', async () => {
    const at = world();
    own(at, 'clients: { verified_max_age: 2d }\n');
    put(join(at.root, 'config', 'fleet.yaml'), 'update: {}\n');
    put(join(at.root, 'config', 'operator', 'fleet.yaml'), 'update: {}\n');
    expect(paths(await json(at, 'settings', 'check'))).toEqual([`workstation ${join(at.root, 'config', 'settings.yaml')}`]);
  });

  it('flag before environment before installation, each document by itself', async () => {
    const at = world();
    const operator = installed(at, { 'fleet.yaml': 'update: { interval: 1h }\n', 'orgs/acme.yaml': 'update: { interval: 2h }\n', 'workstations/desk-1.yaml': 'update: { interval: 3h }\n' });
    const mine = own(at, 'clients: { verified_max_age: 2d }\n');
    const installedAll = [`fleet ${operator}/fleet.yaml`, `organisation ${operator}/orgs/acme.yaml`, `workstation ${operator}/workstations/desk-1.yaml`, `workstation ${mine}`];
    expect(paths(await json(at, 'settings', 'check'))).toEqual(installedAll);
    const value = async (where: World, ...flags: string[]): Promise<unknown> => ((await json(where, 'settings', 'explain', 'update.interval', ...flags)).json['keys'] as { values: { value: unknown }[] }[])[0]?.values[0]?.value;
    expect(await value(at)).toBe('3h');
    const a = fleet(at, 'update: { soak: 1d }\n');
    const b = put(join(at.root, 'op', 'other.yaml'), 'update: { soak: 2d }\n');
    put(join(at.project, 'org.yaml'), 'update: {}\n');
    const withEnv: World = { ...at, env: { ...at.env, PRAETORCTL_FLEET_SETTINGS: a } };
    expect(paths(await json(withEnv, 'settings', 'check'))[0]).toBe(`fleet ${a}`);
    expect(paths(await json(withEnv, 'settings', 'check', '--fleet-settings', b)).slice(0, 2)).toEqual([`fleet ${b}`, `organisation ${operator}/orgs/acme.yaml`]);
    expect(paths(await json({ ...at, env: { ...at.env, PRAETORCTL_ORG_SETTINGS: b } }, 'settings', 'check')).slice(0, 2)).toEqual([`fleet ${operator}/fleet.yaml`, `organisation ${b}`]);
    expect(paths(await json(at, 'settings', 'check', '--org-settings', 'org.yaml')).slice(0, 2)).toEqual([`fleet ${operator}/fleet.yaml`, `organisation ${join(at.project, 'org.yaml')}`]);
  });

  it('a version without documents of an operator selects none; what the record names must be there', async () => {
    const at = world();
    installed(at, {});
    expect(paths(await json(at, 'settings', 'check'))).toEqual([]);
    const operator = installed(at, { 'fleet.yaml': 'update: {}\n' });
    const answer = await json(at, 'settings', 'check');
    expect([answer.code, answer.json['diagnostics']]).toEqual([1, [expect.objectContaining({ code: 'settings-unreadable', message: 'the organisation settings do not exist', where: { path: `${operator}/orgs/acme.yaml` } })]]);
    installed(at, {}, { org: null });
    expect((await json(at, 'settings', 'check')).code).toBe(0);
  });

  it.each<[string, string | undefined, number, string]>([
    ['missing', undefined, 1, 'the fleet settings do not exist'],
    ['empty', '', 64, 'the fleet settings are selected by --fleet-settings or PRAETORCTL_FLEET_SETTINGS and say nothing'],
    ['without a section', '{}\n', 64, 'and say nothing'],
    ['with an empty section', 'hooks: {}\n', 0, ''],
    ['with an unknown key', 'hooks: {}\nteam: x\n', 64, 'unknown key team'],
    ['with an anchor', 'hooks: &a {}\n', 64, 'anchors are not allowed'],
    ['at the limit', `hooks: {}\n#${'x'.repeat(OPERATOR_CHARS_MAX - 11)}`, 0, ''],
    ['one past the limit', `hooks: {}\n#${'x'.repeat(OPERATOR_CHARS_MAX - 10)}`, 64, 'the fleet settings is larger than 256 KiB'],
  ])('a selected document that is %s', async (_what, text, code, message) => {
    const at = world();
    const path = text === undefined ? join(at.root, 'none.yaml') : fleet(at, text);
    const answer = await json(at, 'settings', 'check', '--fleet-settings', path);
    expect(answer.code).toBe(code);
    expect((answer.json['diagnostics'] as { message: string }[]).map((one) => one.message).join()).toContain(message);
  });
});

const FLEET = 'update:\n  interval: 1h\nhooks:\n  command_policy:\n    mode: strict\n    deny:\n      - { id: tf, program: stackform, reason: No. }\nclients:\n  selected:\n    claude: { required: true }\nmcpServers:\n  fleet-notes: { command: notes-mcp, env: { NOTES_TOKEN: very-secret-value } }\n';

describe('check, show, explain', () => {
  it('show: each value with the documents that say it; values of env are names', async () => {
    const at = world();
    const f = fleet(at, FLEET);
    own(at, 'hooks:\n  command_policy:\n    mode: strict\n    deny: [mine]\nupdate: { interval: 2h }\n');
    const { out, code } = await cli(at, ['settings', 'show', '--fleet-settings', f]);
    expect(code).toBe(0);
    expect(out.replaceAll(at.root, 'ROOT').replace(/^\d+ more/m, 'N more')).toMatchInlineSnapshot(`
      "clients.selected                  {"claude":{"required":true}}                   fleet ROOT/op/fleet.yaml:10
      clients.selected.claude.required  true                                           fleet ROOT/op/fleet.yaml:10
      hooks.command_policy.mode         strict                                         fleet ROOT/op/fleet.yaml:5, workstation ROOT/config/settings.yaml:3
      hooks.command_policy.deny         2 entries                                      fleet ROOT/op/fleet.yaml:7, workstation ROOT/config/settings.yaml:4
      update.interval                   2h                                             workstation ROOT/config/settings.yaml:5
      mcpServers.fleet-notes            {"command":"notes-mcp","env":["NOTES_TOKEN"]}  fleet ROOT/op/fleet.yaml:12
      N more keys have their default (--verbose)
      "
    `);
    const answer = await json(at, 'settings', 'show', '--fleet-settings', f);
    expect(JSON.stringify(answer.json)).not.toContain('very-secret');
    expect(JSON.stringify(answer.json)).toContain('NOTES_TOKEN');
  });

  it('explain: what a key means, its rule, who says it and who is overruled', async () => {
    const at = world();
    const f = fleet(at, FLEET);
    own(at, 'hooks:\n  command_policy:\n    mode: strict\n    deny: [mine]\nupdate: { interval: 2h }\n');
    const said = async (key: string): Promise<string> => (await cli(at, ['settings', 'explain', key, '--fleet-settings', f])).out.replaceAll(at.root, 'ROOT');
    expect(await said('update.interval')).toMatchInlineSnapshot(`
      "update.interval
        How often a schedule looks for updates: 5m to 24h.
        several documents: replace
        may stand in: fleet, organisation, workstation
        update.interval = 2h
          from       workstation ROOT/config/settings.yaml:5
          overruled  fleet ROOT/op/fleet.yaml:2
      "
    `);
    expect(await said('hooks.command_policy.deny')).toMatchInlineSnapshot(`
      "hooks.command_policy.deny
        Your own rules that refuse. A plain string is a pattern.
        several documents: append, at most 20000
        may stand in: fleet, organisation, workstation, workspace
        hooks.command_policy.deny = 2 entries
          from       fleet ROOT/op/fleet.yaml:7
          from       workstation ROOT/config/settings.yaml:4
          item 1     fleet ROOT/op/fleet.yaml:7
          item 2     workstation ROOT/config/settings.yaml:4
      "
    `);
    expect(await said('hooks.evidence.endpoint')).toMatchInlineSnapshot(`
      "hooks.evidence.endpoint
        The OTLP/HTTP endpoint.
        several documents: conflict
        may stand in: fleet, organisation, workstation
        nobody wrote it
      "
    `);
  });

  it('every key of the table can be explained, by itself and by what it stands below', async () => {
    const at = world();
    for (const { key } of KEY_RULES) expect([key, (await json(at, 'settings', 'explain', key)).code]).toEqual([key, 0]);
    expect(((await json(at, 'settings', 'explain', 'update')).json['keys'] as unknown[]).length).toBe(KEY_RULES.filter(({ key }) => key.startsWith('update.')).length);
    const wrong = await json(at, 'settings', 'explain', 'update.intervall');
    expect([wrong.code, wrong.json['diagnostics']]).toEqual([64, [expect.objectContaining({ code: 'usage' })]]);
  });

  it('a name with dots, with or without brackets', async () => {
    const at = world();
    own(at, 'hooks: { command_policy: { rules: { git.push.force: ask, git.clean: ask } } }\nclients: { selected: { claude: { required: true } } }\n');
    for (const key of ['hooks.command_policy.rules.git.push.force', 'hooks.command_policy.rules["git.push.force"]']) {
      const [one] = (await json(at, 'settings', 'explain', key)).json['keys'] as { values: { key: string }[] }[];
      expect(one?.values.map((value) => value.key)).toEqual(['hooks.command_policy.rules["git.push.force"]']);
    }
    const required = (await json(at, 'settings', 'explain', 'clients.selected.claude.required')).json['keys'] as { key: string; values: unknown[] }[];
    expect(required.map(({ key, values }) => [key, values.length])).toEqual([['clients.selected.<client>.required', 1]]);
  });

  it('check: a loosening is an error of exit 1 that names both documents with their lines', async () => {
    const at = world();
    const f = fleet(at, FLEET);
    own(at, '# mine\nhooks:\n  command_policy:\n    mode: default\n');
    const { code, err, out } = await cli(at, ['settings', 'check', '--fleet-settings', f]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('settings.yaml:4:11: hooks.command_policy.mode: the workstation settings loosen what is set by the fleet settings (');
    expect(err).toContain('op/fleet.yaml:5)');
    expect(err).toContain('settings-loosened');
  });

  it('check: what only the compiler sees is said too, and whether the hook reads these settings', async () => {
    const at = world();
    const f = fleet(at, FLEET);
    expect((await json(at, 'settings', 'check', '--fleet-settings', f)).json).toMatchObject({ ok: true, inForce: false });
    expect((await cli(at, ['policy', 'compile', '--fleet-settings', f])).code).toBe(0);
    expect((await json(at, 'settings', 'check', '--fleet-settings', f)).json).toMatchObject({ ok: true, inForce: true });
    fleet(at, 'hooks:\n  command_policy:\n    deny: ["(a+)\\\\1"]\n');
    const answer = await json(at, 'settings', 'check', '--fleet-settings', f);
    expect([answer.code, answer.json['diagnostics']]).toEqual([64, [expect.objectContaining({ where: { path: f, line: 3, column: 12 } })]]);
  });

  it('a workspace\'s document is a layer of its own, of this directory and those above it', async () => {
    const at = world();
    const f = fleet(at, 'hooks:\n  command_policy:\n    packs: { infra: ask }\n');
    const path = put(join(at.project, '.praetorctl', 'settings.yaml'), 'hooks:\n  command_policy:\n    packs: { infra: deny }\n    deny: [x]\n');
    const answer = await json(at, 'settings', 'explain', 'hooks.command_policy.packs.infra', '--fleet-settings', f);
    expect(answer.json['keys']).toMatchObject([{ values: [{ value: 'deny', from: [{ layer: 'workspace', path, line: 3 }], overruled: [{ layer: 'fleet', line: 3 }] }] }]);
    put(path, 'hooks:\n  command_policy:\n    packs: { infra: off }\n');
    const loosened = await json(at, 'settings', 'check', '--fleet-settings', f);
    expect([loosened.code, loosened.json['diagnostics']]).toEqual([1, [expect.objectContaining({ code: 'settings-loosened', where: expect.objectContaining({ path }) as object })]]);
  });
});

describe('every command reads the one effective document', () => {
  it('plan, apply and verify: clients and servers of the fleet', async () => {
    const at = world({ fixture: 'four-clients' });
    const f = fleet(at, FLEET);
    own(at, 'clients: { selected: { codex: } }\n');
    const plan = await json(at, 'clients', 'plan', '--fleet-settings', f);
    const clients = new Set((plan.json['files'] as { client: string }[]).map(({ client }) => client));
    expect([...clients].sort()).toEqual(['claude', 'codex']);
    expect(JSON.stringify(plan.json)).toContain('fleet-notes');
    expect((await json(at, 'clients', 'apply', '--yes', '--fleet-settings', f)).code).toBe(0);
    // The index came from the effective document too: the fleet's rule, with its place.
    const explained = await cli(at, ['policy', 'explain', '--', 'stackform', 'apply']);
    expect(explained.out).toContain('fleet.yaml:7');
    expect(explained.out).toContain('operator.tf');
    const verify = await json(at, 'clients', 'verify', '--fleet-settings', f);
    expect((verify.json['clients'] as { client: string }[]).map(({ client }) => client)).toEqual(['claude', 'codex']);
  });

  it('a loosening stops every command before anything is written', async () => {
    const at = world({ fixture: 'four-clients' });
    const f = fleet(at, FLEET);
    own(at, 'hooks: { command_policy: { mode: default } }\n');
    for (const argv of [['clients', 'plan'], ['clients', 'apply', '--yes'], ['clients', 'verify'], ['doctor'], ['policy', 'compile'], ['start', '--yes']]) {
      const answer = await cli(at, [...argv, '--fleet-settings', f]);
      expect([argv, answer.code]).toEqual([argv, 1]);
      expect(answer.err).toContain('settings-loosened');
    }
  });

  it('a required client is verified whatever the command line says, and wants to be observed', async () => {
    const at = world({ fixture: 'four-clients' });
    own(at, 'clients: { selected: { claude: { required: true }, codex: } }\n');
    expect((await cli(at, ['clients', 'apply', '--yes'])).code).toBe(0);
    expect((await json(at, 'clients', 'verify', '--client', 'codex', '--require', 'installed')).code).toBe(3);
    expect(((await json(at, 'clients', 'verify', '--client', 'codex')).json['clients'] as { client: string }[]).map(({ client }) => client)).toEqual(['claude', 'codex']);
    own(at, 'clients: { selected: { claude: , codex: } }\n');
    expect((await json(at, 'clients', 'verify', '--client', 'codex', '--require', 'installed')).code).toBe(0);
    rmSync(join(at.root, 'config'), { recursive: true });
  });
});
