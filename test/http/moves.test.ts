import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import { MOST_MOVED } from '../../functions/resources/limits.ts';
import type { JsonBody } from '../support/api.ts';
import { GatedHandler } from '../support/gate.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { newTenant, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** Services, resources and terminals that go to another client. */

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const acme = prepared(() => newTenant(api));
const rival = prepared(() => newTenant(api));

const make = async (kind: string, fields: JsonBody, by = acme) => (await by.create(`/api/v1/${kind}`, fields)).id;
const client = (by = acme) => make('clients', { name: 'Acme' }, by);
const service = (client_id: string, fields: JsonBody = {}) =>
  make('services', { client_id, name: 'Till', type: 'saas', ...fields });
const resource = (client_id: string, fields: JsonBody = {}) =>
  make('resources', { client_id, name: 'db-1', type: 'server', ...fields });
const move = (kind: string, id: string, client_id: string, by = acme) =>
  by.ask('POST', `/api/v1/${kind}/${id}/move`, { client_id });
const read = (kind: string, id: string) => acme.read(`/api/v1/${kind}/${id}`);
const idsOf = async (path: string) => (await acme.read(`/api/v1/${path}`)).data.map(({ id }) => id).toSorted();

const SICK = { health_status: 'degraded' };

/** What a client has, by its counters. */
async function countsOf(id: string) {
  const { services_count, total_resources, has_risks } = await read('clients', id);
  const isFound = (await idsOf('clients?has_risks=true')).includes(id);
  return [services_count, total_resources, has_risks, isFound];
}

describe.each<[string, (client_id: string) => Promise<string>]>([
  ['terminals', (client_id) => make('terminals', { client_id, name: 'Desk' })],
  ['resources', (client_id) => resource(client_id)],
  ['services', (client_id) => service(client_id)],
])('one of %s', (kind, made) => {
  it('moves to another client, under its id, with an event and its history', async () => {
    const [from, to] = [await client(), await client()];
    const id = await made(from);
    const before = await read(kind, id);
    const moved = await move(kind, id, to);
    expect([moved.status, moved.body]).toEqual([200, { ...before, client_id: to, ...changedIn(moved.body) }]);
    expect(await read(kind, id)).toEqual(moved.body);
    expect([await idsOf(`${kind}?client_id=${from}`), await idsOf(`${kind}?client_id=${to}`)]).toEqual([[], [id]]);
    const { data: events } = await acme.read(`/api/v1/events?record_id=${id}`);
    expect(events.map(({ type }) => String(type).split('.')[1])).toEqual(['created', 'moved']);
    const { data: changes } = await acme.read(`/api/v1/${kind}/${id}/changes`);
    expect(changes[0]).toMatchObject({ changes: { client_id: { from, to } } });
    // It is there already: such as after a lost response.
    expect((await move(kind, id, to)).body).toEqual(moved.body);
    expect((await acme.read(`/api/v1/events?record_id=${id}`)).data).toHaveLength(2);
  });

  it('does not move to a client that does not exist, nor to another tenant’s', async () => {
    const id = await made(await client());
    const before = await read(kind, id);
    for (const nowhere of [randomUUID(), await client(rival)]) {
      const refused = await move(kind, id, nowhere);
      expect([refused.status, refused.body.errors]).toEqual([422, pointsAt('client_id')]);
    }
    expect(await read(kind, id)).toEqual(before);
    expect((await move(kind, id, await client(rival), rival)).status).toBe(404);
  });
});

const changedIn = ({ updated_at }: JsonBody): JsonBody => (updated_at === undefined ? {} : { updated_at });

it('a terminal that moves while a batch is carried out is read anew', async () => {
  const [from, to] = [await client(), await client()];
  const terminal_id = await make('terminals', { client_id: from, name: 'Desk' });
  const opened = (client_id: string) => ({
    ...{ key: client_id, operation: 'createTicket', body: { ...newTicket(), client_id, terminal_id } },
  });
  const held = gate.hold('TransactWriteItems');
  const batch = acme.ask('POST', '/api/v1/batch', { operations: [opened(from), opened(to)] });
  const release = await held;
  expect((await move('terminals', terminal_id, to)).status).toBe(200);
  release();
  expect((await batch).body.counts).toEqual({ 201: 2 });
});

describe('a resource', () => {
  it('takes its risk along', async () => {
    const [from, to] = [await client(), await client()];
    const id = await resource(from, SICK);
    await move('resources', id, to);
    expect([await countsOf(from), await countsOf(to)]).toEqual([
      [0, 0, false, false],
      [0, 1, true, true],
    ]);
  });

  it('of a service does not move without it', async () => {
    const [from, to] = [await client(), await client()];
    const id = await resource(from, { service_id: await service(from) });
    const refused = await move('resources', id, to);
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt('client_id')]);
    await acme.ask('PATCH', `/api/v1/resources/${id}`, { service_id: null });
    expect((await move('resources', id, to)).status).toBe(200);
  });
});

