// `clients report --html`: where the page may go, what it says, and that no value of the machine becomes markup.
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { html, trusted } from '../../src/cli/html.ts';
import { extentOf } from '../../src/cli/report-plot.ts';
import { PAGE_HEAD, reportPage } from '../../src/cli/report-page.ts';
import { OUTPUT_SCHEMAS } from '../../src/cli/schemas.ts';
import { formatReceipt } from '../../src/receipts/format.ts';
import { HISTORY_DAYS, verdictHistory } from '../../src/verify/history.ts';
import { gatherReport } from '../../src/verify/report.ts';
import { cli, tree, world, type World } from '../support/cli.ts';
import { DAY_MS, HOSTILE, hostileMachine } from '../support/report.ts';
import { hostAt, leave, machine, put, receipt } from '../verify/support.ts';

const NOW = Date.now() + 600_000;
const grown = (): World => world({ fixture: 'four-clients' });
const page = (where: World, name = 'report.html'): string => readFileSync(join(where.project, name), 'utf8');

describe('the file', () => {
  it('is written relative to the current directory, private, and replaced by the next report only', async () => {
    const where = grown();
    const first = await cli(where, ['clients', 'report', '--html', 'report.html', '--client', 'claude,codex,gemini']);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toContain('report: 3 clients in ');
    expect(page(where).startsWith(PAGE_HEAD)).toBe(true);
    expect(statSync(join(where.project, 'report.html')).mode & 0o777).toBe(0o600);
    const again = await cli(where, ['clients', 'report', '--html', 'report.html', '--client', 'codex']);
    expect([again.code, again.out.split(' in ')[0]]).toEqual([0, 'report: 1 client']);
    expect(page(where)).not.toContain('Gemini');
    expect(readdirSync(where.project)).toEqual(['report.html']);
  });

  it('writes nothing else anywhere', async () => {
    const where = grown();
    const before = tree(where.root);
    await cli(where, ['clients', 'report', '--html', 'report.html']);
    const { ['project/report.html']: written, ...rest } = tree(where.root);
    expect(written).toContain('600 ');
    expect(rest).toEqual(before);
  });

  it.each(['a file of somebody else', 'an empty file', 'a directory', 'a link', 'a file that only begins like a page'] as const)('is refused with exit 4 where there is %s', async (what) => {
    const where = grown();
    const path = join(where.project, 'report.html');
    if (what === 'a directory') mkdirSync(path);
    else if (what === 'a link') symlinkSync(join(where.root, 'elsewhere'), path);
    else writeFileSync(path, what === 'an empty file' ? '' : what === 'a file of somebody else' ? 'notes' : '<!doctype html>\n<p>mine');
    const before = tree(where.root);
    const answer = await cli(where, ['clients', 'report', '--html', 'report.html']);
    expect(answer.code).toBe(4);
    expect(answer.err).toMatch(/^praetorctl: error: foreign-entry: .*report\.html: .*\npraetorctl: fix: .*nothing was written\.\n$/);
    expect(tree(where.root)).toEqual(before);
    expect(lstatSync(path).isSymbolicLink()).toBe(what === 'a link');
  });

  it('fails with exit 1 where there is no directory or no right, and with 64 without a file or with an unknown client', async () => {
    const where = grown();
    expect((await cli(where, ['clients', 'report', '--html', 'missing/report.html'])).code).toBe(1);
    expect((await cli(where, ['clients', 'report'])).code).toBe(64);
    expect((await cli(where, ['clients', 'report', '--html', ''])).code).toBe(64);
    expect((await cli(where, ['clients', 'report', '--html', 'x.html', '--client', 'nobody'])).code).toBe(64);
    expect(existsSync(join(where.project, 'x.html'))).toBe(false);
    if (process.getuid?.() === 0) return;
    chmodSync(where.project, 0o500);
    expect((await cli(where, ['clients', 'report', '--html', 'report.html'])).code).toBe(1);
    chmodSync(where.project, 0o700);
  });

  it('answers the same values as JSON, in the committed shape, also where it fails', async () => {
    const where = grown();
    const answer = await cli(where, ['clients', 'report', '--html', 'report.html', '--json']);
    OUTPUT_SCHEMAS['clients-report']!.parse(answer.json);
    expect(answer.json).toMatchObject({ schema: 'praetorctl/clients-report', ok: true, exit: 0, html: join(where.project, 'report.html'), proofs: [], proofsUnread: null, history: { counted: 0, complete: true } });
    writeFileSync(join(where.project, 'report.html'), 'mine');
    const refused = await cli(where, ['clients', 'report', '--html', 'report.html', '--json']);
    OUTPUT_SCHEMAS['clients-report']!.parse(refused.json);
    expect([refused.code, refused.json['ok']]).toEqual([4, false]);
  });
});

