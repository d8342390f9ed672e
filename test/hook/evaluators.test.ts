// Contract: the operator's evaluators as real programs: every way in which one can answer or fail, on each event.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findInterpreter, parseResult } from '../../src/hook/evaluators.ts';
import { compile, edit, last, put, shell, station, type Call, type Station } from './operator-support.ts';
import { buildHook, run, type Ran } from './support.ts';

beforeAll(buildHook);

const NODE = process.execPath;

interface Given { readonly id?: string; readonly events?: string; readonly tools?: string; readonly body: string; readonly interpreter?: string; readonly more?: string; readonly inWorkspace?: boolean }

/** Settings with evaluators that are Node scripts. */
function withEvaluators(...given: readonly Given[]): Station {
  const at = station();
  const lines = given.map(({ id = 'check', events = '[pre-tool, post-tool, stop]', tools = '[file-write]', body, interpreter = NODE, more = '', inWorkspace = false }) => {
    put(join(inWorkspace ? at.workspace : join(at.root, 'config'), `${id}.cjs`), body);
    return `    - { id: ${id}, events: ${events}, tools: ${tools}, run: { interpreter: ['no-such-interpreter', '${interpreter}'], ${inWorkspace ? 'workspace_script' : 'script'}: ${id}.cjs }${more} }`;
  });
  const outcome = compile(at, `hooks:\n  evaluators:\n${lines.join('\n')}\n`);
  expect(outcome.diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  return at;
}

const write = (at: Station, call: Call = {}): Promise<Ran> => edit(at, join(at.workspace, 'a.ts'), call);
async function stop(at: Station, active = false, client = 'claude'): Promise<Ran> {
  return await run(client, 'stop', { state: at.state, env: at.env, input: JSON.stringify({ session_id: 's', cwd: at.workspace, stop_hook_active: active }) });
}

const say = (verdict: string, reason = ''): string => `process.stdout.write(${JSON.stringify(`${JSON.stringify({ verdict, reason })}\n`)});`;
const OK = say('ok');

describe('answers', () => {
  test('ok: nothing is said, the receipt names it', async () => {
    const at = withEvaluators({ body: OK });
    expect(await write(at)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(last(at)).toMatchObject({ verdict: 'neutral', evaluators: 'check=ok' });
  });

  test('deny and ask before the tool', async () => {
    const at = withEvaluators({ body: say('deny', 'The ledger is closed.') });
    const ran = await write(at);
    expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining('The ledger is closed.') });
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'evaluator.check', evaluators: 'check=deny' });
    const asking = withEvaluators({ body: say('ask') });
    expect((await write(asking)).stdout).toContain('"permissionDecision":"ask"');
  });

  test('it reads the event as one document, in the workspace, with a small environment', async () => {
    const at = withEvaluators({ body: `const fs = require('fs'); fs.writeFileSync('seen.json', JSON.stringify({ cwd: process.cwd(), env: Object.keys(process.env).sort(), argv: process.argv.slice(2), input: JSON.parse(fs.readFileSync(0, 'utf8')) })); ${OK}` });
    await write(at, { env: { SECRET_TOKEN: 'hush' } });
    const seen = JSON.parse(readFileSync(join(at.workspace, 'seen.json'), 'utf8')) as { cwd: string; env: string[]; input: Record<string, unknown> };
    expect(seen.cwd).toBe(at.workspace);
    expect(seen.env.filter((name) => !['PATH', 'HOME', 'PRAETORCTL_EVALUATOR', 'PRAETORCTL_EVENT'].includes(name))).toEqual([]);
    expect(seen.input).toMatchObject({ schema: 'praetorctl/evaluator', event: 'pre-tool', client: 'claude', workspace: at.workspace, tool: { kind: 'file-write', name: 'Write', paths: [join(at.workspace, 'a.ts')], input: { content: 'x' } } });
  });

  test('only for its tools and events', async () => {
    const at = withEvaluators({ body: say('deny'), events: '[pre-tool]' });
    expect((await shell(at, 'ls')).code).toBe(0);
    expect((await write(at, { event: 'post-tool' })).stdout).toBe('');
    expect((await stop(at)).stdout).toBe('');
    expect(last(at).evaluators).toBeUndefined();
    const all = withEvaluators({ body: say('deny'), tools: '[]' });
    expect((await shell(all, 'ls')).code).toBe(2);
  });

  test('not where the guard refuses anyway, and an ok lifts nothing', async () => {
    const at = withEvaluators({ body: `require('fs').writeFileSync('ran', ''); ${OK}`, tools: '[]' });
    expect((await shell(at, 'git push --force')).code).toBe(2);
    expect(existsSync(join(at.workspace, 'ran'))).toBe(false);
  });

  test('several: deny beats ask beats ok', async () => {
    const at = withEvaluators({ id: 'a', body: say('ask', 'First.') }, { id: 'b', body: say('deny', 'Second.') }, { id: 'c', body: OK });
    expect((await write(at)).stdout).toContain('Second.');
    expect(last(at)).toMatchObject({ rule: 'evaluator.b', evaluators: 'a=ask,b=deny,c=ok' });
  });

  test('a script of the workspace: used where it is, silent where it is not', async () => {
    const at = withEvaluators({ body: say('deny', 'Local.'), inWorkspace: true });
    expect((await write(at)).stdout).toContain('Local.');
    expect((await edit(at, join(at.home, 'x'), { workspace: at.home })).code).toBe(0);
    expect(last(at)).toMatchObject({ verdict: 'neutral', evaluators: 'check=absent' });
  });
});

