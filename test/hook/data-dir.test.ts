// Contract: the versions, their record and the key of a workstation belong to the guard: through the real hook, wherever they stand.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, buildHook, run, temporary } from './support.ts';

beforeAll(buildHook);
/** Neither in a home nor with a name of ours. */
const away = mkdtempSync(join(tmpdir(), 'elsewhere-'));
afterAll(() => { rmSync(away, { recursive: true, force: true }); });

const HOME = '/home/dev';
type Call = readonly [tool: string, input: Readonly<Record<string, string>>];
const document = ([tool, input]: Call): string => JSON.stringify({ session_id: 's', cwd: '/w', hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input });
const ruleIn = (text: string): string => /"permissionDecisionReason":"[^"]*\b((?:self|secrets)\.[a-z.]+)/.exec(text)?.[1] ?? text;

/** The id of the rule that refused, or what else was said. */
async function said(call: Call, env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await run('claude', 'pre-tool', { input: document(call), env: { HOME, ...env } });
  return code === 0 && stdout === '' ? 'neutral' : ruleIn(stdout + stderr);
}

const changes = (data: string): [Call, string][] => [
  [['Write', { file_path: `${data}/install.json`, content: '{}' }], 'self.files'],
  [['Edit', { file_path: `${data}/versions/0123456789abcdef/dist/hook.cjs`, old_string: 'a', new_string: 'b' }], 'self.files'],
  [['Write', { file_path: `${data}/host_ed25519`, content: 'x' }], 'self.files'],
  [['Bash', { command: `sed -i s/a/b/ ${data}/install.json` }], 'self.files'],
  [['Bash', { command: `echo x > ${data}/versions/0123456789abcdef/bin/praetorctl` }], 'self.files'],
  [['Bash', { command: `rm -rf ${data}` }], 'self.files'],
  [['Bash', { command: `python3 -c "open('${data}/install.json','w').write('{}')"` }], 'self.code'],
];
const reads = (data: string): [Call, string][] => [
  [['Read', { file_path: `${data}/host_ed25519` }], 'secrets.read.tool'],
  [['Bash', { command: `cat ${data}/host_ed25519` }], 'secrets.read'],
  [['Bash', { command: `cp ${data}/host_ed25519 /tmp/x` }], 'secrets.read'],
  [['Read', { file_path: `${data}/install.json` }], 'neutral'],
  [['Bash', { command: `cat ${data}/install.json` }], 'neutral'],
];
const places: [string, Record<string, string>, string][] = [
  ['of the home', {}, `${HOME}/.local/share/praetorctl`],
  ['of XDG_DATA_HOME', { XDG_DATA_HOME: '/srv/data' }, '/srv/data/praetorctl'],
  ['of PRAETORCTL_DATA_DIR', { PRAETORCTL_DATA_DIR: '/srv/tool/its-versions' }, '/srv/tool/its-versions'],
];

describe.each(places)('the data directory %s', (_name, env, data) => {
  test.each([...changes(data), ...reads(data)])('%j: %s', async (call, expected) => {
    expect(await said(call, env)).toBe(expected);
  });
});

test('a file with such a name elsewhere is ordinary', async () => {
  expect(await said(['Write', { file_path: '/w/install.json', content: '{}' }], {})).toBe('neutral');
  expect(await said(['Write', { file_path: '/srv/tool/its-versions/install.json', content: '{}' }], {})).toBe('neutral');
});

test('a version that runs guards the directory in which it stands, whatever the environment names', () => {
  const version = join(away, 'versions', '0123456789abcdef');
  mkdirSync(version, { recursive: true });
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(version, name), { recursive: true, filter: (path) => !path.endsWith('.cache') });
  const ask = (call: Call): string => {
    const got = spawnSync(process.execPath, [join(version, 'bin', 'praetorctl'), 'hook', 'claude', 'pre-tool'], { input: document(call), encoding: 'utf8', env: { HOME, XDG_DATA_HOME: '/another', PRAETORCTL_STATE_DIR: temporary() } });
    return got.status === 0 && got.stdout === '' ? 'neutral' : ruleIn(got.stdout + got.stderr);
  };
  for (const [call, expected] of changes(away)) expect([call, ask(call)]).toEqual([call, expected]);
  expect(ask(['Write', { file_path: '/another/praetorctl/install.json', content: '{}' }])).toBe('self.files');
});
