import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { kinds } from '../../operator/kinds.ts';
import { type Table, tableOf } from '../../shared/table/connection/client.ts';
import {
  cascadeDeletePartition,
  type Key,
  PLATFORM,
  quotaKey,
  recordsPartition,
  setPartition,
  type TenantId,
  uniqueKey,
  valueKey,
} from '../../shared/table/keys.ts';
import { bitPlace } from '../../shared/table/lists/bits.ts';
import { numberOf, sortKeyOf } from '../../shared/table/lists/ids.ts';
import { environmentSession } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import type { Kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { type Api, type JsonBody, type OrgAccess, startApi } from '../support/api.ts';
import { EXTENT } from '../support/extent.ts';
import { operations, TestTenant } from '../support/scenario.ts';

/** Every kind of damage that a tenant's data can have: it is found, nothing else is, and repaired it is whole again. */

let api: Api;
let table: Table;
let org: OrgAccess;
let tenant: TenantId;
let made: Made;
beforeAll(async () => {
  api = await startApi();
  const { tableName, endpoint } = api.table;
  table = tableOf(tableName, { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  org = await api.orgToken();
  tenant = org.orgId as TenantId;
  made = await make();
});
afterAll(() => api.close());

const look = async (repair: boolean, { of = kinds, id = org.orgId }: { of?: readonly Kind[]; id?: string } = {}) =>
  (await verify(Tenant.ofOperator(id, environmentSession(60_000)), of, { repair })).differences;

/** The differences as `kind field`. */
const told = (differences: Awaited<ReturnType<typeof look>>): string[] =>
  differences.map(({ kind, entity, field }) => [kind, entity, field].filter(Boolean).join(' ')).toSorted();

interface Made {
  readonly clients: readonly string[];
  readonly services: readonly string[];
  readonly resources: readonly string[];
  readonly tickets: readonly string[];
  readonly terminals: readonly string[];
}

/** Two clients with what belongs to them. */
async function make(): Promise<Made> {
  const clients = [];
  const services = [];
  const resources = [];
  const tickets = [];
  const terminals = [];
  for (const name of ['one', 'two']) {
    const client_id = await create('/api/v1/clients', { name, slug: `slug-${name}` });
    clients.push(client_id);
    const service_id = await create('/api/v1/services', { client_id, name, type: 'saas', health_status: 'degraded' });
    services.push(service_id);
    for (const status of ['active', 'active', 'stopped']) {
      resources.push(await create('/api/v1/resources', { client_id, service_id, name, type: 'server', status }));
    }
    terminals.push(await create('/api/v1/terminals', { client_id, name }));
    const ticket = { client_id, contact_id: randomUUID(), subject: 's', description: 'd', source: 'email' };
    tickets.push(await create('/api/v1/tickets', ticket));
    const message = { author_type: 'agent', author_id: randomUUID(), message: 'hello' };
    for (let count = 0; count < 3; count++) await create(`/api/v1/tickets/${tickets.at(-1)}/messages`, message);
  }
  return { clients, services, resources, tickets, terminals };
}

async function create(path: string, body: JsonBody): Promise<string> {
  const response = await api.request('POST', path, { token: org.token, body });
  expect([response.status, response.body]).toEqual([201, expect.anything()]);
  return String(response.body.id);
}

const total = async (path: string): Promise<unknown> =>
  (await api.request('GET', `/api/v1/${path}`, { token: org.token })).body.total;

const keyOf = (entity: string, id = ''): Key => ({
  PK: recordsPartition(tenant, entity),
  SK: sortKeyOf(numberOf(id)),
});

const add = (key: Key, attribute: string, amount: number | bigint) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...key },
      UpdateExpression: 'ADD #attribute :amount',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':amount': amount },
    }),
  );

const set = (key: Key, attribute: string, value: unknown) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...key },
      UpdateExpression: 'SET #attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );

const put = (item: Key & JsonBody) => table.client.send(new PutCommand({ TableName: table.name, Item: item }));
const remove = (key: Key) => table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...key } }));
const get = async (key: Key) =>
  (await table.client.send(new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }))).Item;

/** Adds `sign` times the bit of a record to a set of its kind, as if a write had gone wrong. */
const shift = (entity: string, id: string, sign: 1n | -1n, field?: string, value?: string) => {
  const { sortKey, word, bit } = bitPlace(numberOf(id));
  return add({ PK: setPartition(recordsPartition(tenant, entity), field, value), SK: sortKey }, word, sign * bit);
};

