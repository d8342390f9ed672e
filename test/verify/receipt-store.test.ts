// The checkpoint of the receipts changes the cost of an answer and nothing else: the same questions to a plain reading of all
// receipts, over any history of calls, rotations and looks; and over files and checkpoints that somebody spoiled.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realHost, type Host } from '../../src/host.ts';
import type { ReceiptEvidence } from '../../src/model/evidence.ts';
import { formatReceipt, parseReceiptLine, type Receipt } from '../../src/receipts/format.ts';
import { foldReceipt, FUTURE_MS_MAX, newFold, NOTES_MAX, SESSIONS_MAX, sessionTable, settle } from '../../src/receipts/history.ts';
import { formatCheckpoint, parseCheckpoint } from '../../src/receipts/checkpoint.ts';
import { APPENDED_BYTES_MAX, openStore } from '../../src/verify/receipt-store.ts';
import { readReceipts, receiptsSince, type ReceiptQuestion } from '../../src/verify/receipts.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
const NOW = START + 10_000_000;

let dir: string;
beforeEach(() => { dir = fs.mkdtempSync(path.join(os.tmpdir(), 'praetorctl-store-')); });
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const current = (): string => path.join(dir, 'receipts.jsonl');
const checkpoint = (): string => path.join(dir, 'checkpoint.json');
const hostAt = (now = NOW): Host => ({ ...realHost({ env: {} }), now: () => now });
const ALWAYS = { appendedBytesMax: 0 };

const receipt = (at: number, more: Partial<Receipt> = {}): Receipt => ({
  v: 1, time: new Date(START + at).toISOString(), client: 'claude', event: 'pre-tool', caller: 'claude', verdict: 'neutral',
  session: '00000000000000aa', engine: '1', policy: 'p', ms: 1, workspace: '/w', ...more,
});
const leave = (...receipts: Receipt[]): void => fs.appendFileSync(current(), receipts.map(formatReceipt).join(''));
let rotations = 0;
const rotate = (): string => {
  const to = path.join(dir, `receipts-2026${String(rotations += 1).padStart(8, '0')}Z-1.jsonl`);
  fs.renameSync(current(), to);
  return to;
};
const question = (more: Partial<ReceiptQuestion> = {}): ReceiptQuestion => ({ id: 'claude', aliases: [], since: START, now: NOW, workspace: undefined, ...more });
const ask = (more: Partial<ReceiptQuestion> = {}, host = hostAt(), options: Parameters<typeof readReceipts>[2] = ALWAYS): ReceiptEvidence => {
  const source = readReceipts(host, dir, options);
  if (!source.ok) throw new Error(source.why);
  return source.ask(question(more));
};

/** What all receipts say, read one by one: the rule itself. `early` knows the sessions of receipts that rotation has removed. */
function plainly(receipts: readonly Receipt[], all: readonly Receipt[], q: ReceiptQuestion): Pick<ReceiptEvidence, 'tool' | 'session' | 'earlierTool'> {
  const early = new Set(all.filter((r) => q.since !== undefined && r.caller === q.id && Date.parse(r.time) <= q.since).map((r) => r.session));
  const found: { tool?: Receipt; session?: Receipt; earlierTool?: Receipt } = {};
  const newer = (a: Receipt | undefined, b: Receipt): Receipt => (a === undefined || b.time > a.time ? b : a);
  for (const r of receipts) {
    const tool = r.event === 'pre-tool' || r.event === 'post-tool';
    if (r.event === 'unheard-of' || r.verdict === 'skipped' || r.client !== q.id || r.caller !== q.id || r.synthetic === true || Date.parse(r.time) > q.now + FUTURE_MS_MAX) continue;
    if (q.workspace !== undefined && (r.workspace === undefined || !q.workspace(r.workspace))) continue;
    if (q.since === undefined || Date.parse(r.time) <= q.since || (r.session !== undefined && early.has(r.session))) {
      if (tool) found.earlierTool = newer(found.earlierTool, r);
    } else if (tool) found.tool = newer(found.tool, r);
    else found.session = newer(found.session, r);
  }
  const fact = (r: Receipt | undefined): ReceiptEvidence['tool'] => (r === undefined ? undefined : { at: Date.parse(r.time), event: r.event as 'pre-tool', verdict: r.verdict, engine: r.engine, policy: r.policy });
  return { tool: fact(found.tool), session: fact(found.session), earlierTool: found.tool === undefined ? fact(found.earlierTool) : undefined };
}

