import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROBLEM_TYPE_PREFIX } from '#contract/problem';
import { clients } from '../../functions/clients/contract.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import { PATIENCE } from '../support/patience.ts';
import { useApi } from '../support/use-api.ts';
import { launchChromium, noChromium } from './chromium.ts';

/** The documentation as people see it, in a browser that reaches nothing but this API. */

const START = '/api/v1/docs';
const PAGES = ['', '/guides', '/reference', '/problems', '/webhooks'] as const;
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

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('is readable, %s and %i wide', async (colorScheme, width) => {
    for (const path of PAGES) {
      const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
      // RapiDoc takes seconds; as it is for wide windows, it is tried below.
      if (path === '/reference' && width < 800) {
        const first = page.locator('rapi-doc').getByRole('button', { name: '/api/v1/clients' }).first();
        await first.press('Enter');
        await page.locator('rapi-doc').getByRole('button', { name: 'TRY' }).waitFor();
      }
      expect(await page.title()).toMatch(/ – Custodia API$/);
      const found = [...(await page.evaluate(flaws)), ...(await page.evaluate(faintTexts))];
      expect(found, path).toEqual([]);
      await context.close();
    }
  });

  it('says its own address, which a slash at its end does not mislead', async () => {
    // A browser may have asked for the files of the misled page already.
    expected = /404|\/docs\/docs\//;
    const page = await open('/');
    await page.waitForURL(`${api.url}${START}`);
    expect(await page.locator('pre').filter({ hasText: 'APP=acme' }).textContent()).toContain(
      `API=${api.url}/api/v1\n`,
    );
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

  it('tries an operation with the token of a login, which it keeps nowhere', async () => {
    const { appCode, secret } = await api.orgToken();
    // The browser also writes the refusal of a wrong secret into its console.
    expected = /401/;
    const page = await open('/reference#post-/api/v1/clients');
    const logIn = async (givenSecret: string) => {
      await page.getByLabel('App code').fill(appCode);
      await page.getByLabel('Secret').fill(givenSecret);
      await page.getByLabel('Secret').press('Enter');
    };
    await logIn('wrong');
    await page.getByText('The app code or the secret is wrong.').waitFor();
    await logIn(secret);
    await page.getByText(`Logged in as ${appCode} for 60 minutes.`).waitFor();
    const explorer = page.locator('rapi-doc');
    const tried = async (method: string) => {
      const replied = page.waitForResponse(
        (response) => response.url().startsWith(`${api.url}/api/v1/clients`) && response.request().method() === method,
      );
      await explorer.getByRole('button', { name: 'TRY' }).first().click();
      return replied;
    };
    const created = await tried('POST');
    const client = await created.json();
    expect([created.status(), client]).toMatchObject([201, clients.routes.createClient.bodyExample]);
    await explorer.getByRole('link', { name: 'List clients' }).press('Enter');
    await explorer.getByRole('heading', { name: 'List clients' }).waitFor();
    const listed = await tried('GET');
    expect([listed.url(), await listed.json()]).toMatchObject([
      `${api.url}/api/v1/clients`,
      { data: [{ id: client.id }] },
    ]);
    await explorer.getByText(client.id).first().waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain('eyJ');
    expect(page.url()).not.toContain(secret);
    expect(await page.getByLabel('Secret').inputValue()).toBe('');
  });

  it('shows responses: a record from the values of its fields, and a problem as it is sent', async () => {
    const page = await open('/reference#post-/api/v1/clients');
    const replies = page.locator('rapi-doc').locator('api-response');
    const shown = async (status: string, text: string) => {
      await replies.getByRole('button', { name: status, exact: true }).click();
      const example = replies.locator('json-tree').filter({ hasText: text });
      await example.waitFor();
      return example.evaluate((tree) => tree.shadowRoot?.textContent ?? '');
    };
    const client = await shown('201', 'services_count');
    const { example } = clients.routes.createClient.response;
    for (const [field, value] of Object.entries(example as object)) {
      expect(client).toContain(`"${field}"`);
      if (typeof value === 'string') expect(client).toContain(`"${value}"`);
    }
    const problem = await shown('409', 'already-exists');
    expect(problem).toContain('Another record has this slug.');
    expect(problem).not.toContain('x-fill-example');
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

/** Runs in the page. What is wrong with it for people who read it on a phone, hear it, or use no mouse. */
function flaws(): string[] {
  const all = <E extends Element = HTMLElement>(selector: string) => Array.from(document.querySelectorAll<E>(selector));
  const levels = all('h1, h2, h3, h4').map(({ tagName }) => Number(tagName[1]));
  const fields = all<HTMLInputElement>('input, textarea').filter(({ labels }) => !labels?.length);
  const landmarks = ['header', 'nav[aria-label]', 'main', 'footer', 'h1'];
  return [
    ...(document.documentElement.lang === 'en' ? [] : ['its language is not said']),
    ...(document.documentElement.scrollWidth > innerWidth ? ['it is wider than the window'] : []),
    ...landmarks.filter((each) => all(each).length === 0).map((each) => `it has no ${each}`),
    ...(all('h1, main').length === 2 ? [] : ['it has more than one h1 or main']),
    ...levels.flatMap((level, index) =>
      level > (levels[index - 1] ?? 0) + 1 ? [`heading ${index} skips a level`] : [],
    ),
    ...fields.map(({ name }) => `the field ${name} has no label`),
    ...all('button, a').flatMap((each) => (each.textContent?.trim() === '' ? ['a button or link has no name'] : [])),
  ];
}

/** Runs in the page. Texts that are hard to see: contrasts under that of WCAG 2.2, 1.4.3, for text of any size. */
function faintTexts(): string[] {
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((channel) =>
      channel / 255 <= 0.03928 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? groundOf(element.parentElement) : color;
  };
  const isRead = (element: Element): boolean =>
    Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent?.trim()) &&
    element.checkVisibility() &&
    element.getClientRects().length > 0;
  return Array.from(document.querySelectorAll('body *')).flatMap((element) => {
    if (!isRead(element)) return [];
    const [one, other] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const text = `${element.tagName} ${element.textContent?.slice(0, 30)}: contrast ${contrast.toFixed(1)}`;
    return contrast < 4.5 ? [text] : [];
  });
}