describe('a service', () => {
  it('takes its resources and their risks along, and no others', async () => {
    const [from, to] = [await client(), await client()];
    const moving = await service(from, SICK);
    const staying = await service(from);
    const along: string[] = [];
    for (const fields of [SICK, {}, SICK]) along.push(await resource(from, { service_id: moving, ...fields }));
    const left = [await resource(from, { service_id: staying }), await resource(from)].toSorted();
    await resource(to, SICK);
    expect([await countsOf(from), await countsOf(to)]).toEqual([
      [2, 5, true, true],
      [0, 1, true, true],
    ]);
    expect((await move('services', moving, to)).status).toBe(200);
    expect([await countsOf(from), await countsOf(to)]).toEqual([
      [1, 2, false, false],
      [1, 4, true, true],
    ]);
    expect(await idsOf(`resources?client_id=${from}`)).toEqual(left);
    expect(await idsOf(`resources?client_id=${to}&service_id=${moving}`)).toEqual(along.toSorted());
    for (const id of along)
      expect((await acme.read(`/api/v1/events?record_id=${id}`)).data[1]?.type).toBe('resource.moved');
    // And back, to a client without risks.
    expect((await move('services', moving, from)).status).toBe(200);
    expect([await countsOf(from), await countsOf(to)]).toEqual([
      [2, 5, true, true],
      [0, 1, true, true],
    ]);
  });

  it('takes a number of them, and says what to do with more', async () => {
    const [from, to] = [await client(), await client()];
    const id = await service(from);
    for (let made = 0; made < MOST_MOVED; made++) await resource(from, { service_id: id, ...SICK });
    expect((await move('services', id, to)).status).toBe(200);
    expect([await countsOf(from), await countsOf(to)]).toEqual([
      [0, 0, false, false],
      [1, MOST_MOVED, true, true],
    ]);
    await resource(to, { service_id: id });
    const refused = await move('services', id, from);
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt('client_id')]);
    expect(await countsOf(to)).toEqual([1, MOST_MOVED + 1, true, true]);
  });

  it('shows its credentials to whom may read them, which is counted as a read of a service', async () => {
    const [from, to] = [await client(), await client()];
    const credentials = { user: 'deploy' };
    const id = await service(from, { credentials });
    const weak = await keyMadeBy(api, acme, { permissions: ['services:write', 'resources:credentials'] });
    const strong = await keyMadeBy(api, acme, { permissions: ['services:write', 'services:credentials'] });
    const reads = async () => (await acme.read(`/api/v1/audit-events?record_type=Service&record_id=${id}`)).total;
    const before = Number(await reads());
    expect((await move('services', id, to, { ...acme, ...weak })).body.credentials).toBeNull();
    expect(await reads()).toBe(before);
    expect((await move('services', id, from, { ...acme, ...strong })).body.credentials).toEqual(credentials);
    expect(await reads()).toBe(before + 1);
  });

  it('with resources is moved by who may change these, too', async () => {
    const weak = await keyMadeBy(api, acme, { permissions: ['services:write'] });
    const [from, to] = [await client(), await client()];
    const id = await service(from);
    expect((await move('services', id, to, { ...acme, ...weak })).status).toBe(200);
    await resource(to, { service_id: id });
    expect((await move('services', id, from, { ...acme, ...weak })).status).toBe(403);
  });

  it('and a resource that joins or leaves it at the same time are of one client afterwards', async () => {
    for (let round = 0; round < 4; round++) {
      const [from, to] = [await client(), await client()];
      const id = await service(from);
      const leaving = await resource(from, { service_id: id });
      const free = await resource(from);
      const responses = await Promise.all([
        move('services', id, to),
        acme.ask('POST', '/api/v1/resources', { client_id: from, service_id: id, name: 'db-2', type: 'server' }),
        acme.ask('PATCH', `/api/v1/resources/${leaving}`, { service_id: null }),
        acme.ask('PATCH', `/api/v1/resources/${free}`, { service_id: id }),
      ]);
      expect(responses.map(({ status }) => status).filter((status) => ![200, 201, 409, 422].includes(status))).toEqual(
        [],
      );
      const { client_id } = await read('services', id);
      const { data } = await acme.read(`/api/v1/resources?service_id=${id}`);
      expect(data.filter((each) => each.client_id !== client_id)).toEqual([]);
      const counts = await Promise.all([from, to].map(countsOf));
      expect(counts.map(([services]) => services)).toEqual(client_id === to ? [0, 1] : [1, 0]);
      for (const [index, owner] of [from, to].entries())
        expect(counts[index]?.[1]).toBe((await acme.read(`/api/v1/resources?client_id=${owner}`)).total);
    }
  });
});