const when = ({ tool, session, earlierTool }: Pick<ReceiptEvidence, 'tool' | 'session' | 'earlierTool'>): unknown => [tool?.at, session?.at, earlierTool?.at];

describe('whatever happened', () => {
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.record({
      do: fc.constant('call' as const), later: fc.integer({ min: 1, max: 50 }), client: fc.constantFrom('claude', 'codex'), caller: fc.constantFrom('claude', 'claude', 'codex'),
      event: fc.constantFrom('pre-tool', 'post-tool', 'session-start', 'unheard-of'), verdict: fc.constantFrom('neutral' as const, 'deny' as const, 'skipped' as const),
      session: fc.constantFrom('0000000000000001', '0000000000000002', '0000000000000003', undefined), workspace: fc.constantFrom('/w', '/v', undefined), synthetic: fc.boolean(),
    }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('damage' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('rotate' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('look' as const), since: fc.integer({ min: 0, max: 1500 }), workspace: fc.boolean() }) },
  );

  it('the answer is that of a plain reading', () => {
    let asked = 0;
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      dir = fs.mkdtempSync(path.join(os.tmpdir(), 'praetorctl-store-'));
      const [files, all]: [Receipt[][], Receipt[]] = [[[]], []];
      const names: string[] = [];
      let time = 0;
      const look = (since: number, inside: boolean): void => {
        for (const id of ['claude', 'codex']) {
          const q = question({ id, since: START + since, workspace: inside ? (p) => p === '/w' : undefined });
          expect(when(ask(q))).toEqual(when(plainly(files.flat(), all, q)));
          asked += 1;
        }
      };
      try {
        for (const s of steps) {
          if (s.do === 'damage') fs.appendFileSync(current(), '{"v":1,"time":"2026\n');
          if (s.do === 'call') {
            const { do: _do, later, synthetic, session, workspace, ...words } = s;
            const { session: _s, workspace: _w, ...plain } = receipt(time += later, words);
            const r: Receipt = { ...plain, ...(session === undefined ? {} : { session }), ...(workspace === undefined ? {} : { workspace }), ...(synthetic ? { synthetic: true } : {}) };
            leave(r);
            files[files.length - 1]?.push(r);
            all.push(r);
          }
          if (s.do === 'rotate' && fs.existsSync(current())) { names.push(rotate()); files.push([]); }
          if (s.do === 'drop' && names.length > 0) {
            look(time, false);
            fs.rmSync(names.shift() ?? '');
            files.shift();
          }
          if (s.do === 'look') look(s.since, s.workspace);
        }
        look(time - 20, false);
      } finally {
        fs.rmSync(dir, { recursive: true, force: true });
      }
    }), { numRuns: 120 });
    expect(asked).toBeGreaterThan(400);
  });
});

