import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Custodia, CustodiaProblem, createCustodia, signWebhook } from '../../clients/typescript/src/index.ts';
import { useApi } from '../support/use-api.ts';

/** `@custodia/client` against the API, as its callers write it. */

const CONTACT = '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11';
const TICKET = { subject: 'No light', description: 'Silent.', source: 'email', contact_id: CONTACT };

const api = useApi();
let credentials: { readonly appCode: string; readonly secret: string };
let custodia: Custodia;
/** Of each request and of each response, in order. */
const seen: { readonly path: string; readonly key: string | null; readonly status: number }[] = [];
/** Responses that get lost on their way back, from now on. */
let lost = 0;

async function unreliable(request: Request): Promise<Response> {
  const { pathname: path } = new URL(request.url);
  const key = request.headers.get('idempotency-key');
  const response = await fetch(request);
  seen.push({ path, key, status: response.status });
  if (lost-- > 0) throw new TypeError('the connection was reset');
  return response;
}

beforeAll(async () => {
  const { appCode, secret } = await api.orgToken();
  credentials = { appCode, secret };
  const timing = { sleep: async () => undefined };
  custodia = createCustodia({ baseUrl: api.url, credentials, fetch: unreliable, timing });
});
beforeEach(() => {
  lost = 0;
  seen.length = 0;
});

it('registers an integration without a token, and logs in with it', async () => {
  const body = { app_code: 'acme-billing', display_name: 'Acme billing' };
  const { data: first } = await createCustodia({ baseUrl: api.url }).POST('/api/v1/integrations', { body });
  const own = { appCode: first.app_code, secret: String(first.secret) };
  const { data } = await createCustodia({ baseUrl: api.url, credentials: own }).GET('/api/v1/integrations/{id}', {
    params: { path: { id: first.id } },
  });
  expect(data.display_name).toBe('Acme billing');
});

it('creates once although the first response is lost, and logs in once for all', async () => {
  await custodia.GET('/api/v1/permissions');
  lost = 1;
  const body = { name: 'Bistro', slug: 'bistro' };
  const { data: client, response } = await custodia.POST('/api/v1/clients', { body });
  expect(response.headers.get('idempotent-replayed')).toBe('true');
  const { data: list } = await custodia.GET('/api/v1/clients');
  expect(list.data.map(({ id }) => id)).toEqual([client.id]);
  const attempts = seen.filter(({ key }) => key !== null);
  expect(attempts.map(({ status }) => status)).toEqual([201, 201]);
  expect(attempts[0]?.key).toBe(attempts[1]?.key);
  expect(seen.filter(({ path }) => path.endsWith('/auth/login'))).toHaveLength(1);
});

it('reads all pages of a list, all messages of a ticket, and a ticket until it is closed', async () => {
  const subjects = ['a', 'b', 'c'];
  let path = { id: '' };
  for (const subject of subjects) {
    const { data } = await custodia.POST('/api/v1/tickets', { body: { ...TICKET, subject } });
    path = { id: data.id };
  }
  const found: string[] = [];
  const query = { status: 'open', page_size: 2, sort: 'created_at' } as const;
  for await (const { subject } of custodia.records('/api/v1/tickets', { params: { query } })) found.push(subject);
  expect(found).toEqual(subjects);

  const params = { path };
  for (const message of ['first', 'second']) {
    const body = { author_type: 'contact', author_id: CONTACT, message };
    await custodia.POST('/api/v1/tickets/{id}/messages', { params, body });
  }
  const messages: string[] = [];
  for await (const { message } of custodia.records('/api/v1/tickets/{id}/messages', { params })) messages.push(message);
  expect(messages).toEqual(['first', 'second']);

  let waits = 0;
  const sleep = async () => {
    if (++waits === 3) await custodia.PATCH('/api/v1/tickets/{id}', { params, body: { status: 'closed' } });
  };
  const states: string[] = [];
  const watcher = createCustodia({ baseUrl: api.url, credentials, timing: { sleep } });
  for await (const { status } of watcher.watch('/api/v1/tickets/{id}', { params })) {
    states.push(status);
    if (status === 'closed') break;
  }
  expect([states, waits]).toEqual([['open', 'closed'], 3]);
});

it('throws problems with their field errors', async () => {
  const body = { ...TICKET, subject: '' };
  const problem = await custodia.POST('/api/v1/tickets', { body }).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(CustodiaProblem);
  expect(problem).toMatchObject({
    ...{ status: 422, type: 'urn:problem-type:custodia:invalid-body', errors: [{ in: 'body', pointer: '#/subject' }] },
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

it('logs in again when its tokens are revoked', async () => {
  const { data: all } = await custodia.GET('/api/v1/integrations');
  const path = { id: all.data.find(({ app_code }) => app_code === credentials.appCode)?.id ?? '' };
  await custodia.POST('/api/v1/integrations/{id}/revoke-tokens', { params: { path } });
  const { data } = await custodia.GET('/api/v1/integrations/{id}', { params: { path } });
  expect(data.app_code).toBe(credentials.appCode);
});

it('delivers a signed webhook', async () => {
  const text = JSON.stringify({ event_type: 'client.created', data: { name: 'Café ☂' } });
  const header = { 'X-Signature': await signWebhook(text, credentials.secret), 'X-Event-ID': 'evt-1' };
  const params = { path: { app_code: credentials.appCode }, header };
  const init = { params, body: JSON.parse(text), bodySerializer: () => text };
  const { data } = await custodia.POST('/api/v1/webhooks/{app_code}', init);
  expect(data).toMatchObject({ received: true, app: credentials.appCode });
});
