// What is put into force: never less than before without a word, one change at a time, and a disk that refuses is told with its path.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import type { Catalogue } from '../../src/contract/catalogue-schema.ts';
import { ioOf } from '../hook/operator-support.ts';
import { PERSON, catalogueOf, lab, type Lab } from './lab.ts';

const file = ({ at }: Lab): string => join(at.root, 'config/contracts/notes.json');

async function approved(): Promise<Lab> {
  const one = lab();
  await one.say(['contract', 'import', 'notes', '--yes']);
  await one.say(['contract', 'review', 'notes']);
  await one.say(['contract', 'approve', 'notes', '--all', '--yes']);
  return one;
}

function change(one: Lab, edit: (catalogue: Catalogue) => void): void {
  const catalogue = catalogueOf(one.at);
  edit(catalogue);
  writeFileSync(file(one), JSON.stringify(catalogue, null, 2));
}

const upstream = (more: object) => (catalogue: Catalogue): void => { Object.assign(catalogue.upstream!, more); };
const operation = (more: object) => (catalogue: Catalogue): void => { Object.assign(catalogue.operations.find(({ mcpTool }) => mcpTool === 'notes_delete')!, more); };

describe('contract lint', () => {
  it.each<[string, (catalogue: Catalogue) => void, string]>([
    ['a server that is bound no more', (catalogue) => { catalogue.bindings = ['zzz']; }, 'the server notes is bound no more'],
    ['another command', upstream({ command: '/bin/false' }), 'upstream.command'], ['other arguments', upstream({ args: ['x'] }), 'upstream.args'], ['a directory', upstream({ cwd: '/tmp' }), 'upstream.cwd'],
    ['more variables', upstream({ envNames: ['LD_PRELOAD', 'NODE_OPTIONS'] }), 'upstream.envNames'], ['no upstream', (catalogue) => { delete catalogue.upstream; }, 'upstream.command'],
    ['an argument that makes it a dry run', operation({ dryRun: { input: 'id', by: 'upstream' } }), 'make it a dry run'],
    ['another argument that confirms', operation({ confirmationInput: 'id' }), 'that confirm it'],
    ['a risk that a floor does not ask about', operation({ risk: 'low', reversible: true }), 'no longer counts as unsafe'],
    ['another service in its place', (catalogue) => { catalogue.service.id = 'other'; }, 'must have its name'],
  ])('%s is no silent change', async (_what, edit, text) => {
    const one = await approved();
    const before = readFileSync(join(one.at.state, 'catalogues/notes.json'), 'utf8');
    change(one, edit);
    const { code, err } = await one.say(['contract', 'lint']);
    expect([[3, 64].includes(code), err.includes(text)]).toEqual([true, true]);
    expect(readFileSync(join(one.at.state, 'catalogues/notes.json'), 'utf8')).toBe(before);
    if (code === 3) expect((await one.say(['contract', 'lint', '--allow-loosening'])).code).toBe(0);
  });

  it('a catalogue that is gone is one too, and once a person meant it nothing of it stays', async () => {
    const one = await approved();
    rmSync(file(one));
    const { code, err } = await one.say(['contract', 'lint']);
    expect([code, err.includes('its catalogue is gone')]).toEqual([3, true]);
    expect((await one.say(['clients', 'apply', '--yes', '--client', 'claude'])).err).toContain('its catalogue is gone');
    expect((await one.say(['contract', 'lint', '--allow-loosening'])).code).toBe(0);
    expect((await one.say(['contract', 'lint'])).code).toBe(0);
  });

  it('two operations of one tool are an error at their line', async () => {
    const one = await approved();
    change(one, (catalogue) => { catalogue.operations.unshift({ ...catalogue.operations[2]!, id: 'notes.other', effect: 'read', confirmationRequired: false, risk: 'none', reversible: true }); });
    const { code, err } = await one.say(['contract', 'lint']);
    expect([code, err.includes('another operation is of this tool'), /notes\.json:[1-9][0-9]+:/.test(err)]).toEqual([64, true, true]);
  });

  it('a text that is no JSON is told with its line, a file that cannot be read with the exit code of one', async () => {
    const one = await approved();
    writeFileSync(file(one), '{\n  "schema": "praetor.catalogue/1",\n  oops\n}\n');
    const { code, err } = await one.say(['contract', 'lint']);
    expect([code, err.includes('notes.json:3:')]).toEqual([64, true]);
    rmSync(file(one));
    mkdirSync(file(one));
    expect([(await one.say(['contract', 'lint'])).code, (await one.say(['contract', 'list'])).code]).toEqual([1, 1]);
  });
});

