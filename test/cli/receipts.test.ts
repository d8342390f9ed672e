// `receipts list` and `receipts show` on real files: filters, order, bounds, torn lines, rotation, and a million receipts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseMoment, receiptId } from '../../src/cli/receipts.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { realHost } from '../../src/host.ts';
import { formatReceipt, isoTime, type Receipt } from '../../src/receipts/format.ts';
import { walkReceipts, WALK_CHUNK_BYTES, type WalkFiles } from '../../src/receipts/walk.ts';
import { cli, world, type World } from '../support/cli.ts';

const START = Date.parse('2026-03-01T08:00:00.000Z');

function receipt(minute: number, more: Partial<Receipt> = {}): string {
  return formatReceipt({ v: 1, time: isoTime(START + minute * 60_000), client: 'claude', event: 'pre-tool', caller: 'claude', verdict: 'neutral', engine: '0.1.0', policy: 'p', ms: 40, ...more });
}

function leave(where: World, files: Readonly<Record<string, string>>): World {
  const dir = join(where.root, 'state', 'receipts');
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return where;
}

const some = (): World => leave(world(), {
  'receipts-20260301T080000000Z-7.jsonl': [receipt(0, { client: 'codex', caller: 'codex', verdict: 'deny', rule: 'git.push.force' }), receipt(1, { event: 'session-start' })].join(''),
  'receipts.jsonl': [
    receipt(2, { verdict: 'ask', rule: 'shell.unread', workspace: '/srv/a' }), receipt(3, { verdict: 'deny', rule: 'git.push.force', tool: 'Bash', workspace: '/srv/a/sub' }),
    receipt(4, { verdict: 'deny', rule: 'git.pushy', workspace: '/srv/ab' }), receipt(5, { caller: 'unknown', synthetic: true }),
  ].join(''),
});

async function times(where: World, ...flags: string[]): Promise<number[]> {
  const answer = await cli(where, ['receipts', 'list', '--json', ...flags]);
  OUTPUT_SCHEMAS['receipts']!.parse(answer.json);
  expect(answer.code).toBe(0);
  return (answer.json['receipts'] as { time: string }[]).map((r) => (Date.parse(r.time) - START) / 60_000);
}