const FAILURES: Readonly<Record<string, { given: Given; why: RegExp }>> = {
  crash: { given: { body: 'throw new Error("x");' }, why: /exit 1/ },
  'exit 3 behind a good answer': { given: { body: `${OK} process.exitCode = 3;` }, why: /exit 3/ },
  hang: { given: { body: 'setInterval(() => {}, 1000);', more: ', timeout_seconds: 1' }, why: /timeout/ },
  'a child that hangs and keeps the pipe': { given: { body: `require('child_process').spawn(process.execPath, ['-e', 'require("fs").writeFileSync("child", String(process.pid)); setInterval(() => {}, 1000)'], { stdio: 'inherit' }); setInterval(() => {}, 1000);`, more: ', timeout_seconds: 1' }, why: /timeout/ },
  garbage: { given: { body: 'console.log("all good");' }, why: /not one JSON line/ },
  'two lines': { given: { body: `${OK}${OK}` }, why: /not one JSON line/ },
  'another word': { given: { body: say('allow') }, why: /no known verdict/ },
  silence: { given: { body: '' }, why: /no result/ },
  'huge output': { given: { body: 'process.stdout.write("x".repeat(1 << 20));', more: ', output_bytes: 4096' }, why: /too much output/ },
  'killed': { given: { body: 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);' }, why: /SIGTERM/ },
  'no interpreter': { given: { body: OK, interpreter: 'another-missing-interpreter -3' }, why: /no interpreter/ },
};

describe.each(Object.keys(FAILURES))('failure: %s', (name) => {
  const { given, why } = FAILURES[name] ?? { given: { body: '' }, why: /./ };

  test('before the tool: refused', async () => {
    const at = withEvaluators(given);
    const ran = await write(at);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain('could not be done');
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'evaluator.check', evaluators: expect.stringMatching(why) });
    expect(ran.ms).toBeLessThan(10_000);
    if (existsSync(join(at.workspace, 'child'))) expect(isAlive(Number(readFileSync(join(at.workspace, 'child'), 'utf8')))).toBe(false);
  });

  test('behind the tool: skipped, and said', async () => {
    const at = withEvaluators(given);
    const ran = await write(at, { event: 'post-tool' });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^praetorctl: skipped: evaluator check: .+\n$/) });
    expect(last(at)).toMatchObject({ verdict: 'neutral', evaluators: expect.stringMatching(why) });
  });

  test('at a stop: blocked once', async () => {
    const at = withEvaluators(given);
    expect(JSON.parse((await stop(at)).stdout)).toMatchObject({ decision: 'block', reason: expect.stringContaining('could not be done') });
    expect(last(at)).toMatchObject({ verdict: 'deny', rule: 'evaluator.check' });
    expect(await stop(at, true)).toMatchObject({ code: 0, stdout: '' });
  });
});