describe('the page', () => {
  const facts = { version: '1.2.3', look: { home: '/home/dev' }, sha256Base64: () => 'digest' };

  it('shows each client, its reasons with fixes, its gaps, the proofs and the counts, and no home', async () => {
    const m = await hostileMachine(NOW);
    const report = gatherReport(hostAt(m, NOW), { clients: [], scope: 'user', require: 'observed' });
    const text = reportPage(report, { ...facts, look: { home: m.home } });
    for (const { name, reasons } of report.verified.clients) {
      expect(text).toContain(`">${name}</a></th>`);
      for (const { fix } of reasons) if (/^praetorctl [\w -]+$/.test(fix)) expect(text).toContain(`<code>${fix}</code>`);
    }
    for (const gap of report.gaps.flatMap((one) => one.gaps)) expect(text).toContain(html`${gap.text}`.html);
    expect(report.proofs).toHaveLength(3);
    expect(report.verified.clients.find(({ client }) => client === 'claude')).toMatchObject({ meets: true, proven: report.proofs[0]?.time });
    expect(text).toContain('proven then, does not bind any more');
    expect(text).toContain('not proven');
    expect(text).toMatch(/<strong>refused<\/strong> \(deny\): 16 in 30 days, at most 4 on one day/);
    expect(text).not.toContain(m.home);
  });

  it('lets no value become markup: versions, causes, paths and names of servers', async () => {
    const m = await hostileMachine(NOW);
    const report = gatherReport(hostAt(m, NOW), { clients: [], scope: 'user', require: 'observed' });
    const [first] = report.verified.clients;
    const spoiled = { ...first!, version: HOSTILE, program: `/opt/${HOSTILE}/bin`, installs: [{ kind: 'app' as const, path: `/opt/${HOSTILE}/bin` }], versionNote: HOSTILE, mcp: [{ name: HOSTILE, path: HOSTILE, status: 'changed' as const }], reasons: [{ code: 'note' as const, text: `${HOSTILE}\u202e`, fix: `praetorctl clients plan --client ${HOSTILE}` }] };
    const text = reportPage({ ...report, proofsUnread: HOSTILE, verified: { ...report.verified, clients: [spoiled] } }, facts) + reportPage(report, facts);
    expect(text).not.toMatch(/<(img|script|b)\b/);
    expect(text).not.toContain('onerror="');
    expect(text).not.toContain('\u202e');
    expect(text.split('&lt;img src=x onerror=&quot;').length).toBeGreaterThan(8);
    // Every element that opens closes: nothing broke out.
    const opened = (name: string): number => text.split(new RegExp(`<${name}[ >]`)).length;
    for (const name of ['table', 'tr', 'td', 'th', 'article', 'section', 'code', 'li', 'details', 'figure']) expect(`${name} ${text.split(`</${name}>`).length}`).toBe(`${name} ${opened(name)}`);
  });

  it('needs nothing besides itself, and forbids it too', async () => {
    const where = grown();
    await cli(where, ['clients', 'report', '--html', 'report.html']);
    const text = page(where);
    expect(text).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">/);
    expect(text).not.toMatch(/\b(src|srcset|action|style|on\w+)="|url\(|@import|<link|<script|https?:/);
    for (const [, target] of text.matchAll(/href="([^"]*)"/g)) expect(text).toContain(`id="${target?.slice(1)}"`);
  });

  it('says so where there is nothing to show', async () => {
    const where = world();
    const answer = await cli(where, ['clients', 'report', '--html', 'report.html']);
    expect([answer.code, answer.out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^report: 0 clients in /)]);
    expect(answer.err).toContain('no client was found');
    expect(page(where)).toContain('No client was found on this machine.');
  });
});