describe('what is read and written', () => {
  const many = (bytes: number): void => {
    const one = formatReceipt(receipt(1)).length;
    leave(...Array.from({ length: Math.ceil(bytes / one) }, (_, i) => receipt(i + 1, { session: String(i >> 4).padStart(16, '0') })));
  };
  const counting = (): { host: Host; bytes: () => number } => {
    const host = hostAt();
    let bytes = 0;
    return { host: { ...host, readAt: (p, offset, length) => { const read = host.readAt(p, offset, length); bytes += read.length; return read; } }, bytes: () => bytes };
  };

  it('few receipts: nothing is written', () => {
    leave(receipt(1), receipt(2));
    expect(ask({}, hostAt(), {}).tool?.at).toBe(START + 2);
    expect(fs.readdirSync(dir)).toEqual(['receipts.jsonl']);
  });

  it('many: a private checkpoint, and after it only what was appended is read', () => {
    many(4 * APPENDED_BYTES_MAX);
    rotate();
    many(3 * APPENDED_BYTES_MAX);
    expect(ask({}, hostAt(), {}).tool).toBeDefined();
    expect(fs.statSync(checkpoint()).mode & 0o777).toBe(0o600);
    const written = fs.statSync(checkpoint()).mtimeMs;
    leave(receipt(900_000, { session: 'bbbbbbbbbbbbbbbb' }));
    const { host, bytes } = counting();
    expect(ask({}, host, {}).tool?.at).toBe(START + 900_000);
    expect(bytes()).toBeLessThan(64 * 1024);
    expect(fs.statSync(checkpoint()).mtimeMs).toBe(written);
  });

  it('a directory that cannot be written gives the same answer', () => {
    many(2 * APPENDED_BYTES_MAX);
    const host = hostAt();
    const readOnly: Host = { ...host, writeNew: () => { throw Object.assign(new Error('no'), { code: 'EROFS' }); } };
    expect(when(ask({}, readOnly, {}))).toEqual(when(ask({}, readOnly, {})));
    expect(fs.existsSync(checkpoint())).toBe(false);
  });

  it('a line without end and a line being written are passed over', () => {
    leave(receipt(1));
    fs.appendFileSync(current(), `${'x'.repeat(3 * 1024 * 1024)}\n`);
    leave(receipt(2));
    fs.appendFileSync(current(), formatReceipt(receipt(3)).slice(0, 40));
    expect(ask().tool?.at).toBe(START + 2);
    fs.appendFileSync(current(), formatReceipt(receipt(3)).slice(40));
    expect(ask().tool?.at).toBe(START + 3);
    expect(openStore(hostAt(), dir, ALWAYS)).toMatchObject({ lines: 3, damagedLines: 1 });
  });

  it('what has just run is read from the end, the oldest first', () => {
    leave(receipt(-FUTURE_MS_MAX - 1000), receipt(5), receipt(7), receipt(6));
    expect(receiptsSince(hostAt(), dir, START + 6).map(({ time }) => Date.parse(time) - START)).toEqual([7, 6]);
    expect(receiptsSince(hostAt(), path.join(dir, 'none'), START)).toEqual([]);
  });
});

