import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axeCore from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROBLEM_TYPE_PREFIX } from '#contract';
import { sign } from '../../functions/webhooks/signature.ts';
import { PATIENCE } from '../support/patience.ts';
import { useApi } from '../support/use-api.ts';
import { launchChromium, noChromium } from './chromium.ts';

/** In the page. */
declare const axe: typeof axeCore;

/** The documentation as people see it, in a browser that reaches nothing but this API. */

const START = '/api/v1/docs';
const PAGES = ['', '/guides', '/retries', '/reference', '/problems', '/webhooks'] as const;
const WIDTHS = [390, 820, 1440] as const;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SECRET = 'a-secret-of-at-least-thirty-two-characters';

describe.skipIf(noChromium !== undefined)(`the documentation${noChromium ? ` (${noChromium})` : ''}`, () => {
  const api = useApi();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  let context: BrowserContext;
  /** What must not be: requests to other places, errors in the console, violations of the policy. */
  let complaints: string[];
  /** Which of these a test expects. They may come late. */
  let expected: RegExp | undefined;
  beforeEach(() => {
    complaints = [];
    expected = undefined;
  });
  afterEach(async () => {
    await context?.close();
    expect(complaints.filter((complaint) => !expected?.test(complaint))).toEqual([]);
  });

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE);
    await context.route(
      (url) => url.origin !== api.url,
      (route) => {
        complaints.push(`asked for ${route.request().url()}`);
        return route.abort();
      },
    );
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${api.url}${START}${path}`);
    return page;
  }

  it('sees when a page asks for something elsewhere, or breaks its policy', async () => {
    expected = /./;
    const page = await open('');
    await page.evaluate(() => fetch('https://example.com/').catch(() => undefined));
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.broken = true' }));
    });
    await expect.poll(() => complaints.join('\n')).toMatch(/connect-src.*script-src/s);
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  });

  /** What axe-core finds. */
  const findings = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      const { violations } = await axe.run(document);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    });

  it.each(PAGES)('is readable at each width, light and dark, and to axe-core: docs%s', async (path) => {
    const page = await open(path, { colorScheme: 'dark' });
    expect(await page.title()).toMatch(/ – Custodia API$/);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([width, 0]);
    }
    expect(await page.evaluate(outOfReach)).toEqual([]);
    // The sections of the reference have the same parts; axe-core would take many seconds for all of them.
    await page.evaluate(() => {
      const more = '.pages .group:not(#of-service-actions, #of-problems), .index .group:nth-child(n + 4)';
      for (const group of document.querySelectorAll(more)) group.remove();
    });
    await page.evaluate(AXE);
    // No colour depends on the width.
    for (const [index, width] of WIDTHS.entries()) {
      const colorScheme = index === 1 ? 'light' : 'dark';
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      expect([width, colorScheme, await findings(page)]).toEqual([width, colorScheme, []]);
    }
  });

  it('the reference is whole without a script: nothing is folded but common parameters, and on paper not these', async () => {
    const page = await open('/reference', { javaScriptEnabled: false });
    for (const text of [
      'Needs the permission clients:write.',
      'services_count',
      'await custodia.clients.create',
      'response = ',
    ])
      await page.getByText(text).first().waitFor();
    const folded = await page
      .locator('details:not([open]):not([hidden])')
      .evaluateAll((all) => all.map((each) => each.className));
    expect(new Set(folded)).toEqual(new Set(['common']));
    const common = page.locator('#createClient .common table');
    expect(await common.evaluate((table) => table.checkVisibility())).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await common.evaluate((table) => table.checkVisibility())).toBe(true);
  });

  it('the reference is searched with the keyboard, and marks what is being read', async () => {
    // No fragment breaks it.
    const page = await open('/reference#%');
    await page.keyboard.press('/');
    await page.keyboard.type('ticket messages list');
    const shown = page.locator('#contents li a:visible');
    await expect
      .poll(() => shown.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).hash)))
      .toEqual(['#listTicketMessages']);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#listTicketMessages$/);
    await page.locator('#contents [aria-current][href="#listTicketMessages"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await expect.poll(() => shown.count()).toBeGreaterThan(100);
  });

  it('the reference remembers the language of its samples', async () => {
    const page = await open('/reference#createClient');
    const samples = page.locator('#createClient .sample');
    const visible = () => samples.evaluateAll((all) => all.map((each) => each.checkVisibility()));
    await expect.poll(visible).toEqual([true, false, false]);
    await page.locator('#createClient').getByRole('button', { name: 'Python' }).click();
    expect(await visible()).toEqual([false, false, true]);
    await page.reload();
    await expect.poll(visible).toEqual([false, false, true]);
  });

  it('says its own address, which a slash at its end does not mislead', async () => {
    // A browser may have asked for the files of the misled page already.
    expected = /404|\/docs\/docs\//;
    const page = await open('/');
    await page.waitForURL(`${api.url}${START}`);
    expect(await page.locator('pre').filter({ hasText: 'APP=acme' }).textContent()).toContain(
      `API=${api.url}/api/v1\n`,
    );
    // Two slashes at its beginning do not lead to another host.
    await page.goto(`${api.url}/${START}/`);
    await page.waitForURL(`${api.url}/${START}`);
  });

  it('is gone through with the keyboard', async () => {
    const page = await open('/problems');
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.getAttribute('name'));
    const order: unknown[] = [];
    for (let step = 0; step < 9; step++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual([
      'Skip to the content',
      'Custodia API',
      'Quickstart',
      'Guides',
      'Reference',
      'Problems',
      'OpenAPI',
      'type',
      'Show',
    ]);
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid');
    await page.reload();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('type');
    await page.keyboard.type(`${PROBLEM_TYPE_PREFIX}still-in-use`);
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('409 still-in-use');
    await page.waitForURL(`${api.url}${START}/problems#${PROBLEM_TYPE_PREFIX}still-in-use`);
  });

  it.each([
    '{"event_type":"invoice.paid","data":{"customer":"Ação Lda","total":1249.90}}',
    '{ "event_type": "invoice.paid",\n  "data": {} }',
  ])('signs a delivery as the API checks it: %s', async (body) => {
    const { appCode, secret } = await api.orgToken();
    const page = await open('/webhooks');
    await page.getByLabel('App code').fill(appCode);
    await page.getByLabel('Secret').fill(secret);
    await page.getByLabel('Body').fill(body);
    await expect.poll(() => page.locator('#signature').textContent()).toBe(sign(body, secret));
    const request = (await page.locator('#request').textContent()) ?? '';
    expect(request).toContain(`${api.url}/api/v1/webhooks/${appCode}`);
    const { status } = await api.request('POST', `/api/v1/webhooks/${appCode}`, {
      raw: /--data-binary '(.*)'$/s.exec(request)?.[1] ?? '',
      headers: Object.fromEntries(
        Array.from(request.matchAll(/-H '([\w-]+): ([^']*)'/g), ([, name = '', value = '']) => [name, value]),
      ),
    });
    expect(status).toBe(200);
  });

  it('distinguishes right signatures from wrong ones', async () => {
    const page = await open('/webhooks');
    await page.getByLabel('Secret').fill(SECRET);
    await page.getByLabel('Body').fill('{ }');
    const verdictOn = async (signature: string) => {
      await page.getByLabel('Signature to check').fill(signature);
      return expect.poll(() => page.locator('#verdict').textContent());
    };
    // Of `{}` as in docs/webhooks.md.
    const compact = '81391bcfe888fe7615724f3d8f3fe4feb0b3cb3dfa2f45a23eecd4fdeaf4630e';
    await (await verdictOn(compact)).toMatch(/^The signature is that of the same value in compact JSON/);
    await (await verdictOn(sign('{ }', SECRET).toUpperCase())).toBe('The signature is right.');
    await (await verdictOn(sign('{ }', `${SECRET}.`))).toMatch(/^The signature is wrong/);
    await (await verdictOn('81391b')).toMatch(/64 hex digits/);
    await page.getByLabel('Body').fill('{');
    await (await verdictOn(sign('{', SECRET))).toMatch(/^The signature is right. The body is not JSON/);
  });
});

/** Runs in the page. What can be clicked, and not reached with the keyboard. */
const outOfReach = (): string[] =>
  Array.from(document.querySelectorAll<HTMLElement>('a, button, input, textarea, select, summary'))
    .filter((each) => each.tabIndex < 0)
    .map((each) => each.outerHTML.slice(0, 200));
