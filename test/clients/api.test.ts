import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Custodia, CustodiaProblem, createCustodia, signWebhook } from '../../clients/typescript/src/index.ts';
import { type Api, startApi } from '../support/api.ts';

/** `@custodia/client` against the API: the README's tour as the client's callers write it. */

const CONTACT = '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11';

let api: Api;
let credentials: { readonly appCode: string; readonly secret: string };
let custodia: Custodia;
/** Of each request and of each answer, in order. */
const seen: { readonly path: string; readonly key: string | null; readonly status: number }[] = [];
/** Answers that get lost on their way back, from now on. */
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
  api = await startApi();
  const org = await api.orgToken();
  credentials = { appCode: org.appCode, secret: org.secret };
  const timing = { sleep: async () => undefined };
  custodia = createCustodia({ baseUrl: api.url, credentials, fetch: unreliable, timing });
});
afterAll(() => api.close());

it('registers an integration without a token, and logs in with it', async () => {
  const body = { app_code: 'acme-billing', display_name: 'Acme billing' };
  const { data: first } = await createCustodia({ baseUrl: api.url }).POST('/api/v1/integrations', { body });
  const own = createCustodia({
    baseUrl: api.url,
    credentials: { appCode: first.app_code, secret: String(first.secret) },
  });
  const { data } = await own.GET('/api/v1/integrations/{id}', { params: { path: { id: first.id } } });
  expect(data.display_name).toBe('Acme billing');
});

it('creates once although the first answer is lost, and logs in once for all', async () => {
  lost = 0;
  await custodia.GET('/api/v1/permissions');
  const before = seen.length;
  lost = 1;
  const { data: client, response } = await custodia.POST('/api/v1/clients', {
    body: { name: 'Bistro', slug: 'bistro' },
  });
  expect(response.headers.get('idempotent-replayed')).toBe('true');
  const { data: list } = await custodia.GET('/api/v1/clients');
  expect(list.data.map(({ id }) => id)).toEqual([client.id]);
  const attempts = seen.slice(before).filter(({ key }) => key !== null);
  expect(attempts.map(({ status }) => status)).toEqual([201, 201]);
  expect(attempts[0]?.key).toBe(attempts[1]?.key);
  expect(seen.filter(({ path }) => path.endsWith('/auth/login'))).toHaveLength(1);
});

it('reads all pages of a list, and all messages of a ticket', async () => {
  const subjects = ['a', 'b', 'c', 'd', 'e'];
  const id = await subjects.reduce<Promise<string>>(async (before, subject) => {
    await before;
    const body = { subject, description: 'Silent.', source: 'email', contact_id: CONTACT };
    return (await custodia.POST('/api/v1/tickets', { body })).data.id;
  }, Promise.resolve(''));
  const found: string[] = [];
  const query = { status: 'open', page_size: 2, sort: 'created_at' } as const;
  for await (const { subject } of custodia.records('/api/v1/tickets', { params: { query } })) found.push(subject);
  expect(found).toEqual(subjects);

  const params = { path: { id } };
  for (const message of ['first', 'second']) {
    const body = { author_type: 'contact', author_id: CONTACT, message };
    await custodia.POST('/api/v1/tickets/{id}/messages', { params, body });
  }
  const messages: string[] = [];
  for await (const { message } of custodia.records('/api/v1/tickets/{id}/messages', { params })) messages.push(message);
  expect(messages).toEqual(['first', 'second']);
});

it('watches a ticket until it is closed', async () => {
  const body = { subject: 'f', description: 'Silent.', source: 'email', contact_id: CONTACT };
  const { data: ticket } = await custodia.POST('/api/v1/tickets', { body });
  const path = { id: ticket.id };
  const states: string[] = [];
  let rounds = 0;
  const sleep = async () => {
    if (++rounds === 3) await custodia.PATCH('/api/v1/tickets/{id}', { params: { path }, body: { status: 'closed' } });
  };
  const watcher = createCustodia({ baseUrl: api.url, credentials, timing: { sleep } });
  for await (const { status } of watcher.watch('/api/v1/tickets/{id}', { params: { path } })) {
    states.push(status);
    if (status === 'closed') break;
  }
  expect([states, rounds]).toEqual([['open', 'closed'], 3]);
});

it('throws problems with their findings', async () => {
  const body = { subject: '', description: 'Silent.', source: 'email', contact_id: CONTACT };
  const problem = await custodia.POST('/api/v1/tickets', { body }).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(CustodiaProblem);
  expect(problem).toMatchObject({
    status: 422,
    type: 'urn:problem-type:custodia:invalid-body',
    errors: [{ in: 'body', pointer: '#/subject' }],
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const path = { id: CONTACT };
  const missing = await custodia.GET('/api/v1/tickets/{id}', { params: { path } }).catch((error: unknown) => error);
  expect(missing instanceof CustodiaProblem && missing.is('not-found')).toBe(true);
});

it('logs in again when its tokens are revoked', async () => {
  const { data: all } = await custodia.GET('/api/v1/integrations');
  const id = all.data.find(({ app_code }) => app_code === credentials.appCode)?.id ?? '';
  await custodia.POST('/api/v1/integrations/{id}/revoke-tokens', { params: { path: { id } } });
  const { data } = await custodia.GET('/api/v1/integrations/{id}', { params: { path: { id } } });
  expect(data.app_code).toBe(credentials.appCode);
});

it('delivers a signed webhook', async () => {
  const text = JSON.stringify({ event_type: 'client.created', data: { name: 'Café ☂' } });
  const header = { 'X-Signature': await signWebhook(text, credentials.secret), 'X-Event-ID': 'evt-1' };
  const params = { path: { app_code: credentials.appCode }, header };
  const { data } = await custodia.POST('/api/v1/webhooks/{app_code}', {
    ...{ params, body: JSON.parse(text) },
    bodySerializer: () => text,
  });
  expect(data).toMatchObject({ received: true, app: credentials.appCode });
});
