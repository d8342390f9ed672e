// The report in a real browser: nothing is loaded, nothing runs, and a person can read it: light, dark, on a phone, by keyboard.
// PRAETORCTL_SCREENSHOTS names a directory in which the pictures stay.
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './support/cli.ts';
import { hostileMachine } from './support/report.ts';
import { hostAt } from './verify/support.ts';

function findBrowser(): string | undefined {
  const named = process.env['PRAETORCTL_CHROMIUM'];
  const places = named !== undefined && named !== '' ? [named] : (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, 'chromium'));
  return places.find((path) => { try { accessSync(path, constants.X_OK); return true; } catch { return false; } });
}

const executable = findBrowser();
const SCHEMES = ['light', 'dark'] as const;
/** WCAG 2.2 AA for text. */
const CONTRAST_MIN = 4.5;

interface Weak { readonly text: string; readonly ratio: number }

describe.skipIf(executable === undefined)(executable === undefined ? 'the report in a browser: SKIPPED, there is no chromium on PATH and PRAETORCTL_CHROMIUM names none' : 'the report in a browser', () => {
  const dir = mkdtempSync(join(tmpdir(), 'praetorctl-browser-'));
  const kept = process.env['PRAETORCTL_SCREENSHOTS'];
  const pictures = kept !== undefined && kept !== '' ? kept : join(dir, 'pictures');
  const file = join(dir, 'report.html');
  let browser: Browser | undefined;
  let page: Page;
  const requests: string[] = [];
  const said: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    const now = Date.now() + 600_000;
    const m = await hostileMachine(now);
    const answer = await cli({ ...m, env: m.env }, ['clients', 'report', '--html', file], { host: hostAt(m, now) });
    expect([answer.code, answer.err.includes('error')]).toEqual([0, false]);
    browser = await chromium.launch({
      ...(executable === undefined ? {} : { executablePath: executable }), timeout: 50_000, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      env: { HOME: dir, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript({ path: join(import.meta.dirname, 'support/in-page.js') });
    page = await context.newPage();
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.route('**/*', async (route) => {
      requests.push(route.request().url());
      await (route.request().url() === pathToFileURL(file).href ? route.continue() : route.abort());
    });
    await page.goto(pathToFileURL(file).href);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('asks for nothing but itself, runs nothing, and its own policy blocks nothing', async () => {
    await page.waitForLoadState('networkidle');
    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(said).toEqual([]);
    expect(await page.title()).toMatch(/^AI coding clients and their guard, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    // The style sheet counts: its digest is the one that the policy allows.
    expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).not.toBe('none');
  });

  it('would not load or run what got in all the same', async () => {
    const other = await page.context().newPage();
    const asked: string[] = [];
    await other.route('**/*', async (route) => { asked.push(route.request().url()); await route.continue(); });
    await other.goto(pathToFileURL(file).href);
    await other.evaluate('inPage.intrude()');
    await other.waitForTimeout(300);
    expect(asked.filter((url) => url.startsWith('http'))).toEqual([]);
    expect(await other.title()).not.toBe('owned');
    await other.close();
  });

  it('has names for everything that a person would otherwise have to see', async () => {
    expect(await page.evaluate('inPage.missingNames()')).toEqual([]);
  });

  it.each(SCHEMES)('has enough contrast in its %s form, and the picture is taken', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.evaluate('inPage.unfold(true)');
    const { weak, texts } = await page.evaluate<{ weak: Weak[]; texts: number }>(`inPage.weakTexts(${CONTRAST_MIN})`);
    expect(texts).toBeGreaterThan(100);
    expect(weak).toEqual([]);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground === 'rgb(255, 255, 255)').toBe(colorScheme === 'light');
    await page.evaluate('inPage.unfold(false)');
    const path = join(pictures, `report-${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
    expect(statSync(path).size).toBeGreaterThan(20_000);
  });

  it.each([1280, 768, 375, 320])('does not scroll sideways at a width of %s', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const { scroll, client } = await page.evaluate<{ scroll: number; client: number }>('inPage.widths()');
    expect(scroll).toBeLessThanOrEqual(client);
    if (width === 375) for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(pictures, `report-phone-${colorScheme}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('is walked through by keyboard in the order of reading, and shows where it is', async () => {
    // Else the browser is still on its way to the element when it is asked.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const focusable = await page.evaluate<number>('inPage.numberStops()');
    const walked: string[] = [];
    for (let i = 0; i < focusable; i += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate<{ order: string; visible: boolean; outline: boolean }>('inPage.focused()');
      expect(at).toMatchObject({ visible: true, outline: true });
      walked.push(at.order);
    }
    expect(walked).toEqual(Array.from({ length: focusable }, (_, i) => String(i)));
    await page.locator('a.skip').focus();
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/#matrix-title$/);
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('details table').isVisible()).toBe(true);
  });

  it('moves nothing for a person who asked for that', async () => {
    const behaviour = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).scrollBehavior');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await behaviour()).toBe('auto');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await behaviour()).toBe('smooth');
  });
});