describe('a checkpoint that does not fit is not believed', () => {
  const five = receipt(5, { session: 'cccccccccccccccc' });
  /** An old genuine receipt, covered by a checkpoint, in a rotated file and in the current one. */
  const covered = (): { old: string } => {
    leave(...Array.from({ length: 40 }, (_, i) => receipt(i - 100)), five);
    const old = rotate();
    leave(receipt(6, { client: 'codex', caller: 'codex' }));
    expect(ask().tool?.at).toBe(START + 5);
    expect(openStore(hostAt(), dir, {}).fromCheckpoint).toBe(true);
    return { old };
  };
  const edit = (file: string, change: (text: string) => string): void => fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
  const spoil = (text: string): string => text.replace(/"caller":"claude"(?=[^\n]*\n$)/, '"caller":"nobody"');

  it('a receipt was edited', () => {
    const { old } = covered();
    edit(old, spoil);
    expect(ask({}, hostAt(), {}).tool).toBeUndefined();
  });

  it('a receipt was edited and the time of the file put back: it is read again before it is claimed', () => {
    const { old } = covered();
    // The middle of the file: neither digest covers it.
    edit(old, (text) => formatReceipt(receipt(-200)).repeat(60) + text + formatReceipt(receipt(-1)).repeat(60));
    expect(ask().tool?.at).toBe(START + 5);
    const { atime, mtime } = fs.statSync(old);
    edit(old, (text) => text.replace(formatReceipt(five), formatReceipt(five).replace('"caller":"claude"', '"caller":"nobody"')));
    fs.utimesSync(old, atime, mtime);
    expect(ask({}, hostAt(), {}).tool).toBeUndefined();
  });

  it.each([
    ['the file was cut', (old: string) => fs.truncateSync(old, fs.statSync(old).size - 10)],
    ['the file is empty', (old: string) => fs.truncateSync(old, 0)],
    ['the file is gone', (old: string) => fs.rmSync(old)],
    ['all files are gone', (old: string) => { fs.rmSync(old); fs.rmSync(current()); }],
    ['another file stands there', (old: string) => fs.writeFileSync(old, formatReceipt(receipt(-3)).repeat(80))],
    ['the beginning was cut off', (old: string) => edit(old, () => formatReceipt(receipt(-3)))],
  ] as const)('%s', (_name, change) => {
    const { old } = covered();
    change(old);
    expect(ask({}, hostAt(), {}).tool).toBeUndefined();
    expect(when(ask({}, hostAt(), {}))).toEqual(when(ask({}, hostAt(), { afresh: true })));
  });

  it('a newer file than others was removed: what it had made superfluous counts again', () => {
    leave(receipt(5));
    rotate();
    leave(receipt(9, { session: 'bbbbbbbbbbbbbbbb' }));
    const newer = rotate();
    leave(receipt(10, { client: 'codex', caller: 'codex' }));
    expect(ask().tool?.at).toBe(START + 9);
    fs.rmSync(newer);
    expect(ask().tool?.at).toBe(START + 5);
  });

  it('a session that began before the registration stays early, also when rotation took its beginning away', () => {
    leave(receipt(-5));
    const old = rotate();
    leave(receipt(1, { client: 'codex', caller: 'codex' }));
    ask();
    fs.rmSync(old);
    leave(receipt(8));
    expect(ask()).toMatchObject({ tool: undefined, earlierTool: { at: START + 8 } });
  });

  const good = (): string => fs.readFileSync(checkpoint(), 'utf8');
  it.each([
    ['not JSON', () => 'checkpoint'], ['empty', () => ''], ['another version', () => good().replace('"v":1', '"v":2')], ['a list', () => '[]'],
    ['deep', () => '['.repeat(200_000)], ['without notes', () => good().replace('"notes"', '"others"')], ['a word for a number', () => good().replace(/"notes":\[\d+/, '"notes":["x"')],
    ['a note too short', () => good().replace(/"notes":\[\d+,/, '"notes":[')], ['a place outside', () => good().replace(/(\d+)\],"sessions"/, '99999999],"sessions"')],
    ['a file outside', () => good().replace(/\d+,(\d+)\],"sessions"/, '7,$1],"sessions"')], ['a negative place', () => good().replace(/(\d+)\],"sessions"/, '-5],"sessions"')],
    ['sessions without times', () => good().replace(/"times":\[.*?\]/, '"times":[]')], ['huge numbers', () => good().replace(/"lines":\d+/, '"lines":1e300')],
    ['a key of its own', () => good().replace('"v":1', '"v":1,"__proto__":{"covers":[]}')],
    ['a claim of its own', () => good().replace(/"unheard"|"codex"/, '"claude"').replaceAll('codex', 'claude')],
  ])('hostile: %s', (_name, text) => {
    covered();
    fs.writeFileSync(checkpoint(), text());
    const [first, second] = [ask({}, hostAt(), {}), ask({}, hostAt(), {})];
    expect([when(first), when(second)]).toEqual([[], []].map(() => when(ask({}, hostAt(), { afresh: true }))));
  });

  it('a link, a directory or a FIFO in its place', () => {
    covered();
    const text = good();
    fs.rmSync(checkpoint());
    fs.writeFileSync(path.join(dir, 'elsewhere'), text);
    fs.symlinkSync(path.join(dir, 'elsewhere'), checkpoint());
    expect(openStore(hostAt(), dir, {}).fromCheckpoint).toBe(false);
    ask();
    expect(fs.readFileSync(path.join(dir, 'elsewhere'), 'utf8')).toBe(text);
    fs.rmSync(checkpoint());
    fs.mkdirSync(checkpoint());
    expect(ask().tool?.at).toBe(START + 5);
    expect(fs.readdirSync(dir).filter((name) => name.includes('.tmp'))).toEqual([]);
  });
});