describe('the template', () => {
  it('escapes values in text and attributes, keeps what a template made, and joins lists', () => {
    expect(html`<p title="${'a"b'}">${['<', html`<i>${"'"}</i>`, 3]}&${trusted('<hr>')}</p>`.html).toBe('<p title="a&quot;b">&lt;<i>&#39;</i>3&<hr></p>');
  });
});

describe('the counts', () => {
  const counted = (m: ReturnType<typeof machine>, bytesMax?: number) => verdictHistory(hostAt(m, NOW), join(m.state, 'receipts'), NOW, bytesMax);

  it('are by day in UTC and by verdict; doctor, damaged lines, older and future ones are apart', () => {
    const m = machine();
    const at = (daysAgo: number): string => new Date(NOW - daysAgo * DAY_MS).toISOString();
    put(join(m.state, 'receipts', 'receipts-1.jsonl'), formatReceipt(receipt('claude', { time: at(40) })) + formatReceipt(receipt('claude', { time: at(29), verdict: 'allow' })));
    leave(m, receipt('codex', { time: at(2), verdict: 'deny', rule: 'git.push', workspace: '/x","verdict":"ask","y' }), receipt('codex', { time: at(1), synthetic: true, verdict: 'deny' }));
    put(join(m.state, 'receipts', 'receipts.jsonl'), `${readFileSync(join(m.state, 'receipts', 'receipts.jsonl'), 'utf8')}{"v":1,"time":\nnoise\n${formatReceipt(receipt('codex', { time: at(0) }))}${formatReceipt(receipt('codex', { time: at(-3) }))}`);
    const found = counted(m);
    expect(found).toMatchObject({ counted: 3, synthetic: 1, leftOut: 3, complete: true, unread: null });
    expect(found.days).toHaveLength(HISTORY_DAYS);
    expect(found.days[0]?.counts.allow).toBe(1);
    expect(found.days.at(-3)?.counts).toMatchObject({ deny: 1, ask: 0 });
    expect(found.days.at(-1)).toEqual({ day: at(0).slice(0, 10), counts: { neutral: 1, allow: 0, ask: 0, deny: 0, error: 0, skipped: 0, recorded: 0 } });
    expect(extentOf(found)).toBe(`Counted: 3 receipts of the last 30 days, the oldest of ${at(29).slice(0, 10)}. Not counted: 1 made by doctor or the demonstration. Left out: 3 lines that cannot be a receipt of these days.`);
  });

  it('end at the bound and say so, and are honest about a directory that cannot be read', () => {
    const m = machine();
    leave(m, receipt('codex', { time: new Date(NOW).toISOString() }));
    put(join(m.state, 'receipts', 'receipts-1.jsonl'), formatReceipt(receipt('codex', { time: new Date(NOW - DAY_MS).toISOString() })));
    expect(counted(m)).toMatchObject({ counted: 2, complete: true });
    const part = counted(m, 10);
    expect(part).toMatchObject({ counted: 1, complete: false });
    expect(extentOf(part)).toContain('There are more of these days than are read');
    const broken = machine();
    put(join(broken.state, 'receipts'), 'a file');
    expect(counted(broken)).toMatchObject({ counted: 0, complete: false, unread: 'ENOTDIR' });
    expect(extentOf(counted(broken))).toBe('The receipts cannot be read (ENOTDIR).');
    expect(counted(machine())).toMatchObject({ counted: 0, complete: true, unread: null });
  });
});
