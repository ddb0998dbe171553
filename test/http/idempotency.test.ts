import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { configureTable } from '#table';
import { FaultyHandler } from '../support/faults.ts';
import { forgetIds } from '../support/other-container.ts';
import { prepared } from '../support/prepared.ts';
import { newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

const wire = new FaultyHandler();
const api = useApi();
beforeAll(() => configureTable({ requestHandler: wire }));
const org = prepared(() => api.orgToken());

const create = (key: string, body: unknown, token = org.token, path = '/api/v1/clients') =>
  api.request('POST', path, { token, body, headers: { 'idempotency-key': key } });
const clientCount = async () => (await api.request('GET', '/api/v1/clients', { token: org.token })).body.total;
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

describe('a create with an idempotency key', () => {
  it('gives its first response again and creates nothing', async () => {
    const key = randomUUID();
    const first = await create(key, { name: 'Acme', slug: `acme-${key}` });
    const before = await clientCount();
    const second = await create(key, { slug: `acme-${key}`, name: 'Acme' });
    expect([first.status, replayed(first)]).toEqual([201, null]);
    expect([second.status, replayed(second), second.body]).toEqual([201, 'true', first.body]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await clientCount()).toBe(before);
  });

  it('creates one record when sixteen come at once', async () => {
    const key = randomUUID();
    const before = Number(await clientCount());
    const responses = await Promise.all(
      Array.from({ length: 16 }, () => create(key, { name: 'Race', slug: `race-${key}` })),
    );
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(responses.filter((response) => replayed(response) === null)).toHaveLength(1);
    expect(await clientCount()).toBe(before + 1);
  });

  it('refuses the key for another request: 422', async () => {
    const key = randomUUID();
    await create(key, { name: 'One' });
    for (const response of [
      await create(key, { name: 'Two' }),
      await create(key, { level: 'info', message: 'x' }, org.token, '/api/v1/logs/ingest'),
    ]) {
      expect([response.status, response.body.type]).toEqual([422, 'urn:problem-type:custodia:idempotency-key-reused']);
    }
  });

  it('does not remember a refusal', async () => {
    const key = randomUUID();
    expect((await create(key, { name: 7 })).status).toBe(422);
    const response = await create(key, { name: 'Seven' });
    expect([response.status, replayed(response)]).toEqual([201, null]);
  });

  it('has keys of its own integration', async () => {
    const key = randomUUID();
    const other = await api.orgToken();
    const [mine, theirs] = [await create(key, { name: 'Mine' }), await create(key, { name: 'Mine' }, other.token)];
    expect([theirs.status, replayed(theirs)]).toEqual([201, null]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('returns a secret that is shown once', async () => {
    const key = randomUUID();
    const body = { app_code: `key-${key}`, display_name: 'By key' };
    const first = await create(key, body, org.token, '/api/v1/integrations');
    const second = await create(key, body, org.token, '/api/v1/integrations');
    expect([second.status, second.body.secret]).toEqual([201, first.body.secret]);
    expect(String(first.body.secret)).toMatch(/^cst_/);
  });

  it('takes a record as large as without a key', async () => {
    const key = randomUUID();
    const body = { name: 'Large', metadata: { text: '"x" '.repeat(10_000) } };
    const [first, second] = [await create(key, body), await create(key, body)];
    expect([first.status, second.status, replayed(second)]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
  });

  it('refuses a key that is no key: 400', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)]) {
      const { status, body } = await create(key, { name: 'Never' });
      expect([status, body.errors]).toEqual([
        400,
        [{ in: 'header', pointer: '#/Idempotency-Key', detail: expect.any(String) }],
      ]);
    }
  });
});

describe('a key that was used', () => {
  const used = async () => {
    const key = randomUUID();
    const { body } = await create(key, { name: 'Used' });
    return { key, id: body.id };
  };
  const callsOf = async (work: () => Promise<unknown>) => {
    wire.follow(() => undefined);
    await work();
    return [...wire.calls].sort();
  };

  it('takes no number where the same container has used it', async () => {
    const { key } = await used();
    expect(await callsOf(() => create(key, { name: 'Used' }))).toEqual(['GetItem', 'GetItem']);
  });

  it('is found by another container beside its work, which it then undoes', async () => {
    const { key, id } = await used();
    const before = await clientCount();
    forgetIds();
    const calls = await callsOf(async () => {
      const again = await create(key, { name: 'Used' });
      expect([again.status, replayed(again), again.body.id]).toEqual([201, 'true', id]);
    });
    // Suspension, key and the numbers of the client and its event at once; then both numbers are released.
    expect(calls).toEqual(['GetItem', 'GetItem', ...Array(4).fill('UpdateItem')]);
    expect(await clientCount()).toBe(before);
  });

  it('is refused by another container for another request', async () => {
    const { key } = await used();
    const before = await clientCount();
    forgetIds();
    expect((await create(key, { name: 'Other' })).body.type).toMatch(/idempotency-key-reused$/);
    expect(await clientCount()).toBe(before);
  });

  it('counts in another container before a refusal of what could not be done again', async () => {
    const ticket = await create(randomUUID(), newTicket(), org.token, TICKETS);
    const path = `${TICKETS}/${ticket.body.id}`;
    const key = randomUUID();
    const message = newMessage();
    const write = () => create(key, message, org.token, `${path}/messages`);
    const first = await write();
    expect((await api.request('DELETE', path, { token: org.token })).status).toBe(204);
    forgetIds();
    const again = await write();
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
  });
});
