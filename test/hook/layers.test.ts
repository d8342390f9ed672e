// Contract: settings of a fleet and an organisation as hook processes meet them: compiled in, never looked at, so that nothing
// that becomes of their documents changes a running hook; and the person's own document still tightens at once.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/cli/output.ts';
import { policyCompile } from '../../src/cli/policy-operator.ts';
import { openIndex } from '../../src/hook/index-reader.ts';
import { BLANK_RECORD, formatInstallRecord } from '../../src/roots/install-record.ts';
import { GLOBAL, compile, edit, ioOf, last, policy, put, said, shellDocument, station, type Station } from './operator-support.ts';
import { BIN, buildHook } from './support.ts';

beforeAll(buildHook);

interface Fleet extends Station { readonly fleet: string; readonly org: string }

function fleetStation(): Fleet {
  const at = station();
  return { ...at, fleet: join(at.root, 'operator', 'fleet.yaml'), org: join(at.root, 'operator', 'orgs', 'acme.yaml') };
}

function compileLayers(at: Fleet, ...which: ('fleet' | 'org')[]): Outcome {
  return policyCompile({ io: ioOf(at), global: GLOBAL, options: { ...(which.includes('fleet') ? { fleetSettings: at.fleet } : {}), ...(which.includes('org') ? { orgSettings: at.org } : {}) }, args: [] });
}

const FLEET = `# ours\n${policy("packs: { infra: deny }\nrules: { git.push.force: ask }\ndeny:\n  - { id: tf, program: stackform, subcommand: [apply], reason: Plans are applied by the pipeline. }\nallow:\n  - { rule: operator.tf, program: stackform, subcommand: [apply], options: [-dry-run], reason: A dry run changes nothing. }")}`;
const ORG = policy('ask:\n  - { program: helm }');
const OWN = policy('deny:\n  - { program: kubeloop }\nrules: { git.branch.delete: deny }');

