import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axeCore from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clients } from '../../functions/clients/contract.ts';
import type { OrgAccess } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { useApi } from '../support/use-api.ts';
import { launchChromium, noChromium } from './chromium.ts';

/** In the page. */
declare const axe: typeof axeCore;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The login of the reference, and the forms that try its operations. */

describe.skipIf(noChromium !== undefined)(`trying operations${noChromium ? ` (${noChromium})` : ''}`, () => {
  const api = useApi();
  let browser: Browser;
  let org: OrgAccess;
  beforeAll(async () => {
    [browser, org] = await Promise.all([launchChromium(), api.orgToken()]);
  });
  afterAll(() => browser?.close());

  async function open(fragment = ''): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', (error) => expect.fail(String(error)));
    await page.goto(`${api.url}/api/v1/docs/reference-all${fragment}`);
    await openLogin(page);
    return page;
  }

  const openLogin = (page: Page) => page.locator('#log-in > summary').click();

  /** A field of the login. */
  const field = (page: Page, label: string) => page.locator('#log-in').getByLabel(label);

  const logIn = async (page: Page, secret: string): Promise<void> => {
    await field(page, 'App code').fill(org.appCode);
    await field(page, 'Secret').fill(secret);
    await field(page, 'Secret').press('Enter');
  };

  const useToken = async (page: Page, token = org.token): Promise<void> => {
    await field(page, 'or a token').fill(token);
    await field(page, 'or a token').press('Enter');
  };

  const says = (page: Page, text: string | RegExp) => page.locator('#state', { hasText: text }).waitFor();

  /** What the page has in storages, its address and its fields. */
  const keptBy = (page: Page): Promise<string> =>
    page.evaluate(() =>
      [
        ...[{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href].map((each) =>
          JSON.stringify(each),
        ),
        ...Array.from(document.querySelectorAll('input'), ({ value }) => value),
      ].join('\n'),
    );

  it('a failed login keeps what was typed; the token outlives a reload, says its end, and is forgotten', async () => {
    const page = await open();
    await logIn(page, 'cst_mistyped');
    await says(page, 'The app code or the secret is wrong.');
    expect(await field(page, 'App code').inputValue()).toBe(org.appCode);
    expect(await field(page, 'Secret').inputValue()).toBe('cst_mistyped');
    await logIn(page, org.secret);
    await says(page, new RegExp(`Logged in as ${org.appCode} until \\d{1,2}:\\d\\d`));
    expect(await keptBy(page)).not.toContain(org.secret);
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, '']);

    await page.reload();
    await says(page, `Logged in as ${org.appCode} until`);
    await openLogin(page);
    await page.locator('#forget').press('Enter');
    await says(page, 'Without a token.');
    expect(await keptBy(page)).not.toContain('eyJ');
    await page.reload();
    await says(page, 'Without a token.');
    await page.close();
  });

  it('a token is dropped that is refused or expired: while it is used, when a page loads, and when it is pasted', async () => {
    const page = await open();
    await useToken(page, 'Bearer a.b.c');
    await says(page, 'This is not a token');
    await useToken(page, `a.${Buffer.from('{"exp":9999999999}').toString('base64url')}.c`);
    await says(page, 'The token is valid until');
    const form = page.locator('#listTickets .try-it');
    await form.locator('> summary').press('Enter');
    await form.getByRole('button', { name: 'Send' }).press('Enter');
    await says(page, 'The API has refused the token');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.clock.install();
    await useToken(page, `Bearer ${org.token}`);
    await says(page, 'The token is valid until');
    await page.clock.fastForward('01:00:01');
    await says(page, 'The token has expired. Log in again.');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await useToken(page);
    await says(page, 'This token has expired.');

    await page.evaluate((api) => {
      sessionStorage.setItem(`custodia-token ${api}`, JSON.stringify({ token: 'a.b.c', endsAt: Date.now() - 1 }));
    }, `${api.url}/api/v1`);
    await page.reload();
    await says(page, 'The token has expired. Log in again.');
    await page.close();
  });

  it('creates, reads and deletes with the keyboard, each with the id of the one before', async () => {
    const page = await open('#createTicket');
    /** Opens a form, and sends it as it is filled in. */
    const tried = async (id: string): Promise<string> => {
      const form = page.locator(`#${id} .try-it`);
      await form.locator('> summary').press('Enter');
      await form.getByRole('button', { name: 'Send' }).press('Enter');
      return (
        (await form
          .getByRole('status')
          .filter({ hasText: / ms · / })
          .textContent()) ?? ''
      );
    };
    expect(await tried('listTickets')).toMatch(/^401 Unauthorized · \d+ ms · \d+ bytes$/);
    const cause = page.locator('#listTickets').getByRole('link', { name: 'What causes this problem' });
    expect(await cause.getAttribute('href')).toBe('problems#urn:problem-type:custodia:unauthorized');
    expect(await page.locator('#listTickets .token-missing').isVisible()).toBe(true);
    await useToken(page);
    expect(await page.locator('#listTickets .token-missing').isVisible()).toBe(false);

    // What is open already gets the id, too.
    const body = page.locator('#createService textarea');
    await page.locator('#createService .try-it > summary').press('Enter');
    expect(await body.inputValue()).toContain('"client_id": "CLIENT_ID"');
    expect(await tried('createClient')).toMatch(/^201 Created · /);
    expect(await body.inputValue()).toMatch(/"client_id": "[\da-f-]{36}"/);
    const made = page.locator('#createClient .outcome');
    expect(await made.textContent()).toMatch(/Location: \/api\/v1\/clients\/.*X-Request-Id: /s);
    expect(await made.textContent()).toContain(`"name": "${clients.routes.createClient.bodyExample?.name}"`);
    // Only the required field was filled in, so the example's slug is not taken.
    expect(await made.textContent()).not.toContain('premium');
    const curl = (await made.locator('pre').last().textContent()) ?? '';
    expect(curl).toContain(`curl '${api.url}/api/v1/clients' \\\n  -H "Authorization: Bearer $TOKEN"`);
    expect(curl).not.toContain('eyJ');

    await page.locator('#createService').getByRole('button', { name: 'Send' }).press('Enter');
    await page.locator('#createService').getByRole('status').filter({ hasText: /^201/ }).waitFor();
    expect(await tried('createTicket')).toMatch(/^201 /);
    expect(await tried('getTicket')).toMatch(/^200 /);
    expect(await tried('deleteTicket')).toMatch(/^204 /);
    expect(await page.locator('#deleteTicket .final').textContent()).toMatch(/^“Delete a ticket.*cannot be undone\.$/);
    await page.locator('#getTicket').getByRole('button', { name: 'Send' }).press('Enter');
    await page.locator('#getTicket').getByRole('status').filter({ hasText: /^404/ }).waitFor();

    // axe-core reads the whole page, so it gets no more than what has been opened.
    await page.evaluate(() => {
      for (const other of document.querySelectorAll('.index, .operation:not(#createTicket), .record, .bodies'))
        other.remove();
    });
    await page.evaluate(AXE);
    expect(await page.evaluate(async () => (await axe.run('#createTicket, #log-in')).violations)).toEqual([]);
    await page.close();
  });

  it('has samples of what is typed, in three languages, with the token on demand alone', async () => {
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${api.url}/api/v1/docs/reference-clients#createClient`);
    const sample = (id: string, language: string) =>
      page.locator(`#${id} .sample[data-language="${language}"] code`).textContent();
    const form = page.locator('#createClient .try-it');
    await form.locator('> summary').click();
    await form.getByLabel('Body').fill('{"name":"Açúcar & Co"}');
    await form.locator('[data-common] summary').click();
    await form.getByLabel('Prefer').fill('handling=lenient');
    expect(await sample('createClient', 'curl')).toMatch(/-H 'Prefer: handling=lenient'.*"name": "Açúcar & Co"/s);
    expect(await sample('createClient', 'TypeScript')).toContain("create({ name: 'Açúcar & Co' }, { headers:");
    expect(await sample('createClient', 'Python')).toContain('json={"name": "Açúcar & Co"}');
    // While it is no JSON, they stay.
    await form.getByLabel('Body').fill('{"name":');
    expect(await sample('createClient', 'Python')).toContain('Açúcar');

    const list = page.locator('#listClients .try-it');
    await list.locator('> summary').click();
    await list.getByLabel('page_size').fill('7');
    expect(await sample('listClients', 'curl')).toContain('"$API/clients?page_size=7"');
    expect(await sample('listClients', 'TypeScript')).toContain('clients.list({ page_size: 7 })');
    expect(await sample('listClients', 'Python')).toContain('params={"page_size": 7}');
    const get = page.locator('#getClient .try-it');
    await get.locator('> summary').click();
    await get.getByLabel('id', { exact: false }).first().fill('a/b');
    expect(await sample('getClient', 'curl')).toContain('"$API/clients/a%2Fb"');
    expect(await sample('getClient', 'TypeScript')).toContain("clients.get('a/b')");

    const copy = page.locator('#createClient').getByRole('button', { name: 'Copy with my token' });
    expect(await copy.isVisible()).toBe(false);
    await openLogin(page);
    await useToken(page);
    await copy.click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`Bearer ${org.token}"`);
    expect(await sample('createClient', 'curl')).not.toContain('eyJ');
    // Colours need no elements.
    expect(await page.evaluate(() => CSS.highlights.get('text')?.size ?? 0)).toBeGreaterThan(5);
    await page.close();
  });

  it('signs a webhook, and shows its command without the secret', async () => {
    const page = await open('#receiveWebhook');
    const form = page.locator('#receiveWebhook .try-it');
    await form.locator('> summary').click();
    await page.setViewportSize({ width: 390, height: 844 });
    await form.getByLabel('Body').fill(`{"event_type":"invoice.paid","data":{"note":"${'long'.repeat(50)}"}}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await form.getByLabel('app_code').fill(org.appCode);
    await form.getByLabel('Secret of the integration').fill(org.secret);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('status').filter({ hasText: /^200/ }).waitFor();
    expect(await form.locator('pre').last().textContent()).toMatch(/X-Signature: [\da-f]{64}/);
    expect(await form.textContent()).not.toContain(org.secret);
    await page.close();
  });

  it('shows a large response in part, as text and with its numbers as they are', async () => {
    const page = await open('#listClients');
    const record = '{"n":12345678901234567890,"t":"<img src=x onerror=alert(1)>"}';
    const body = `[${Array(50_000).fill(record).join()}]`;
    await page.route(`${api.url}/api/v1/clients`, (route) => route.fulfill({ body, contentType: 'application/json' }));
    const form = page.locator('#listClients .try-it');
    await form.locator('> summary').click();
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Only the first 100,000 characters are shown.').waitFor();
    expect(await form.getByRole('status').textContent()).toContain(`${body.length.toLocaleString('en')} bytes`);
    const shown = (await form.locator('.outcome').textContent()) ?? '';
    expect(shown).toContain('"n": 12345678901234567890,\n    "t": "<img src=x onerror=alert(1)>"');
    expect(shown.length).toBeLessThan(300_000);
    expect(await form.locator('img').count()).toBe(0);
    await page.close();
  });
});