describe('one change at a time', () => {
  it('approvals that run side by side are all kept', async () => {
    const one = lab();
    await one.say(['contract', 'import', 'notes', '--yes']);
    await one.say(['contract', 'review', 'notes']);
    const tools = catalogueOf(one.at).operations.map(({ mcpTool }) => mcpTool);
    const io = ioOf(one.at, {}, { USER: 'dev' });
    const ends = await Promise.all(tools.map((tool) => new Promise<number | null>((done) => {
      const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/praetorctl'), 'contract', 'approve', 'notes', tool, '--yes'], { env: io.host.env as NodeJS.ProcessEnv, stdio: 'ignore' });
      child.on('exit', done);
    })));
    const kept = tools.filter((tool) => catalogueOf(one.at).operations.some(({ mcpTool, state }) => mcpTool === tool && state === 'approved'));
    expect(kept).toEqual(tools.filter((_tool, i) => ends[i] === 0));
    expect(ends.every((code) => code === 0 || code === 4)).toBe(true);
    expect(kept.length).toBeGreaterThan(1);
  });

  it('what changed while a person read is not approved', async () => {
    const one = lab();
    await one.say(['contract', 'import', 'notes', '--yes']);
    const { code, err } = await one.say(['contract', 'approve', 'notes', 'notes_delete'], {
      ...PERSON, ask: () => { change(one, operation({ effect: 'read', confirmationRequired: false, risk: 'none', reversible: true })); return Promise.resolve('y'); },
    });
    expect([code, err.includes('changed in the catalogue while it was being approved')]).toEqual([4, true]);
  });
});

describe('a disk that refuses', () => {
  it.each([['EROFS', 'make the file system writable'], ['ENOSPC', 'free some disk space']])('%s is told with the path and what to do', async (code, fix) => {
    const one = await approved();
    for (const words of [['contract', 'import', 'notes', '--yes'], ['contract', 'lint'], ['contract', 'grant', 'notes.notes.delete']]) {
      let err = '';
      const io = ioOf(one.at, { ...PERSON, err: (text) => { err += text; } }, { USER: 'dev' });
      const refuse = (path: string): never => { throw Object.assign(new Error(code), { code, path }); };
      expect([await runCli(words, { ...io, host: { ...io.host, writeNew: refuse } }), err.includes('write-failed'), err.includes(fix), err.includes(one.at.root)]).toEqual([1, true, true, true]);
    }
    chmodSync(file(one), 0o600);
  });
});

describe('hints', () => {
  it('every command that a message of a contract names can be typed as it stands', async () => {
    const names = ['src/contract/decide.ts', 'src/contract/lookup.ts', 'src/cli/contract.ts', 'src/cli/contract-live.ts', 'src/cli/contract-openapi.ts', 'src/mcp/store.ts', 'src/verify/changed-tools.ts'];
    const hints = names.flatMap((name) => [...readFileSync(join(import.meta.dirname, '../..', name), 'utf8').matchAll(/^(?!\/\/| \*).*?(praetorctl contract (?:import|review|approve|diff|grant)[^`'\n]*)/gm)].map((match) => match[1]!));
    expect(hints.length).toBeGreaterThan(10);
    expect(hints.filter((hint) => !/^praetorctl contract \w+ (?:\$\{|[A-Z])/.test(hint))).toEqual([]);
    const one = lab();
    for (const hint of hints) {
      const words = hint.split(/[,;(]/)[0]!.replace(/\$\{[^}]*\}?.*?\}?(?= |$)/g, 'nobody').trim().split(' ').slice(1);
      expect([hint, (await one.say(words)).err]).toEqual([hint, expect.not.stringMatching(/missing required argument|unknown option|too many arguments/)]);
    }
  });
});
