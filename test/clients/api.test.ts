import { beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type Custodia,
  CustodiaProblem,
  createCustodia,
  etagOf,
  SecretNotShownError,
} from '../../packages/client/src/index.ts';
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

it('registers an integration without a token, logs in with it, and is not shown its secret twice', async () => {
  const first = await createCustodia({ baseUrl: api.url }).integrations.create({
    ...{ app_code: 'acme-billing', display_name: 'Acme billing' },
  });
  const own = { appCode: first.app_code, secret: first.secret };
  const [one, other] = [own, own].map((credentials) => createCustodia({ baseUrl: api.url, credentials }));
  expect((await one?.integrations.get(first.id))?.display_name).toBe('Acme billing');
  // Another token repeats the rotation: only the one that asked first is shown its result again.
  const idempotencyKey = 'rotation-1';
  const rotated = await one?.integrations.rotateSecret(first.id, {}, { idempotencyKey });
  expect(rotated?.secret).toMatch(/^cst_/);
  await expect(other?.integrations.rotateSecret(first.id, {}, { idempotencyKey })).rejects.toThrow(SecretNotShownError);
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

it('changes a record as it was read, and no other', async () => {
  const made = await custodia.clients.create({ name: 'Tasca', slug: 'tasca' });
  const ifMatch = etagOf(made);
  const changed = await custodia.clients.update(made.id, { plan: 'pro' }, { ifMatch });
  expect([changed.plan, etagOf(changed) === ifMatch]).toEqual(['pro', false]);
  const late = await custodia.clients.update(made.id, { plan: 'basic' }, { ifMatch }).catch((error: unknown) => error);
  expect(late).toMatchObject({ status: 412 });
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

it('delivers a signed webhook, once under its id', async () => {
  const event = { event_type: 'client.created', data: { name: 'Café ☂' } };
  const delivered = await custodia.sendWebhook(event, { eventId: 'evt-1' });
  expect(delivered).toMatchObject({ eventId: 'evt-1', receipt: { received: true, app: credentials.appCode } });
  expect(await custodia.sendWebhook(event, { eventId: 'evt-1' })).toEqual({ eventId: 'evt-1', receipt: undefined });
});

it('attaches a file and gets it back, whichever responses are lost', async () => {
  const { id } = await custodia.tickets.create(TICKET);
  const file = new File(['héllo'], 'a.txt', { type: 'text/plain;charset=utf-8' });
  const once = new Set<string>();
  const losing = async (request: Request): Promise<Response> => {
    const response = await unreliable(request);
    const isFirst = !once.has(request.url);
    once.add(request.url);
    if (isFirst) throw new TypeError('the connection was reset');
    return response;
  };
  const timing = { sleep: async () => undefined };
  const careless = createCustodia({ baseUrl: api.url, credentials, fetch: losing, timing });
  const attachment = await careless.uploadAttachment(id, file, { isInternal: true });
  expect(attachment).toMatchObject({ name: 'a.txt', media_type: 'text/plain', size: 6, is_internal: true });
  expect(attachment.uploaded_at).not.toBeNull();
  expect(seen.filter(({ status }) => status >= 400).map(({ status }) => status)).toEqual([412]);
  expect(await (await careless.downloadAttachment(id, attachment.id)).text()).toBe('héllo');
  const { data } = await custodia.attachments.list(id).page();
  expect(data).toEqual([attachment]);
});