function ready(own: string | undefined = OWN): Fleet {
  const at = fleetStation();
  put(at.fleet, FLEET);
  put(at.org, ORG);
  if (own !== undefined) put(at.settings, own);
  const outcome = compileLayers(at, 'fleet', 'org');
  expect(outcome.diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  return at;
}

const EXPECTED: readonly [string, string][] = [
  ['stackform apply', 'deny operator.tf'], ['stackform apply -dry-run', 'neutral'], ['helm ls', 'ask operator.organisation-ask-1'], ['kubeloop x', 'deny operator.deny-1'], ['git push --force origin x', 'ask git.push.force'],
];

async function expectFleet(at: Fleet, note = ''): Promise<void> {
  for (const [command, verdict] of EXPECTED) expect([command, await said(at, command)]).toEqual([command, `${verdict}${note}`]);
}

describe('in force', () => {
  test('rules, exceptions and levels of every document, each with its own name', async () => {
    await expectFleet(ready());
  });

  test('the index names the person\'s own document alone as what has to be looked at', () => {
    const at = ready();
    const index = openIndex(at.index);
    if (typeof index === 'string') throw new Error(index);
    expect(index.meta.sources.map(({ path }) => path)).toEqual([at.settings]);
    expect(index.meta.beneath).toEqual({ packs: { infra: 'deny' }, rules: { 'git.push.force': 'ask' }, files: [at.fleet, at.org] });
    expect(index.rowsFor('stackform').map(({ source }) => source)).toEqual(['fleet.yaml:7', 'fleet.yaml:9']);
    expect(index.rowsFor('kubeloop').map(({ source }) => source)).toEqual(['settings.yaml:4']);
  });

  test('a document alone gives the same bytes as before there were layers', () => {
    const at = fleetStation();
    put(at.settings, OWN);
    compileLayers(at);
    const index = openIndex(at.index);
    if (typeof index === 'string') throw new Error(index);
    // Golden: the digest of the text, and no key besides those of the first version.
    expect(index.meta.digest).toBe('6de97301ac880665');
    expect(Object.keys(index.meta)).toEqual(['digest', 'problem', 'mode', 'packs', 'rules', 'evaluators', 'rows', 'contract', 'engine', 'sources']);
  });

  test('the documents are guarded like the person\'s own', async () => {
    const at = ready();
    expect(await said(at, `rm ${at.fleet}`)).toMatch(/^deny self\./);
    await edit(at, at.org);
    expect(last(at).verdict).toBe('deny');
  });

  test('a fleet alone, without any document of the person; one that appears later tightens at once', async () => {
    const at = ready(undefined as unknown as string);
    rmSync(at.settings, { force: true });
    compileLayers(at, 'fleet', 'org');
    expect(await said(at, 'stackform apply')).toBe('deny operator.tf');
    put(at.settings, policy('deny: [{ program: kubeloop }]\nrules: { git.push.force: off }'));
    expect(await said(at, 'kubeloop x')).toBe('deny operator.deny-1 (stale)');
    expect(await said(at, 'git push --force origin x')).toBe('ask git.push.force (stale)');
    expect(await said(at, 'stackform apply -dry-run')).toBe('neutral (stale)');
    rmSync(at.settings);
    expect(await said(at, 'kubeloop x')).toBe('neutral');
  });
});

describe('an index that is gone or damaged, on a workstation whose installed version holds documents of the operator', () => {
  const ID = 'a'.repeat(16);

  function installed(operator: boolean): Station {
    const at = station();
    const data = join(at.home, '.local/share/praetorctl');
    put(join(data, 'install.json'), formatInstallRecord({ ...BLANK_RECORD, hostId: 'h', current: ID, launcher: '/x', installedAt: '2026-03-01T00:00:00Z' }));
    mkdirSync(join(data, 'versions', ID), { recursive: true });
    if (operator) put(join(data, 'versions', ID, 'operator/fleet.yaml'), FLEET);
    put(at.settings, OWN);
    expect(compile(at).exit).toBe(0);
    return at;
  }

  const losses: [string, (at: Station) => void][] = [
    ['gone', (at) => rmSync(at.index)], ['cut off', (at) => put(at.index, readFileSync(at.index).subarray(0, 40))], ['of another format', (at) => put(at.index, 'x'.repeat(200))],
  ];

  test.each(losses)('%s: the person\'s own document does not stand in for them, a person is asked', async (_what, lose) => {
    const at = installed(true);
    expect(await said(at, 'stackform apply')).toBe('deny operator.tf');
    lose(at);
    expect(await said(at, 'stackform apply')).toBe('ask settings.invalid (invalid)');
    expect(await said(at, 'kubeloop x')).toBe('ask settings.invalid (invalid)');
    expect(await said(at, 'git push --force origin main')).toMatch(/^deny git\.push.* \(invalid\)$/);
    expect(compile(at).exit).toBe(0);
    expect(await said(at, 'stackform apply')).toBe('deny operator.tf');
  });

  test('so too where the record cannot be read, the version is gone, or the person has no document', async () => {
    const changes: ((at: Station, data: string) => void)[] = [
      (_at, data) => put(join(data, 'install.json'), '{'), (_at, data) => rmSync(join(data, 'versions'), { recursive: true }), (at) => rmSync(at.settings),
    ];
    for (const change of changes) {
      const at = installed(true);
      rmSync(at.index);
      change(at, join(at.home, '.local/share/praetorctl'));
      expect(await said(at, 'kubeloop x')).toBe('ask settings.invalid (invalid)');
    }
  });

  test('a version without such documents leaves the person\'s own in force', async () => {
    const at = installed(false);
    rmSync(at.index);
    expect(await said(at, 'kubeloop x')).toBe('deny operator.deny-1 (source)');
  });
});

describe('what becomes of the documents does not reach a hook', () => {
  const ends: [string, (at: Fleet) => void][] = [
    ['deleted', (at) => rmSync(at.fleet)],
    ['the whole directory deleted', (at) => rmSync(join(at.root, 'operator'), { recursive: true })],
    ['broken', (at) => put(at.fleet, 'hooks: [\n')],
    ['not UTF-8', (at) => put(at.fleet, Uint8Array.of(0xff, 0xfe))],
    ['loosened', (at) => put(at.fleet, policy('packs: { infra: off, git-destructive: off }'))],
    ['replaced by a directory', (at) => { rmSync(at.fleet); mkdirSync(at.fleet); }],
    ['replaced by another document', (at) => { put(`${at.fleet}.new`, policy('deny: [{ program: kubeloop2 }]')); renameSync(`${at.fleet}.new`, at.fleet); }],
    ['loosened, of the organisation', (at) => put(at.org, policy('rules: { git.push.force: off }'))],
  ];

  test.each(ends)('%s', async (_what, change) => {
    const at = ready();
    change(at);
    await expectFleet(at);
  });

  test('compiling what is broken or loosens changes nothing and names both documents', async () => {
    const at = ready();
    const before = readFileSync(at.index);
    put(at.org, policy('rules: { git.push.force: off }'));
    const loosened = compileLayers(at, 'fleet', 'org');
    expect(loosened).toMatchObject({ exit: 1, diagnostics: [{ code: 'settings-loosened', where: { path: at.org, line: 3 }, message: expect.stringContaining(`the organisation settings loosen what is set by the fleet settings (${at.fleet}:5)`) as string }] });
    put(at.fleet, 'hooks: [\n');
    expect(compileLayers(at, 'fleet', 'org').exit).toBe(64);
    rmSync(at.fleet);
    expect(compileLayers(at, 'fleet', 'org')).toMatchObject({ exit: 1, diagnostics: [{ code: 'settings-unreadable', message: 'the fleet settings do not exist' }] });
    // A pattern that only the compiler refuses, in a fleet without a document of the person.
    rmSync(at.settings);
    put(at.fleet, policy("deny: ['(a+)\\1']"));
    expect(compileLayers(at, 'fleet')).toMatchObject({ exit: 64, diagnostics: [{ where: { path: at.fleet, line: 3 } }] });
    expect(readFileSync(at.index).equals(before)).toBe(true);
    put(at.settings, OWN);
    expect(await said(at, 'stackform apply')).toContain('deny operator.tf');
  });

  test('40 hook processes while the documents are deleted, broken, loosened and replaced: none is answered otherwise', async () => {
    const at = ready();
    const call = (): Promise<number | null> => new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [BIN, 'hook', 'claude', 'pre-tool'], { env: { ...at.env, PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'ignore', 'ignore'] });
      child.on('error', reject);
      child.on('close', resolve);
      child.stdin.end(shellDocument(at, 'stackform apply'));
    });
    const codes: (number | null)[] = [];
    for (let round = 0; round < 10; round++) {
      const running = [call(), call()];
      ends[round % ends.length]?.[1](at);
      running.push(call(), call());
      codes.push(...await Promise.all(running));
      put(at.org, ORG);
      rmSync(at.fleet, { force: true, recursive: true });
      put(at.fleet, FLEET);
    }
    expect(codes).toEqual(Array.from({ length: 40 }, () => 2));
  }, 120_000);
});

