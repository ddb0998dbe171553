import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** What other systems call records by: unique, looked for, and upserted by. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const rival = prepared(async () => callsOf(api, (await api.orgToken()).token));
const client = prepared(() => acme.create('/api/v1/clients', { name: 'Acme' }));

const newId = (): string => `crm:${randomUUID()}`;

/** The fields of a new record of each kind. */
const KINDS: Readonly<Record<string, () => JsonBody>> = {
  clients: () => ({ name: 'Bistro' }),
  services: () => ({ client_id: client.id, name: 'Till', type: 'saas' }),
  tickets: () => newTicket({}),
  users: () => ({ email: `${randomUUID()}@acme.example` }),
  terminals: () => ({ client_id: client.id, name: 'Front desk' }),
};

const idsOf = async (kind: string, external_id: string, by: Calls = acme) => {
  const { data, total } = await by.read(`/api/v1/${kind}?${new URLSearchParams({ external_id })}`);
  expect(total).toBe(data.length);
  return data.map(({ id }) => id);
};

describe.each(Object.keys(KINDS))('the external id of %s', (kind) => {
  const path = `/api/v1/${kind}`;
  const fields = (more: JsonBody = {}): JsonBody => ({ ...KINDS[kind]?.(), ...more });

  it('is null, or of one record at a time', async () => {
    const id = newId();
    const without = await acme.create(path, fields());
    const made = await acme.create(path, fields({ external_id: ` ${id}\u200b` }));
    expect([without.external_id, made.external_id]).toEqual([null, id]);
    expect([await idsOf(kind, id), await idsOf(kind, `${id} `)]).toEqual([[made.id], [made.id]]);
    for (const taken of [
      await acme.ask('POST', path, fields({ external_id: id })),
      await acme.ask('PATCH', `${path}/${without.id}`, { external_id: id }),
    ])
      expect([taken.status, taken.body.type, taken.body.errors]).toEqual([
        409,
        'urn:problem-type:custodia:already-exists',
        pointsAt('external_id'),
      ]);
    expect((await acme.ask('PATCH', `${path}/${made.id}`, { external_id: null })).body.external_id).toBeNull();
    expect((await acme.ask('PATCH', `${path}/${without.id}`, { external_id: id })).status).toBe(200);
    expect(await idsOf(kind, id)).toEqual([without.id]);
  });

  it('is that of each organization, and of each kind', async () => {
    const id = newId();
    const made = await acme.create(path, fields({ external_id: id }));
    expect(await idsOf(kind, id, rival)).toEqual([]);
    const other = kind === 'clients' ? 'users' : 'clients';
    await acme.create(`/api/v1/${other}`, { ...KINDS[other]?.(), external_id: id });
    expect((await rival.create('/api/v1/clients', { name: 'Theirs', external_id: id })).external_id).toBe(id);
    expect(await idsOf(kind, id)).toEqual([made.id]);
  });
});

describe('a text', () => {
  const post = (external_id: unknown) => acme.ask('POST', '/api/v1/clients', { name: 'x', external_id });

  it('of 500 characters of any length in bytes is one, and none longer, empty or of another type', async () => {
    expect((await post(`${randomUUID()}${'🧾'.repeat(464)}`)).status).toBe(201);
    // A list's query has a bound of its own.
    const most = `${randomUUID()}${'🧾'.repeat(270)}`;
    const other = `${most.slice(0, -2)}🏪`;
    const made = [await post(most), await post(other)];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect([await idsOf('clients', most), await idsOf('clients', other)]).toEqual(made.map(({ body }) => [body.id]));
    expect((await post(most)).status).toBe(409);
    for (const wrong of ['', ' \u200b', 'x'.repeat(501), 7, { id: 'x' }, 'x'.repeat(900_000)]) {
      const { status, body } = await post(wrong);
      expect([status, body.errors]).toEqual([422, pointsAt('external_id')]);
    }
  });

  it('is found by no word', async () => {
    const id = `nowhere${randomUUID().replaceAll('-', '')}`;
    await post(id);
    expect((await acme.read(`/api/v1/clients?q=${id}`)).data).toEqual([]);
  });
});
