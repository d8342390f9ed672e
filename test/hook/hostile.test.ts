// Contract: whatever stands at the hook's doors, it ends by itself, answers in the client's words, and fails closed on events
// that can be stopped and harmless on the others. Every case is a real process.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildHook, refuses, receipts, run, shellCall, temporary, type RunOptions } from './support.ts';

beforeAll(buildHook);

const CLIENTS = ['claude', 'codex', 'gemini', 'agy'];
const FORCE = 'git push --force';
const SAFE = 'git status && echo "done" | cat';

describe.each(CLIENTS)('%s', (client) => {
  test('a harmless call gets silence, a forbidden one a refusal, each with a receipt', async () => {
    const state = temporary();
    const safe = await run(client, 'pre-tool', { input: shellCall(client, SAFE), state });
    expect(safe).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const forced = await run(client, 'pre-tool', { input: shellCall(client, FORCE), state });
    expect(refuses(client, forced)).toBe(true);
    expect(receipts(state).map(({ verdict, rule, kind }) => [verdict, rule, kind])).toEqual([['neutral', undefined, 'shell'], ['deny', 'git.push.force', 'shell']]);
    expect(JSON.stringify(receipts(state))).not.toContain('push --');
  });

  test.each<[string, RunOptions]>([
    ['empty', { input: '' }],
    ['white space only', { input: ' \n ' }],
    ['truncated', { input: shellCall(client, SAFE).slice(0, -3) }],
    ['two documents', { input: `${shellCall(client, SAFE)}\n${shellCall(client, SAFE)}` }],
    ['garbage behind the document', { input: `${shellCall(client, SAFE)} x` }],
    ['NUL bytes behind the document', { input: `${shellCall(client, SAFE)}\0\0` }],
    ['all NUL', { input: Buffer.alloc(4096) }],
    ['an array', { input: '[1,2]' }],
    ['a number', { input: '42' }],
    ['a string', { input: '"x"' }],
    ['null', { input: 'null' }],
    ['not JSON', { input: '{tool_name: Bash}' }],
    ['deep nesting', { input: `{"a":${'['.repeat(60_000)}` }],
    ['deep nesting, closed', { input: '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000) }],
    ['wrong types', { input: '{"tool_name":["Bash"],"tool_input":"x","toolCall":7,"cwd":{}}' }],
    ['a __proto__ key', { input: `{"__proto__":{"x":1},${shellCall(client, SAFE).slice(1)}` }],
    ['invalid UTF-8', { input: Buffer.concat([Buffer.from(shellCall(client, 'echo ').slice(0, -4)), Buffer.from([0xff, 0xfe]), Buffer.from(shellCall(client, 'echo ').slice(-4))]) }],
    ['UTF-16', { input: Buffer.from(`\uFEFF${shellCall(client, SAFE)}`, 'utf16le') }],
    ['5 MiB', { input: shellCall(client, `echo ${'x'.repeat(5 * 1024 * 1024)}`) }],
    ['closed standard input', { shell: 'exec "$NODE" "$HOOK" hook "$1" "$2" <&-' }],
    ['/dev/null', { shell: 'exec "$NODE" "$HOOK" hook "$1" "$2" </dev/null' }],
    ['a directory', { shell: 'exec "$NODE" "$HOOK" hook "$1" "$2" </' }],
  ])('%s: refused on a tool call, harmless on a prompt', async (_name, options) => {
    const call = await run(client, 'pre-tool', options);
    expect(refuses(client, call), JSON.stringify(call)).toBe(true);
    const prompt = await run(client, 'stop', options);
    expect(prompt.code).toBe(0);
    expect(['', '{}\n']).toContain(prompt.stdout);
  });

  test('closed standard output: the refusal is carried by exit 2 and stderr', async () => {
    const closed = await run(client, 'pre-tool', { input: shellCall(client, FORCE), closeStdout: true, feed: (stdin) => { setTimeout(() => stdin.end(shellCall(client, FORCE)), 100); } });
    expect(closed).toMatchObject({ code: 2, signal: null });
    expect(closed.stderr).not.toBe('');
    const never = await run(client, 'pre-tool', { shell: 'printf %s "$DOC" | "$NODE" "$HOOK" hook "$1" "$2" >&-', env: { DOC: shellCall(client, FORCE) } });
    expect(never.code).toBe(2);
    const safe = await run(client, 'pre-tool', { shell: 'printf %s "$DOC" | "$NODE" "$HOOK" hook "$1" "$2" >&- 2>&-', env: { DOC: shellCall(client, SAFE) } });
    expect(safe.code).toBe(0);
  });

  test('an unwritable state directory changes nothing but a line on stderr', async () => {
    const state = join(temporary(), 'file');
    writeFileSync(state, '');
    const safe = await run(client, 'pre-tool', { input: shellCall(client, SAFE), state });
    expect(safe).toMatchObject({ code: 0, stdout: '' });
    expect(safe.stderr).toMatch(/^praetorctl: no receipt: .+\n$/);
    expect(refuses(client, await run(client, 'pre-tool', { input: shellCall(client, FORCE), state }))).toBe(true);
    const relative = await run(client, 'pre-tool', { input: shellCall(client, FORCE), env: { PRAETORCTL_STATE_DIR: 'relative' } });
    expect(refuses(client, relative)).toBe(true);
    expect(relative.stderr).toContain('PRAETORCTL_STATE_DIR');
  });
});

describe('standard input of every kind', () => {
  const document = shellCall('claude', FORCE);
  const denied = async (options: RunOptions) => {
    const ran = await run('claude', 'pre-tool', options);
    expect(ran.code, ran.stderr).toBe(2);
    expect(ran.stdout).toContain('git.push.force');
    return ran;
  };

  test('file, from its current offset', async () => {
    const path = join(temporary(), 'in.json');
    writeFileSync(path, `first line\n${document}`);
    await denied({ shell: `{ read -r _; exec "$NODE" "$HOOK" hook "$1" "$2"; } <'${path}'` });
    writeFileSync(path, document);
    const fd = openSync(path, 'r');
    await denied({ stdio: [fd, 'pipe', 'pipe'] });
    closeSync(fd);
  });

  test('pipe', async () => { await denied({ shell: 'printf %s "$DOC" | "$NODE" "$HOOK" hook "$1" "$2"', env: { DOC: document } }); });

  test('FIFO', async () => {
    const path = join(temporary(), 'fifo');
    execFileSync('mkfifo', [path]);
    await denied({ shell: `(printf %s "$DOC"; sleep 3) >'${path}' & exec "$NODE" "$HOOK" hook "$1" "$2" <'${path}'`, env: { DOC: document } });
  });

  test('socket (what Node parents hand out)', async () => { await denied({ input: document }); });

  test('byte order mark and leading blanks', async () => { await denied({ input: `\uFEFF \n${document}\n\n` }); });

  test('a writer that never closes: answered at once', async () => {
    const socket = await denied({ feed: (stdin) => { stdin.write(document); } });
    expect(socket.ms).toBeLessThan(4000);
    const pipe = await run('claude', 'pre-tool', {
      shell: '{ printf %s "$DOC"; sleep 3; } | { "$NODE" "$HOOK" hook "$1" "$2" >/dev/null 2>&1; echo "rc=$?"; }', env: { DOC: document },
    });
    expect(pipe.stdout).toBe('rc=2\n');
  });

  test('one byte at a time, also inside characters and escapes', async () => {
    const text = shellCall('claude', 'echo "\u{1F600} \\"\\\\\\\\" é; git push -f');
    const bytes = Buffer.from(text);
    await denied({
      feed: (stdin) => {
        let at = 0;
        const timer = setInterval(() => {
          if (at >= bytes.length) clearInterval(timer);
          else stdin.write(bytes.subarray(at, ++at));
        }, 1);
      },
    });
  });

  test('a large document in many chunks', async () => {
    await denied({ input: JSON.stringify({ padding: 'é"\\'.repeat(500_000), ...(JSON.parse(document) as object) }) });
  });

  test.concurrent.each<[string, RunOptions]>([
    ['nothing, socket', { feed: () => undefined }],
    ['incomplete, socket', { feed: (stdin) => { stdin.write(document.slice(0, 40)); } }],
    ['nothing, pipe', { shell: 'sleep 9 | { "$NODE" "$HOOK" hook "$1" "$2"; echo "rc=$?" >&2; }' }],
    ['drip without end', { feed: (stdin) => { stdin.write('{"a":"'); const timer = setInterval(() => { stdin.write('x'); }, 50); setTimeout(() => clearInterval(timer), 8000); } }],
  ])('deadline: %s', async (_name, options) => {
    const ran = await run('claude', 'pre-tool', options);
    expect(ran.stderr).toContain('in time');
    if (options.shell === undefined) expect(ran.code).toBe(2);
    else expect(ran.stderr).toContain('rc=2');
    if (options.shell === undefined) expect(ran.ms).toBeLessThan(9000);
  }, 30_000);
});