function isAlive(pid: number): boolean {
  for (let i = 0; i < 50; i++) {
    try {
      // A killed child that nobody has waited for yet still answers to signals.
      if (process.platform === 'linux' && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return false;
      process.kill(pid, 0);
    } catch {
      return false;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return true;
}

describe('stop', () => {
  test.each(['claude', 'codex', 'gemini'])('%s: a check that refuses blocks once, never in a loop', async (client) => {
    const at = withEvaluators({ body: say('deny', 'Tests are missing.') });
    expect((await stop(at, false, client)).stdout).toContain('Tests are missing.');
    expect((await stop(at, true, client)).stdout).toBe('');
    expect(last(at)).toMatchObject({ verdict: 'neutral' });
  });

  test('ask has nobody to ask: the model reads it', async () => {
    const at = withEvaluators({ body: say('ask', 'Is the ledger closed?') });
    expect((await stop(at)).stdout).toContain('Is the ledger closed?');
  });
});

test('a removed evaluator stays until it is compiled; an added one runs at once', async () => {
  const at = withEvaluators({ body: say('deny', 'First.') });
  put(join(at.root, 'config', 'b.cjs'), say('deny', 'Second.'));
  put(at.settings, `hooks: { evaluators: [{ id: b, events: [pre-tool], run: { interpreter: ['${NODE}'], script: b.cjs } }] }`);
  await write(at);
  expect(last(at)).toMatchObject({ verdict: 'deny', settings: 'stale', evaluators: 'check=deny,b=deny' });
});

test('together they stay inside the time that the client gives', async () => {
  const at = withEvaluators(...['a', 'b', 'c', 'd'].map((id) => ({ id, body: 'setInterval(() => {}, 1000);', more: ', timeout_seconds: 10' })));
  const ran = await write(at);
  expect(ran.code).toBe(2);
  expect(ran.ms).toBeLessThan(29_000);
  expect(last(at)?.evaluators).toContain('d=failed:no time left');
}, 60_000);

test('a script that is executed itself', async () => {
  const at = station();
  const script = join(at.root, 'config', 'check');
  put(script, `#!/bin/sh\ncat >/dev/null\necho '{"verdict":"deny","reason":"By itself."}'\n`);
  chmodSync(script, 0o755);
  compile(at, 'hooks: { evaluators: [{ id: own, events: [pre-tool], run: { script: ./check } }] }');
  expect((await write(at)).stdout).toContain('By itself.');
});

describe('interpreters', () => {
  const make = (directory: string, name: string, mode = 0o755): void => { mkdirSync(directory, { recursive: true }); writeFileSync(join(directory, name), ''); chmodSync(join(directory, name), mode); };

  test('the first candidate that is found, with its fixed words; not from the workspace, not from relative entries', () => {
    const at = station();
    const [bin, evil] = [join(at.root, 'bin'), join(at.workspace, 'node_modules', '.bin')];
    make(evil, 'python3');
    make(bin, 'py');
    make(bin, 'python', 0o644);
    const place = { platform: 'linux', env: { PATH: `${evil}:.:relative:${bin}` } };
    const candidates = [['python3'], ['python'], ['py', '-3']];
    expect(findInterpreter(candidates, place, at.workspace)).toEqual([join(bin, 'py'), '-3']);
    expect(findInterpreter([['python3']], place, at.workspace)).toBeUndefined();
    expect(findInterpreter([[join(bin, 'py')]], { platform: 'linux', env: {} }, at.workspace)).toEqual([join(bin, 'py')]);
  });
});

test.each(['null', '[]', '"ok"', '{"verdict":"OK"}', '{"verdict":null}', '{', '{"verdict":"ok"} {"verdict":"ok"}'])('%s is no result', (text) => {
  expect(parseResult('x', text).result).toBe('failed');
});
