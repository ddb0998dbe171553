import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as client from '../../packages/client/src/index.ts';
import type { OrgAccess } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { useApi } from '../support/use-api.ts';
import { launchChromium, noChromium } from './chromium.ts';

/** `@custodia/client` in a browser, and the example app that uses it. Their pages are served from the API's own origin. */

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'examples/status-page');
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** The bundle of a script, in the page. */
declare const custodiaClient: typeof client;

/** A module with all that it imports, as the command of the example makes it. */
async function bundled(entry: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, entry)],
    ...{ bundle: true, write: false, format, target: 'es2022' },
    ...{ globalName: 'custodiaClient', conditions: ['custodia-source'] },
  });
  return outputFiles[0]?.text ?? '';
}

describe.skipIf(noChromium !== undefined)(`the client in Chromium${noChromium ? ` (${noChromium})` : ''}`, () => {
  const api = useApi();
  let browser: Browser;
  let org: OrgAccess;
  /** Served under `/example/`. */
  let files: Readonly<Record<string, string>>;
  beforeAll(async () => {
    browser = await launchChromium();
    org = await api.orgToken();
    const [html = '', css = ''] = await Promise.all(
      ['index.html', 'style.css'].map((file) => readFile(join(EXAMPLE, file), 'utf8')),
    );
    const [app, library] = await Promise.all([
      bundled('examples/status-page/app.ts'),
      bundled('packages/client/src/index.ts', 'iife'),
    ]);
    files = {
      ...{ 'index.html': html, 'style.css': css, 'dist/app.js': app },
      ...{ 'empty.html': '<!doctype html>', 'client.js': library },
    };
  });
  afterAll(() => browser?.close());

  async function open(file: string, width = 1440): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    page.setDefaultTimeout(PATIENCE);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route(`${api.url}/example/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice('/example/'.length);
      const body = files[name];
      if (body === undefined) return route.fulfill({ status: 404 });
      return route.fulfill({ body, contentType: TYPES[name.split('.').at(-1) ?? ''] ?? '' });
    });
    await page.goto(`${api.url}/example/${file}`);
    return { page, complaints };
  }

  const ticket = (subject: string) => ({
    ...{ subject, description: 'Silent.', source: 'email', contact_id: '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11' },
  });

  it('logs in, creates, reads pages, watches, throws problems, signs and delivers as in Node', async () => {
    const { page } = await open('empty.html');
    await page.addScriptTag({ url: 'client.js' });
    const { appCode, secret } = org;
    const found = await page.evaluate(
      async ({ appCode, secret, body }) => {
        const { createCustodia, CustodiaProblem, etagOf, verifyWebhook, signWebhook } = custodiaClient;
        const custodia = createCustodia({ baseUrl: location.origin, credentials: { appCode, secret } });
        const made = await custodia.tickets.create(body);
        await custodia.POST('/api/v1/tickets', { body });
        const ids: string[] = [];
        for await (const { id } of custodia.tickets.list({ page_size: 1 })) ids.push(id);
        const states: string[] = [];
        const path = { id: made.id };
        for await (const { status } of custodia.watch('/api/v1/tickets/{id}', { params: { path }, every: 1 })) {
          states.push(status);
          if (status === 'closed') break;
          await custodia.tickets.update(made.id, { status: 'closed' }, { ifMatch: etagOf(made) });
        }
        const missing = await custodia.tickets
          .get(body.contact_id)
          .catch((error: unknown) => error instanceof CustodiaProblem && error.is('not-found') && error.requestId);
        const signature = await signWebhook('{}', secret);
        const verified = await verifyWebhook({ body: '{}', signature }, { secrets: [secret] });
        const event = { event_type: 'client.created', data: { name: 'Bistro' } };
        const { eventId } = await custodia.sendWebhook(event);
        const { receipt } = await custodia.sendWebhook(event, { eventId });
        return { ids, isListed: ids.includes(made.id), states, missing, verified, isRepeated: receipt === undefined };
      },
      { appCode, secret, body: ticket('From a browser') },
    );
    expect(found).toMatchObject({ isListed: true, states: ['open', 'closed'], verified: '{}', isRepeated: true });
    expect(found.ids).toHaveLength(2);
    expect(found.missing).toMatch(/^[\da-f-]{36}$/);
    await page.close();
  });

  it.each([1440, 390])('shows clients, health and open tickets, and what changes, %i wide', async (width) => {
    const { token } = await api.orgToken();
    const post = async (path: string, body: object): Promise<string> =>
      String((await api.request('POST', path, { token, body })).body.id);
    const client_id = await post('/api/v1/clients', { name: 'Bistro <b>' });
    await post('/api/v1/resources', { client_id, name: 'db-1', type: 'server', health_status: 'degraded' });
    const ticketId = await post('/api/v1/tickets', { ...ticket('No receipts'), client_id });

    const { page, complaints } = await open('index.html', width);
    await page.getByLabel('Access token').fill(token);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No receipts').waitFor();
    expect(await page.locator('#clients').innerText()).toMatch(
      /Bistro <b>\s+at risk\s+active, resources: 1\s+db-1: degraded/,
    );
    expect(await page.locator('#tickets').innerText()).toMatch(/No receipts\s+T-000001 · Bistro <b> · normal/);
    expect(await page.locator('form').isVisible()).toBe(false);
    // The token is nowhere but in memory.
    expect(
      await page.evaluate(() => [...Object.values({ ...localStorage, ...sessionStorage }), document.cookie].join('')),
    ).toBe('');
    expect(await page.content()).not.toContain(token);

    await api.request('PATCH', `/api/v1/tickets/${ticketId}`, { token, body: { status: 'closed' } });
    await page.getByText('No open tickets.').waitFor();
    expect(await page.locator('#tickets-total').innerText()).toBe('0');
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([overflow, complaints]).toEqual([0, []]);
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `status-${width}.png`) });
    await page.close();
  });

  it('says that a token is not valid, and asks for another', async () => {
    const { page } = await open('index.html');
    await page.getByLabel('Access token').fill('not-a-token');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('This token is not valid').waitFor();
    expect(await page.getByLabel('Access token').isVisible()).toBe(true);
    await page.close();
  });
});
