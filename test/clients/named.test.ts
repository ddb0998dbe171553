import { describe, expect, it } from 'vitest';
import { type Custodia, etagOf, SecretNotShownError } from '../../packages/client/src/index.ts';
import { all, fakeClient, json } from './fake.ts';

/** Calls of `@custodia/client` by readable names, over responses that are written down. */

const ID = 'a/b';
const TICKET = { subject: 'No receipts', description: 'Silent.', source: 'email', contact_id: 'someone' };

describe('a call by name', () => {
  it.each<[string, (custodia: Custodia) => Promise<unknown>, string, unknown?, Record<string, string>?]>([
    ['reads', ({ tickets }) => tickets.get(ID), 'GET tickets/a%2Fb'],
    ['reads with a query', ({ tickets }) => tickets.get(ID, { org_id: 'o' }), 'GET tickets/a%2Fb?org_id=o'],
    [
      'reads with a query in its options',
      ({ tickets }) => tickets.get(ID, {}, { query: { org_id: 'o' } }),
      'GET tickets/a%2Fb?org_id=o',
    ],
    ['reads of two', ({ services }) => services.getOfClient('c', 's'), 'GET services/client/c/s'],
    ['creates', ({ tickets }) => tickets.create(TICKET), 'POST tickets', TICKET, { 'idempotency-key': 'key-1' }],
    [
      'creates under a key',
      ({ tickets }) => tickets.create(TICKET, { idempotencyKey: 'mine', query: { org_id: 'o' } }),
      'POST tickets?org_id=o',
      TICKET,
      { 'idempotency-key': 'mine' },
    ],
    [
      'changes',
      ({ tickets }) => tickets.update(ID, { status: 'closed' }, { ifMatch: '"1"', headers: { 'x-mine': 'yes' } }),
      'PATCH tickets/a%2Fb',
      { status: 'closed' },
      { 'if-match': '"1"', 'x-mine': 'yes' },
    ],
    [
      'deletes',
      ({ tickets }) => tickets.delete(ID, { ifMatch: '"1"' }),
      'DELETE tickets/a%2Fb',
      '',
      { 'if-match': '"1"' },
    ],
    ['sends nothing', ({ integrations }) => integrations.revokeTokens(ID), 'POST integrations/a%2Fb/revoke-tokens'],
  ])('%s', async (_, call, target, body = '', headers = {}) => {
    const { custodia, sent } = fakeClient(() => json({ id: ID }));
    expect(await call(custodia)).toEqual({ id: ID });
    const [only] = sent;
    expect(sent).toHaveLength(1);
    expect(`${only?.method} ${only?.target.replace('/stage/api/v1/', '')}`).toBe(target);
    expect(only?.body === '' ? '' : JSON.parse(only?.body ?? '')).toEqual(body);
    expect(Object.fromEntries(only?.headers ?? [])).toMatchObject(headers);
  });

  it('gives what comes back where that is nothing or a text', async () => {
    const { custodia } = fakeClient(({ method }) => new Response(method === 'GET' ? '<h1>Custodia</h1>' : null));
    expect(await custodia.docs.get()).toBe('<h1>Custodia</h1>');
    expect((await custodia.GET('/api/v1/docs')).data).toBe('<h1>Custodia</h1>');
    expect(await custodia.tickets.delete(ID)).toBeUndefined();
  });

  it('ends with its signal', async () => {
    const { custodia } = fakeClient(() => json({}));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(custodia.tickets.get(ID, {}, { signal })).rejects.toThrow('enough');
    await expect(custodia.tickets.list({}, { signal }).page()).rejects.toThrow('enough');
  });
});

it('a list gives its records, its pages or one page, and sends nothing before it is asked', async () => {
  const { custodia, sent } = fakeClient(({ target }) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1);
    return json({ data: [`${page}a`, `${page}b`], page, page_size: 2, total: 4 }, 200, { etag: `"${page}"` });
  });
  const tickets = custodia.tickets.list({ status: 'open', page_size: 2 });
  expect(sent).toEqual([]);
  expect(await all(tickets)).toEqual(['1a', '1b', '2a', '2b']);
  expect((await all(tickets.pages())).map(({ page }) => page)).toEqual([1, 2]);
  expect((await custodia.tickets.list({ page: 2 }).page()).data).toEqual(['2a', '2b']);
  for await (const { total } of tickets.watch({ every: 1000 })) {
    expect(total).toBe(4);
    break;
  }
  expect(sent.at(-1)?.target).toBe('/stage/api/v1/tickets?status=open&page_size=2');
  expect(await all(custodia.tickets.listMessages(ID))).toEqual(['1a', '1b', '2a', '2b']);
});

it('a record has the tag with which it was read; one of a list has none, and is not changed without', async () => {
  const record = { id: ID };
  const { custodia } = fakeClient(({ target }) =>
    json(target.endsWith('/tickets') ? { data: [record] } : record, 200, { etag: '"7"' }),
  );
  expect(etagOf(await custodia.tickets.get(ID))).toBe('"7"');
  for await (const listed of custodia.tickets.list()) expect(() => etagOf(listed)).toThrow('This record has no ETag');
});

it('an empty tag is refused, not left out', async () => {
  const { custodia, sent } = fakeClient(() => json({}));
  for (const ifMatch of ['', undefined, null])
    await expect(custodia.tickets.delete(ID, { ifMatch: ifMatch as string })).rejects.toThrow('ifMatch is empty');
  expect(sent).toEqual([]);
});

it.each(['', '.', '..', undefined])('the id %j makes no other path, such as that of a list', async (id) => {
  const { custodia, sent } = fakeClient(() => json({}));
  const given = id as string;
  const path = { id: given };
  for (const call of [
    () => custodia.tickets.get(given),
    () => custodia.tickets.delete(given),
    () => all(custodia.tickets.listMessages(given)),
    () => custodia.GET('/api/v1/tickets/{id}', { params: { path } }),
  ])
    await expect(call()).rejects.toThrow(/\{id\}.* needs its id, not "/);
  expect(sent).toEqual([]);
});

it('a secret that is not shown again is an error that says whose, by name; by path it is null', async () => {
  const secrets = ['first', null, 'second', null, null];
  const { custodia } = fakeClient(() => json({ id: 'some-id', secret: secrets.shift() }, 201));
  const body = { app_code: 'acme', display_name: 'Acme' };
  expect((await custodia.integrations.create(body)).secret).toBe('first');
  const failure = await custodia.integrations.create(body).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SecretNotShownError);
  expect(failure).toMatchObject({
    name: 'SecretNotShownError',
    id: 'some-id',
    message: expect.stringContaining('some-id'),
  });
  expect((await custodia.integrations.rotateSecret(ID, {})).secret).toBe('second');
  await expect(custodia.integrations.rotateSecret(ID, {})).rejects.toBeInstanceOf(SecretNotShownError);
  expect((await custodia.POST('/api/v1/integrations', { body })).data.secret).toBeNull();
});