describe('list', () => {
  it('shows the newest last, rotated files included', async () => {
    expect(await times(some())).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await times(some(), '--limit', '2')).toEqual([4, 5]);
    const answer = await cli(some(), ['receipts', 'list', '--limit', '2', '--json']);
    expect(answer.json['more']).toBe(true);
  });

  it.each([
    [['--verdict', 'deny'], [0, 3, 4]], [['--verdict', 'deny,ask'], [0, 2, 3, 4]], [['--client', 'codex'], [0]], [['--client', 'codex', '--client', 'claude', '--verdict', 'deny'], [0, 3, 4]],
    [['--event', 'session-start'], [1]], [['--rule', 'git.push'], [0, 3]], [['--rule', 'git.push.force'], [0, 3]], [['--rule', 'git'], [0, 3, 4]], [['--rule', 'git.pus'], []],
    [['--workspace', '/srv/a'], [2, 3]], [['--since', '2026-03-01T08:03Z'], [3, 4, 5]], [['--until', '2026-03-01T08:01:00Z'], [0, 1]], [['--since', '2026-03-01T08:02', '--until', '2026-03-01T08:02'], [2]],
    [['--since', '1s'], []], [['--rule', '"verdict":"deny'], []],
  ])('%j', async (flags, expected) => {
    expect(await times(some(), ...flags)).toEqual(expected);
  });

  it('as a table that says who ran it, and as lines', async () => {
    const text = await cli(some(), ['receipts', 'list']);
    expect(text.out).toMatch(/^id {2,}time/);
    expect(text.out).toContain('2026-03-01 08:03:00Z  claude           pre-tool       deny     git.push.force  Bash  /srv/a/sub');
    expect(text.out).toContain('claude (doctor)');
    expect(text.out.trimEnd().split('\n').at(-1)).toBe('6 receipts');
    const lines = (await cli(some(), ['receipts', 'list', '--jsonl', '--verdict', 'ask'])).out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { rule: string }).rule)).toEqual(['shell.unread']);
  });

  it('a call that a person allowed once belongs to the rule that was lifted', async () => {
    const where = leave(world(), { 'receipts.jsonl': receipt(0, { rule: 'allow-once:git.push.force' }) + receipt(1, { rule: 'fs.remove', verdict: 'deny' }) });
    expect([await times(where, '--rule', 'git.push'), await times(where, '--rule', 'allow-once'), await times(where, '--rule', 'allow-once:git.push.force')]).toEqual([[0], [0], [0]]);
    expect((await cli(where, ['receipts', 'show', '2'])).out).toContain('forced push');
  });

  it('one form at a time', async () => {
    const answer = await cli(some(), ['receipts', 'list', '--jsonl', '--json']);
    expect([answer.code, answer.json['ok']]).toEqual([64, false]);
  });

  it('no receipts is an answer', async () => {
    const answer = await cli(world(), ['receipts', 'list']);
    expect([answer.code, answer.out]).toEqual([0, 'no receipts\n']);
  });

  it('leaves torn, foreign and hostile lines out and says how many', async () => {
    const bad = ['{"v":1,"time":"2026', 'null', '{"v":2}', '\u001b[31mred', 'x'.repeat(100_000)].join('\n');
    const where = leave(world(), { 'receipts.jsonl': `${receipt(0)}${bad}\n${receipt(1)}{"v":1,"time":"2026-03-01T08:0` });
    const answer = await cli(where, ['receipts', 'list', '--json']);
    expect([(answer.json['receipts'] as unknown[]).length, answer.json['damagedLines']]).toEqual([2, 6]);
    expect((await cli(where, ['receipts', 'list'])).err).toContain('6 line(s) of the receipts are damaged');
  });

  it.each([
    [['--limit', '0']], [['--limit', 'x']], [['--since', 'yesterday']], [['--since', '99999999999999d']], [['--verdict', 'denied']], [['--client', 'a,,b']],
  ])('%j is a usage error with the way out', async (flags) => {
    const answer = await cli(some(), ['receipts', 'list', ...flags]);
    expect([answer.code, answer.err]).toEqual([64, expect.stringContaining('praetorctl: fix: ')]);
  });

  it('control characters never reach the terminal', async () => {
    const where = leave(world(), { 'receipts.jsonl': `${JSON.stringify({ v: 1, time: isoTime(START), client: 'a\u001b[2J', event: 'e\u0007', caller: 'x', verdict: 'deny', rule: 'r\u009b', tool: 't\r', engine: 'e', policy: 'p', ms: 1 })}\n` });
    const out = (await cli(where, ['receipts', 'list'])).out + (await cli(where, ['receipts', 'show', '1'])).out;
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe('show', () => {
  it('by number and by id, the same receipt, with what the rule says', async () => {
    const where = some();
    const first = await cli(where, ['receipts', 'show', '3', '--json']);
    OUTPUT_SCHEMAS['receipt']!.parse(first.json);
    const { id, rule } = first.json['receipt'] as { id: string; rule: string };
    expect(rule).toBe('git.push.force');
    expect(first.json['reason']).toContain('forced push');
    const again = await cli(where, ['receipts', 'show', id]);
    expect(again.out).toMatch(/rule +git\.push\.force\n/);
    expect(again.out).toContain('forced push');
  });

  it('an id survives rotation, and an unknown one is said', async () => {
    const line = receipt(0, { verdict: 'deny', rule: 'x' });
    const where = leave(world(), { 'receipts-20260301T080000000Z-7.jsonl': line, 'receipts.jsonl': receipt(9) });
    const host = realHost({ env: where.env });
    const id = receiptId(host, JSON.parse(line) as Receipt, line.trimEnd());
    expect((await cli(where, ['receipts', 'show', id])).code).toBe(0);
    for (const word of ['mx3820rl-0000', '7', 'nope', '../../etc']) expect((await cli(where, ['receipts', 'show', word])).code).toBe(64);
  });
});

describe('bounds', () => {
  it('the newest fifty of a million cost one chunk; a rare rule of the last hour ends at that hour', () => {
    const block = Array.from({ length: 60 }, (_, i) => receipt(i)).join('').repeat(2000);
    const old = receipt(-600).repeat(5000);
    const text = old + block;
    let read = 0;
    const files: WalkFiles = { names: () => ['receipts.jsonl'], size: (path) => (path.endsWith('/receipts.jsonl') ? text.length : undefined), readAt: (_p, start, end) => { read += end - start; return text.slice(start, end); } };
    let seen = 0;
    const result = walkReceipts('d', files, { look: () => 'take', visit: () => (seen += 1) === 50 });
    expect([seen, result.stopped, read]).toEqual([50, 'enough', WALK_CHUNK_BYTES]);
    read = 0;
    expect(walkReceipts('d', files, { look: (line) => (line.includes('"time":"2026-02-28') ? 'stop' : 'skip'), visit: () => false }).stopped).toBe('enough');
    expect(read).toBeLessThan(text.length);
  });

  it('every line comes exactly once whatever the chunk cuts, and a file without line ends is not gathered', () => {
    const lines = Array.from({ length: 9000 }, (_, i) => receipt(i, { workspace: `/${'w'.repeat(i % 300)}` }));
    const text = lines.join('');
    const files = (content: string): WalkFiles => ({ names: () => [], size: () => content.length, readAt: (_p, start, end) => content.slice(start, end) });
    const seen: string[] = [];
    walkReceipts('d', files(text), { look: () => 'take', visit: (r) => { seen.push(r.time); return false; } });
    expect(seen).toEqual(lines.map((line) => (JSON.parse(line) as Receipt).time).reverse());
    expect(walkReceipts('d', files('x'.repeat(5_000_000)), { look: () => 'take', visit: () => false })).toEqual({ lines: 1, damagedLines: 1, stopped: 'end' });
    expect(walkReceipts('d', files(text), { look: () => 'skip', visit: () => false }, 100).stopped).toBe('bound');
  });
});

it('moments', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(parseMoment('2h', now)).toBe(now - 7_200_000);
  expect(parseMoment('1w', now)).toBe(now - 604_800_000);
  expect(parseMoment('2026-03-01', now)).toBe(Date.parse('2026-03-01T00:00:00Z'));
  expect(parseMoment('2026-03-01T10:00', now)).toBe(Date.parse('2026-03-01T10:00:00Z'));
  expect(parseMoment('2026-03-01T10:00+02:00', now)).toBe(Date.parse('2026-03-01T08:00:00Z'));
  for (const text of ['', '2', 'h', '2x', '2026', '2026-13-01', '-2h', '1.5h']) expect(parseMoment(text, now)).toBeUndefined();
});
