// The matrix of verify for the eye: 25 clients, narrow terminals, no colour, names that want to be more than names.
import { describe, expect, it } from 'vitest';
import { renderVerify } from '../../src/cli/verify-view.ts';
import { wrap } from '../../src/cli/wrap.ts';
import { IMPORTANCES, mostImportantFirst, reasonsByImportance } from '../../src/verify/importance.ts';
import type { Reason } from '../../src/verify/state.ts';
import type { ClientReport, VerifyResult } from '../../src/verify/verify.ts';
import { cli, put, world } from '../support/cli.ts';
import { apply, leave, machine, receipt, verify } from '../verify/support.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const LOOK = { color: false, home: '/home/dev' };

function report(client: string, more: Partial<ClientReport> = {}): ClientReport {
  return {
    client, name: client.toUpperCase(), version: null, versionNote: 'not read', detected: 'program', program: `/usr/bin/${client}`, installs: [], scope: 'user',
    states: { absent: true, installed: false, discovered: false, observed: false, drifted: false, stale: false }, observed: false, proven: null, probe: null, trust: 'none',
    hooks: [], mcp: [], lastToolReceipt: null, meets: false, next: '',
    reasons: [{ code: 'not-registered', text: 'no hook of praetorctl is registered', fix: `praetorctl clients apply --client ${client}` }], ...more,
  };
}

const resultOf = (clients: readonly ClientReport[]): VerifyResult => ({ ok: false, exit: 3, require: 'observed', scope: 'user', now: NOW, clients, pendingRuns: [], diagnostics: [] });

const well = report('copilot-cli', {
  version: '12.34.567', states: { absent: false, installed: true, discovered: true, observed: true, drifted: false, stale: false }, observed: true, meets: true, reasons: [],
  proven: '2026-03-08T11:00:00.000Z', lastToolReceipt: { time: '2026-03-10T11:58:30.000Z', age: 90, event: 'pre-tool', verdict: 'deny', engine: '1' },
});
const untrusted = report('codex', {
  version: '0.171.0', trust: 'untrusted', states: { absent: false, installed: true, discovered: 'unknown', observed: false, drifted: true, stale: true },
  reasons: [
    { code: 'untrusted', text: 'untrusted: Codex CLI skips the hooks in silence until a person trusts them (pre-tool: untrusted, session-start: untrusted)', fix: 'start codex, open /hooks and trust the hooks of praetorctl' },
    { code: 'unverified', text: 'configured, enforcement unverified: no receipt of a tool call since the installation', fix: 'let Codex CLI run one harmless command, then: praetorctl clients verify --client codex' },
  ],
});
const many = resultOf([...Array.from({ length: 23 }, (_, i) => report(`client-${String(i).padStart(2, '0')}`)), untrusted, well]);

