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
const PAGES = [
  ...[
    '',
    '/guides',
    '/retries',
    '/reference',
    '/reference-service-actions',
    '/reference-services',
    '/reference-batch',
    '/problems',
    '/webhooks',
  ],
] as const;
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
    await page.evaluate(AXE);
    // What is far away is looked at, too.
    await page.evaluate(() => {
      for (const each of document.querySelectorAll<HTMLElement>('.operation, .record, .bodies'))
        each.style.contentVisibility = 'visible';
    });
    // No colour depends on the width.
    for (const [index, width] of WIDTHS.entries()) {
      const colorScheme = index === 1 ? 'light' : 'dark';
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      expect([width, colorScheme, await findings(page)]).toEqual([width, colorScheme, []]);
    }
  });

  it('the reference is whole without a script: nothing is folded, and all languages and bodies are shown', async () => {
    const page = await open('/reference-clients', { javaScriptEnabled: false });
    for (const text of [
      'clients:write',
      '409 already-exists',
      'services_count',
      'await custodia.clients.create',
      'response = ',
    ])
      await page.getByText(text).first().waitFor();
    const folded = await page
      .locator('details:not([open], [hidden], .login)')
      .evaluateAll((all) => all.map((each) => each.className));
    expect(folded).toEqual([]);
    const visible = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((each) => each.checkVisibility()));
    expect(await visible('#createClient .sample')).toEqual([true, true, true]);
    expect(await visible('#getClient .answer')).toEqual([true, true]);
    await page.emulateMedia({ media: 'print' });
    expect(new Set(await visible('.operation h3, .record h3, .bodies pre, .sample, .answer'))).toEqual(new Set([true]));
    expect(new Set(await visible('.index, header nav, .login, .try-it'))).toEqual(new Set([false]));
  });

  /** The results that are shown: their titles. */
  const found = (page: Page) => page.locator('.search [role=option] b').allTextContents();

  it('is searched with the keyboard: fields, problems, permissions and guides, with typing errors', async () => {
    const page = await open('/guides');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('has_risks');
    await expect.poll(() => found(page)).toContain('has_risks');
    expect(asked.filter((url) => url.includes('search-index'))).toHaveLength(1);
    for (const [words, title] of [
      ['still-in-use', 'still-in-use'],
      ['tickets:write', 'tickets:write'],
      ['idempotency', 'Retries and idempotency'],
      ['If-Match', 'If-Match'],
      ['ticket messages list', 'List the messages of a ticket'],
      ['maintenence', 'List maintenance windows'],
    ] as const) {
      await page.getByRole('combobox').fill(words);
      await expect
        .poll(() => page.locator('.search [role=listbox]').textContent(), { message: words })
        .toContain(title);
    }
    await page.evaluate(AXE);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    const last = page.locator('.search [role=option]').last();
    expect(await last.getAttribute('aria-selected')).toBe('true');
    await page.getByRole('combobox').fill('metadata ClientRecord');
    await expect.poll(async () => (await found(page))[0]).toBe('metadata');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reference-clients#ClientRecord\.metadata$/);
  });

  it('loads the search again where it could not be loaded', async () => {
    const page = await open('');
    expected = /search-index|ERR_FAILED/;
    let isAway = true;
    await page.route(/search-index/, (route) => (isAway ? route.abort() : route.continue()));
    await page.keyboard.press('/');
    await page.getByText('could not be loaded').waitFor();
    isAway = false;
    await page.keyboard.type('maintenance');
    await page.getByRole('option').first().waitFor();
  });

  it('guides have the colours of code, also where it names the address', async () => {
    const page = await open('');
    const coloured = (kind: string) =>
      page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map((range) => String(range)), kind);
    await expect.poll(() => coloured('word')).toContain('$RANDOM');
    expect(await coloured('name')).toContain('"secret"');
    expect(await page.locator('pre').first().textContent()).not.toBe('');
  });

  it('says that nothing was found, and what is nearest', async () => {
    const page = await open('/reference');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('xqxqxq');
    await page.getByText(/^None found\./).waitFor();
    await page.getByRole('combobox').fill('wbehok');
    await page.getByText('None found. The nearest:').waitFor();
    expect((await found(page)).join()).toMatch(/webhook/i);
    await page.keyboard.press('Escape');
    await page.locator('.search').waitFor({ state: 'hidden' });
  });

  it.each([
    ['#listTicketMessages', 'reference-tickets'],
    ['#ClientRecord.slug', 'reference-clients'],
    ['#of-clients', 'reference-clients'],
    ['#cost', 'reference'],
    // No fragment breaks it.
    ['#%', 'reference'],
  ])('addresses of the time when the reference was one page lead on: %s', async (fragment, name) => {
    const page = await open(`/reference${fragment}`);
    await page.waitForURL(`${api.url}${START}/${name}${fragment}`);
  });

  it('the reference marks what is being read, and has its contents in a drawer where there is no room', async () => {
    const page = await open('/reference-tickets#listTicketMessages', { viewport: { width: 1440, height: 900 } });
    await page.locator('#contents [aria-current][href="#listTicketMessages"]').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const link = page.locator('#contents [href="#createTicket"]');
    await link.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Contents' }).click();
    await link.click();
    await page.waitForURL(/#createTicket$/);
    await link.waitFor({ state: 'hidden' });
  });

  it('shows the response of each status, and copies what it shows', async () => {
    const page = await open('/reference-clients#createClient', { permissions: ['clipboard-read', 'clipboard-write'] });
    const card = page.locator('#createClient .answers');
    await expect.poll(() => card.locator('.tabs button').allTextContents()).toContain('409');
    expect(await card.locator('pre:visible').count()).toBe(1);
    await card.getByRole('button', { name: '409' }).click();
    const body = card.locator('pre:visible').first();
    expect(JSON.parse((await body.textContent()) ?? '')).toMatchObject({ status: 409 });
    await card.getByRole('button', { name: 'Copy' }).click();
    await card.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await body.textContent());
  });

  it('the reference remembers the language of its samples', async () => {
    const page = await open('/reference-clients#createClient');
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
    for (let step = 0; step < 10; step++) {
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
      'Search /',
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