const headOf = (entity: string, owner: TenantId = tenant): Key => ({
  PK: setPartition(recordsPartition(owner, entity)),
  SK: 'HEAD',
});

describe('data that nobody has damaged', () => {
  it('has no difference, whatever was done to it', async () => {
    const other = await api.orgToken('Other');
    const testTenant = new TestTenant(api, other);
    for (const [operationId] of operations) await testTenant.send(await testTenant.scenario(operationId));
    expect(await look(false, { id: other.orgId })).toEqual([]);
    expect(await look(false, { id: PLATFORM })).toEqual([]);
    expect(await look(false)).toEqual([]);
  });
});

describe('damage', () => {
  /** What is done, and what must be found then. */
  const damages: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
    [
      'a record that its list lacks',
      () => shift('RESOURCE', made.resources[0] ?? '', -1n, 'status', 'active'),
      ['missing-in-list RESOURCE'],
    ],
    [
      'a number in a list that its record does not belong to',
      () => shift('TICKET', made.tickets[0] ?? '', 1n, 'status', 'pending'),
      ['wrongly-in-list TICKET'],
    ],
    [
      'a number in a list that was never given out',
      () => shift('SERVICE', '00000000-0000-4000-8000-000000000000', 1n, 'client_id', made.clients[1]),
      ['wrongly-in-list SERVICE'],
    ],
    [
      'a number in the list of a word that no record has any more',
      async () => {
        await put({ ...valueKey(recordsPartition(tenant, 'TERMINAL'), 'status', 'retired') });
        await shift('TERMINAL', made.terminals[0] ?? '', 1n, 'status', 'retired');
      },
      ['wrongly-in-list TERMINAL'],
    ],
    [
      'a word that is not noted',
      () => remove(valueKey(recordsPartition(tenant, 'TERMINAL'), 'status', 'active')),
      ['value-not-noted TERMINAL status'],
    ],
    ['a record that is counted as deleted', () => shift('CLIENT', made.clients[0] ?? '', 1n), ['hidden-record CLIENT']],
    [
      'a number whose writer died',
      async () => {
        await add(headOf('TERMINAL'), 'NEXT', 1);
        await set(headOf('TERMINAL'), 'AT', Date.now() - 60_000);
      },
      ['lost-number TERMINAL'],
    ],
    [
      'a bit that was added twice, and carried into another',
      () => shift('RESOURCE', made.resources[1] ?? '', 1n, 'health_status', 'healthy'),
      ['missing-in-list RESOURCE', 'wrongly-in-list RESOURCE'],
    ],
    [
      'a word that has overflowed',
      () => {
        const { sortKey, word } = bitPlace(numberOf(made.resources[0] ?? ''));
        const key = { PK: setPartition(recordsPartition(tenant, 'RESOURCE'), 'status', 'active'), SK: sortKey };
        return add(key, word, 2n ** 100n);
      },
      ['damaged-word RESOURCE'],
    ],
    [
      'a bit that was taken twice, and left the word negative',
      async () => {
        await shift('TERMINAL', made.terminals[0] ?? '', -1n, 'status', 'active');
        await shift('TERMINAL', made.terminals[0] ?? '', -1n, 'status', 'active');
      },
      expect.arrayContaining(['damaged-word TERMINAL']) as never,
    ],
    [
      'an expiring record that its list lacks',
      async () => {
        await create('/api/v1/logs/ingest', { level: 'error', message: 'm' });
        const { body } = await api.request<{ data: { id: string }[] }>('GET', '/api/v1/logs', { token: org.token });
        await shift('LOG', body.data[0]?.id ?? '', -1n, 'level', 'error');
        await shift('LOG', body.data[0]?.id ?? '', 1n, 'level', 'debug');
      },
      ['missing-in-list LOG', 'wrongly-in-list LOG'],
    ],
    ['a head that was set back', () => set(headOf('TICKET'), 'NEXT', 1), ['head-behind TICKET']],
    [
      'counters that are off',
      async () => {
        await add(keyOf('CLIENT', made.clients[0]), 'services_count', 2);
        await add(keyOf('CLIENT', made.clients[0]), 'risks', -1);
        await add(keyOf('CLIENT', made.clients[1]), 'total_resources', 1);
        await add(keyOf('SERVICE', made.services[0]), 'resource_count', -1);
      },
      [
        'counter CLIENT risks',
        'counter CLIENT services_count',
        'counter CLIENT total_resources',
        'counter SERVICE resource_count',
      ],
    ],
    [
      'a ticket that counts too few messages',
      () => add(keyOf('TICKET', made.tickets[0]), 'CHILDREN', -1),
      ['counter TICKET CHILDREN'],
    ],
    [
      'a quota that is off',
      async () => {
        await add(quotaKey(tenant, 'INTEGRATION'), 'USED', 3);
        await add(quotaKey(tenant, 'INTEGRATION'), 'FULL', -1);
      },
      ['counter INTEGRATION FULL', 'counter INTEGRATION USED'],
    ],
    [
      'a quota that was lost',
      () => remove(quotaKey(tenant, 'INTEGRATION')),
      ['counter INTEGRATION FULL', 'counter INTEGRATION USED'],
    ],
    [
      'a claim without a record',
      () => put({ ...uniqueKey(tenant, 'CLIENT', 'slug', 'nobody'), holder: randomUUID() }),
      ['unique-value CLIENT slug'],
    ],
    [
      'a record without its claim',
      () => remove(uniqueKey(tenant, 'CLIENT', 'slug', 'slug-one')),
      ['unique-value CLIENT slug'],
    ],
    [
      'a claim by another record',
      () => put({ ...uniqueKey(tenant, 'CLIENT', 'slug', 'slug-one'), holder: made.clients[1] ?? '' }),
      ['unique-value CLIENT slug'],
    ],
    [
      'an organization that differs from its copy',
      async () => {
        const number = Number((await get({ PK: recordsPartition(tenant, 'ORG'), SK: tenant }))?.LISTED_AS);
        await set({ PK: recordsPartition(PLATFORM, 'ORG'), SK: sortKeyOf(number) }, 'name', 'Ancient');
      },
      ['organization ORG'],
    ],
    [
      'an organization without its copy',
      async () => {
        const number = Number((await get({ PK: recordsPartition(tenant, 'ORG'), SK: tenant }))?.LISTED_AS);
        await remove({ PK: recordsPartition(PLATFORM, 'ORG'), SK: sortKeyOf(number) });
        // A reader of the list has found it missing.
        const { sortKey, word, bit } = bitPlace(number);
        await add({ PK: setPartition(recordsPartition(PLATFORM, 'ORG')), SK: sortKey }, word, bit);
      },
      ['organization ORG'],
    ],
    [
      'a sweep that was interrupted',
      async () => {
        const partition = `${recordsPartition(tenant, 'TICKET')}#${randomUUID()}#MESSAGE`;
        for (let number = 0; number < 60; number++)
          await put({ PK: partition, SK: sortKeyOf(number), message: 'left' });
        await put({ PK: cascadeDeletePartition(tenant), SK: partition });
      },
      ['unfinished-delete TICKET'],
    ],
  ];

  let before: unknown;
  beforeAll(async () => {
    before = await responses();
  });

  it.each(damages)('by %s is found, alone, and repaired', async (_, damage, expected) => {
    await damage();
    expect(told(await look(false))).toEqual(expected);
    const repaired = await look(true);
    expect(told(repaired)).toEqual(expected);
    expect(repaired.filter((each) => !each.repaired)).toEqual([]);
    expect(await look(false)).toEqual([]);
    expect(await responses()).toEqual(before);
  });

  it('in the platform’s list is repaired there, too', async () => {
    expect(await look(false, { id: PLATFORM })).toEqual([]);
  });

  it('by a record that was deleted by hand leaves no trace of it', async () => {
    const client_id = made.clients[0] ?? '';
    const id = await create('/api/v1/services', { client_id, name: 'gone', type: 'saas' });
    await set(headOf('SERVICE'), 'AT', Date.now() - 60_000);
    await remove(keyOf('SERVICE', id));
    const expected = [
      'counter CLIENT services_count',
      'lost-number SERVICE',
      ...['client_id', 'health_status', 'status'].map(() => 'wrongly-in-list SERVICE'),
    ];
    expect(told(await look(true))).toEqual(expected);
    expect(await look(false)).toEqual([]);
    expect([await total('services'), await total(`services?client_id=${client_id}`)]).toEqual([2, 1]);
  });

  it('that two records have one unique value is told, and left to people', async () => {
    const [one, two] = made.clients;
    const key = keyOf('CLIENT', two);
    await set(key, 'slug', 'slug-one');
    await remove(uniqueKey(tenant, 'CLIENT', 'slug', 'slug-two'));
    const found = await look(true);
    expect(told(found)).toEqual(['not-unique CLIENT slug']);
    expect(found[0]).toMatchObject({
      repaired: false,
      text: `CLIENT slug "slug-one" is the value of ${one} and ${two}`,
    });
    await set(key, 'slug', 'slug-two');
    expect(told(await look(true))).toEqual(['unique-value CLIENT slug']);
  });
});