describe('the matrix', () => {
  it('has one line for each client with states, the age of the newest receipt, trust and proof', () => {
    const lines = renderVerify(resultOf([untrusted, well]), LOOK).split('\n');
    expect(lines[0]).toMatch(/^client +version +inst +disc +obs +drift +stale +last +trust +proven$/);
    expect(lines[1]).toMatch(/^codex +0\.171\.0 +yes +\? +no +yes +yes +- +untrusted +-$/);
    expect(lines[2]).toMatch(/^copilot-cli +12\.34\.567 +yes +yes +yes +no +no +90s +- +2d$/);
    expect(lines[3]).toContain('?: unknown');
  });

  it('fits 80 columns with 25 clients, and says what is the same for many of them once', () => {
    const text = renderVerify(many, LOOK);
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > 80 && !line.includes('praetorctl clients '))).toEqual([]);
    expect(lines.slice(1, 26).every((line) => /^(client-\d\d|codex|copilot-cli) /.test(line))).toBe(true);
    expect(text.match(/no hook of praetorctl is registered/g)).toHaveLength(1);
    expect(text).toContain('next: praetorctl clients apply --client client-00,client-01,');
    expect(lines.length).toBeLessThanOrEqual(48);
  });

  it('shows what keeps the guard from running before everything else', () => {
    const text = renderVerify(many, LOOK);
    const at = ['the guard does not run as it should:', 'codex: untrusted:', 'still to do:', 'no hook of praetorctl', 'codex: configured, enforcement unverified'].map((word) => text.indexOf(word));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
  });

  it.each([20, 30, 40, 60, 70])('stays whole in %s columns: words below each other instead of columns', (columns) => {
    const text = renderVerify(many, { ...LOOK, columns });
    const lines = text.split('\n');
    const long = lines.filter((line) => line.length > columns && line.trim().includes(' ') && !line.includes('praetorctl clients '));
    expect(long).toEqual([]);
    expect(text).toMatch(/^codex$/m);
    expect(text.replace(/\s+/g, ' ')).toContain('version 0.171.0, inst yes, disc ?, obs no, drift yes, stale yes, trust untrusted');
  });

  it('looks the same with colour once the colour is taken away', () => {
    const colored = renderVerify(many, { ...LOOK, color: true });
    expect(colored).toContain('\u001b[31m');
    // eslint-disable-next-line no-control-regex -- these are exactly the characters that colour adds
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(renderVerify(many, LOOK));
  });

  it('lets nothing reach the terminal that it would execute', () => {
    const hostile = report('codex', { version: '1.0\u001b[2J\u202e', reasons: [{ code: 'note', text: 'a server \u001b]0;x\u0007 in /home/dev/x', fix: 'see \u009b1m' }] });
    const text = renderVerify(resultOf([hostile]), LOOK);
    // eslint-disable-next-line no-control-regex -- these are exactly the characters that must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('in ~/x');
  });

  it('is as wide as the terminal says, else as COLUMNS asks, and without colour where NO_COLOR is set', async () => {
    const where = world({ fixture: 'codex-minimal', env: { NO_COLOR: '1' } });
    put(where, '.codex/config.toml', '');
    const ask = (env: Record<string, string>, columns?: number) => cli({ ...where, env: { ...where.env, ...env } }, ['clients', 'verify', '--client', 'codex'], { outIsTty: true, ...(columns === undefined ? {} : { columns }) });
    expect((await ask({})).out).toMatch(/^client +version/);
    expect((await ask({ COLUMNS: '30' })).out).toMatch(/^codex\n {2}inst no/);
    expect((await ask({ COLUMNS: '30' }, 100)).out).toMatch(/^client +version/);
    expect((await ask({ COLUMNS: 'wide' })).out).toMatch(/^client +version/);
    expect((await ask({})).out).not.toContain('\u001b');
    expect((await ask({ NO_COLOR: '' })).out).toContain('\u001b[');
  });
});

describe('the order of reasons', () => {
  const reason = (code: Reason['code'], text: string = code): Reason => ({ code, text, fix: '' });

  it('is by importance, and the first one is the next action of verify', async () => {
    const codes = mostImportantFirst([reason('note'), reason('unverified'), reason('trust-unread'), reason('evidence-aged'), reason('hooks-off')]).map(({ code }) => code);
    expect(codes).toEqual(['hooks-off', 'trust-unread', 'unverified', 'evidence-aged', 'note']);
    const m = machine();
    await apply(m, ['claude']);
    leave(m, receipt('claude', { verdict: 'error' }));
    const [client] = verify(m, { clients: ['claude'] }).clients;
    expect(client?.next).toBe(client?.reasons[0]?.fix);
  });

  it('merges what differs only in the client of the next command, and nothing else', () => {
    const fix = (id: string): string => `praetorctl clients plan --client ${id}`;
    const groups = reasonsByImportance([
      { client: 'a', reasons: [{ ...reason('entries-differ', 'same'), fix: fix('a') }] }, { client: 'b', reasons: [{ ...reason('entries-differ', 'same'), fix: fix('b') }] },
      { client: 'c', reasons: [{ ...reason('entries-differ', 'other'), fix: fix('c') }] }, { client: 'd', reasons: [{ ...reason('entries-differ', 'same'), fix: fix('x') }] },
    ]);
    expect(groups).toEqual([{ importance: 'blocking', reasons: [
      { clients: ['a', 'b'], text: 'same', fix: fix('a,b') }, { clients: ['c'], text: 'other', fix: fix('c') }, { clients: ['d'], text: 'same', fix: fix('x') },
    ] }]);
    expect(IMPORTANCES[0]).toBe('blocking');
  });
});

describe('wrap', () => {
  it('breaks at spaces, keeps a command whole, and never loses a word', () => {
    expect(wrap('let it run once, then: praetorctl clients verify --client codex', 30)).toEqual(['let it run once, then:', 'praetorctl clients verify --client codex']);
    expect(wrap('praetorctl does not resolve on PATH', 20)).toEqual(['praetorctl does not', 'resolve on PATH']);
    expect(wrap('', 10)).toEqual(['']);
    expect(wrap('averyveryverylongword x', 5)).toEqual(['averyveryverylongword', 'x']);
  });
});