describe('hooks run meanwhile', () => {
  it('a rotation while the files are read: once more', () => {
    leave(receipt(5));
    const host = hostAt();
    let first = true;
    const rotating: Host = { ...host, readAt: (...words) => { if (first) { first = false; rotate(); leave(receipt(6)); } return host.readAt(...words); } };
    expect(ask({}, rotating).tool?.at).toBe(START + 6);
  });

  it('one rotation after the other: unknown, never wrong', () => {
    leave(receipt(5));
    const host = hostAt();
    const rotating: Host = { ...host, readAt: (...words) => { rotate(); leave(receipt(6)); return host.readAt(...words); } };
    expect(readReceipts(rotating, dir, ALWAYS)).toMatchObject({ ok: false, why: expect.stringContaining('came and went') as string });
  });

  it('four writers, and looks between: nothing is lost', async () => {
    const script = path.join(dir, 'writer.cjs');
    await build({
      stdin: {
        contents: `import { appendReceipt } from './append.ts';
          const [place, line] = process.argv.slice(2);
          for (let i = 0; i < 300; i++) appendReceipt(place, line + '\\n', i % 16 === 0, 40_000);`,
        resolveDir: path.join(import.meta.dirname, '..', '..', 'src', 'receipts'), loader: 'ts',
      },
      bundle: true, platform: 'node', format: 'cjs', outfile: script, logLevel: 'error',
    });
    const place = path.join(dir, 'receipts');
    let running = true;
    const writers = Promise.all([1, 2, 3, 4].map((n) => promisify(execFile)(process.execPath, [script, place, formatReceipt(receipt(n, { session: `000000000000000${n}` })).trimEnd()]))).finally(() => { running = false; });
    let looks = 0;
    while (running) {
      const source = readReceipts(hostAt(), place, ALWAYS);
      if (source.ok) { source.ask(question()); looks += 1; }
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
    await writers;
    expect(looks).toBeGreaterThan(0);
    const kept = fs.readdirSync(place).filter((name) => name.endsWith('.jsonl')).flatMap((name) => fs.readFileSync(path.join(place, name), 'utf8').split('\n').filter((line) => parseReceiptLine(line) !== undefined));
    expect(openStore(hostAt(), place, { afresh: true }).lines).toBe(kept.length);
    const source = readReceipts(hostAt(), place, ALWAYS);
    expect(source.ok && source.ask(question()).tool?.at).toBe(START + 4);
  }, 60_000);
});

describe('bounds', () => {
  it('more sessions than are followed: the notes stay, the least recent beginnings go', () => {
    const fold = newFold({ names: [], times: [] }, []);
    const count = 2 * SESSIONS_MAX + 10;
    for (let i = 0; i < count; i += 1) foldReceipt(fold, receipt(i, { session: i.toString(16).padStart(16, '0'), workspace: `/w/${i % 50}` }), { file: 0, offset: i }, NOW + count);
    const { notes, forgotten } = settle(fold);
    expect(notes.length).toBe(50);
    expect(Math.max(...notes.map(({ at }) => at))).toBe(START + count - 1);
    expect(forgotten).toBe(-Infinity);
    const { names } = sessionTable(fold);
    expect(names.length).toBeLessThanOrEqual(SESSIONS_MAX);
    expect(names).toContain(`claude\n${(count - 1).toString(16).padStart(16, '0')}`);
    expect(names).not.toContain('claude\n0000000000000000');
  });

  it('more topics than are kept: what went is said to be unknown', () => {
    const fold = newFold({ names: [], times: [] }, []);
    const count = NOTES_MAX + 5;
    for (let i = 0; i < count; i += 1) foldReceipt(fold, receipt(i, { session: (i >> 3).toString(16).padStart(16, '0'), workspace: `/w/${i}` }), { file: 0, offset: i }, NOW + count);
    const { notes, forgotten } = settle(fold);
    expect(notes.length).toBe(NOTES_MAX);
    expect(forgotten).toBe(START + 4);
  });

  it('a checkpoint reads back as it was written', () => {
    const fold = newFold({ names: ['x\n1'], times: [1, 2] }, []);
    foldReceipt(fold, receipt(1, { workspace: '/é\u0000"' }), { file: 0, offset: 3 }, NOW);
    const whole = { covers: [{ head: 'a', tail: 'b', bytes: 9, mtimeNs: '1', lines: 1, damagedLines: 0 }], notes: settle(fold).notes, sessions: sessionTable(fold), unknownBefore: null };
    expect(parseCheckpoint(formatCheckpoint(whole))).toEqual(whole);
  });
});