describe.skipIf(EXTENT !== 'nightly')('while the API is in use', () => {
  const ROUNDS = 6;

  /** Writes for as long as `isOver` says no: every kind of change that moves sets and counters of the two clients. */
  async function write(seed: number, isOver: () => boolean): Promise<void> {
    const patch = (path: string, body: JsonBody) => api.request('PATCH', path, { token: org.token, body });
    for (let turn = seed; !isOver(); turn++) {
      const [client_id, service_id] = [made.clients[turn % 2] ?? '', made.services[turn % 2] ?? ''];
      const id = await create('/api/v1/resources', { client_id, service_id, name: 'busy', type: 'server' });
      await patch(`/api/v1/resources/${id}`, { status: 'stopped', health_status: 'degraded' });
      await patch(`/api/v1/services/${service_id}`, { health_status: turn % 3 === 0 ? 'healthy' : 'degraded' });
      await create(`/api/v1/tickets/${made.tickets[turn % 2]}/messages`, {
        author_type: 'agent',
        author_id: randomUUID(),
        message: 'hello',
      });
      await patch(`/api/v1/clients/${client_id}`, { slug: `slug-${randomUUID()}` });
      if (turn % 2 === 0) await patch(`/api/v1/resources/${id}`, { service_id: null });
      await api.request('DELETE', `/api/v1/resources/${id}`, { token: org.token });
    }
  }

  async function besideWriters(work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const writing = Promise.all([0, 1, 2, 3].map((seed) => write(seed, () => isOver)));
    await work().finally(() => {
      isOver = true;
    });
    await writing;
  }

  /** What was found but for what others changed all the time: a machine under load may never find it at rest. */
  const settled = async (repair: boolean) => (await look(repair)).filter(({ kind }) => kind !== 'busy');

  it('nothing is taken for damage that is only on its way', async () => {
    await besideWriters(async () => {
      for (let round = 0; round < ROUNDS; round++) expect(await settled(round % 2 === 0)).toEqual([]);
    });
    expect(await look(false)).toEqual([]);
  });

  it('damage is repaired, and nobody else is disturbed', async () => {
    const found = new Set<string>();
    await besideWriters(async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await shift('RESOURCE', made.resources[0] ?? '', -1n, 'status', 'active');
        await add(keyOf('CLIENT', made.clients[0]), 'total_resources', 3);
        await add(keyOf('SERVICE', made.services[1]), 'resource_count', 1);
        await add(keyOf('TICKET', made.tickets[0]), 'CHILDREN', 2);
        await put({ ...uniqueKey(tenant, 'CLIENT', 'slug', `nobody-${round}`), holder: made.clients[0] ?? '' });
        for (const kind of told(await settled(true))) found.add(kind);
      }
    });
    for (const kind of told(await look(true))) found.add(kind);
    expect(await look(false)).toEqual([]);
    expect([...found].toSorted()).toEqual([
      'counter CLIENT total_resources',
      'counter SERVICE resource_count',
      'counter TICKET CHILDREN',
      'missing-in-list RESOURCE',
      'unique-value CLIENT slug',
    ]);
    expect(await total('resources')).toBe(made.resources.length);
  });
});

/** All that the API tells of lists and counters. */
async function responses(): Promise<unknown> {
  const paths = [
    'clients',
    'clients?status=active',
    'services',
    `services?client_id=${made.clients[1]}`,
    'services?health_status=degraded',
    'resources',
    'resources?status=active',
    'resources?status=stopped&health_status=healthy',
    `resources?service_id=${made.services[0]}`,
    'terminals',
    'terminals?status=active',
    'tickets',
    'tickets?status=open',
    'tickets?status=pending',
    ...made.tickets.map((id) => `tickets/${id}/messages`),
  ];
  return Promise.all(
    paths.map(async (path) => (await api.request('GET', `/api/v1/${path}`, { token: org.token })).body),
  );
}