describe('the person\'s own document beside a fleet', () => {
  test('what it tightens is in force at once; what it loosens, and what it says against the fleet, is not', async () => {
    const at = ready();
    put(at.settings, policy('deny:\n  - { program: kubeloop2 }\nrules: { git.push.force: off }\npacks: { git-destructive: deny }\nallow: [{ program: stackform, reason: Mine. }]'));
    await expectFleet(at, ' (stale)');
    expect(await said(at, 'kubeloop2 x')).toBe('deny operator.deny-1 (stale)');
    expect(compileLayers(at, 'fleet', 'org').diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(['settings-loosened', 'settings-invalid']));
  });

  test('broken, or gone: what was compiled', async () => {
    const at = ready();
    put(at.settings, 'hooks: [');
    await expectFleet(at, ' (stale)');
    rmSync(at.settings);
    await expectFleet(at, ' (stale)');
  });

  test('a damaged index is not answered from the person\'s own document alone: the call is refused', async () => {
    const at = ready();
    const bytes = readFileSync(at.index);
    const index = bytes.indexOf('["stackform"');
    expect(index).toBeGreaterThan(0);
    bytes[index + 20] = (bytes[index + 20] ?? 0) ^ 1;
    put(at.index, bytes);
    expect(statSync(at.index).size).toBe(bytes.length);
    expect(await said(at, 'stackform plan')).toMatch(/^(error|deny)/);
  });
});
