// The whole job as a person does it: real processes, the registered strings run by a shell, captured payloads, diff -r.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../src/clients/registry.ts';
import { SHARED } from './support/rows.ts';
import { ownedHooks } from '../src/clients/registration.ts';
import { isObject, type JsonObject } from '../src/model/json.ts';
import { parseReceiptLine } from '../src/receipts/format.ts';
import { dirNames, repo, world, type World } from './support/cli.ts';

const CAPTURED: Record<string, { file: string; command: readonly string[] }> = {
  claude: { file: '2.1.332.PreToolUse.Bash.json', command: ['tool_input', 'command'] },
  codex: { file: '0.171.0.PreToolUse.shell.json', command: ['tool_input', 'command'] },
  gemini: { file: '0.61.0.BeforeTool.json', command: ['tool_input', 'command'] },
  qwen: { file: '0.24.4.PreToolUse.json', command: ['tool_input', 'command'] },
  'copilot-cli': { file: '1.0.102.preToolUse.json', command: ['toolArgs', 'command'] },
  droid: { file: '0.215.0.PreToolUse.json', command: ['tool_input', 'command'] },
  opencode: { file: '1.18.33.before-bash.json', command: ['args', 'command'] },
  kilo: { file: '7.7.9.before-bash.json', command: ['args', 'command'] },
  agy: { file: 'documented.PreToolUse-run_command.json', command: ['toolCall', 'args', 'CommandLine'] },
};

function run(where: World, line: string, input = ''): { code: number | null; out: string; err: string } {
  const r = spawnSync('sh', ['-c', line], { cwd: where.project, env: where.env, input, encoding: 'utf8' });
  return { code: r.status, out: r.stdout, err: r.stderr };
}

function captured(id: string): JsonObject {
  const path = join(repo, 'test/fixtures/payloads', id, CAPTURED[id]!.file);
  return JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
}

function withCommand(id: string, command: string): string {
  const document = captured(id);
  let at: JsonObject = document;
  const path = CAPTURED[id]!.command;
  for (const key of path.slice(0, -1)) at = at[key] as JsonObject;
  expect(typeof at[path.at(-1)!]).toBe('string');
  at[path.at(-1)!] = command;
  return JSON.stringify(document);
}

/** The command string that stands in the client's file. */
function registered(where: World, id: string): string {
  const client = CLIENTS.find((c) => c.id === id)!;
  const roots = client.roots({ platform: 'linux', env: where.env, home: where.home, project: where.project, dirExists: existsSync, dirNames });
  const spec = client.files(roots, 'user').find((s) => s.role !== 'mcp')!;
  if (spec.format === 'artefact') return /"(praetorctl hook [a-z-]+ pre-tool)"/.exec(readFileSync(spec.path, 'utf8'))?.[1] ?? '';
  const text = readFileSync(spec.path, 'utf8').replace(/^\s*\/\/.*$|\/\/ .*$|\/\*.*?\*\//gm, '');
  const own = ownedHooks(client.hooks, JSON.parse(text) as JsonObject, [id]).find((h) => h.event === 'pre-tool')!;
  return String(isObject(own.handler) ? own.handler['command'] : '');
}

describe('the main job', () => {
  it('plan, apply, an allowed and a denied call per client, verify before and after, remove, no difference', () => {
    const where = world({ fixture: 'four-clients' });
    const original = join(where.root, 'original');
    cpSync(where.home, original, { recursive: true });
    expect(run(where, 'praetorctl clients verify --require installed').code).toBe(3);
    expect(run(where, 'praetorctl clients plan').code).toBe(3);
    expect(run(where, 'praetorctl clients apply --yes')).toMatchObject({ code: 0 });
    for (const { id } of SHARED) {
      const command = registered(where, id);
      expect(command).toBe(`praetorctl hook ${id} pre-tool`);
      expect(run(where, command, JSON.stringify(captured(id)))).toEqual({ code: 0, out: '', err: '' });
      const denied = run(where, command, withCommand(id, 'git commit --no-verify -m x'));
      expect(denied.code === 2 || /"deny"/.test(denied.out)).toBe(true);
      expect(denied.out + denied.err).toMatch(/hook/);
    }
    const receipts = readFileSync(join(where.root, 'state/receipts/receipts.jsonl'), 'utf8').trim().split('\n').map(parseReceiptLine);
    expect(receipts.map((r) => `${r?.client} ${r?.event} ${r?.verdict} ${r?.caller}`)).toEqual(SHARED.flatMap(({ id }) => [`${id} pre-tool neutral unknown`, `${id} pre-tool deny unknown`]));
    const verified = run(where, 'praetorctl clients verify');
    // Payloads replayed from a shell are no evidence.
    expect([verified.code, verified.out]).toEqual([3, expect.stringContaining('configured, enforcement unverified')]);
    expect(run(where, 'praetorctl clients verify --require installed').code).toBe(0);
    expect(run(where, 'praetorctl clients remove --yes').code).toBe(0);
    expect(execFileSync('diff', ['-r', original, where.home], { encoding: 'utf8' })).toBe('');
  });

  it('a call with the markers of a real session is observed, and drift afterwards is noticed', () => {
    const where = world({ fixture: 'four-clients' });
    run(where, 'praetorctl clients apply --yes --client claude,gemini');
    const payload = captured('claude');
    const env = { ...where.env, CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ID: String(payload['session_id']), CLAUDE_PROJECT_DIR: where.project };
    spawnSync('sh', ['-c', registered(where, 'claude')], { cwd: where.project, env, input: JSON.stringify(payload) });
    expect(run(where, 'praetorctl clients verify --client claude').code).toBe(0);
    expect(run(where, 'praetorctl clients verify --client gemini').code).toBe(3);
    run(where, `sed -i 's/praetorctl hook claude pre-tool/true/' ${where.home}/.claude/settings.json`);
    const drifted = JSON.parse(run(where, 'praetorctl clients verify --client claude --json').out) as { clients: { states: Record<string, unknown>; observed: boolean }[] };
    expect(drifted.clients[0]).toMatchObject({ states: { drifted: true } });
    expect(run(where, 'praetorctl clients verify --client claude').code).toBe(3);
  });
});
