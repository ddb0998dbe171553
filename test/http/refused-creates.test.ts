import { randomUUID } from 'node:crypto';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { schema, storedSets } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { environmentTable } from '#table';
import type { ApiResponse, OrgAccess } from '../support/api.ts';
import { itemsIn } from '../support/audit.ts';
import { COUNTER } from '../support/bits.ts';
import { deliver } from '../support/deliver.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Effects of refused creates and lost numbers on lists, over HTTP. */

const api = useApi();
let acme: Calls & OrgAccess;
beforeEach(async () => {
  const access = await api.orgToken();
  acme = { ...access, ...callsOf(api, access.token) };
});

const listOf = (kind: string) => `ORG#${acme.orgId}#${kind}`;

/** The number of allocated numbers of a list, and of its permanent tombstones. */
async function leftBy(kind: string) {
  const table = environmentTable();
  const Key = { PK: storedSets.partitionOf(listOf(kind)), SK: COUNTER };
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
  const items = await itemsIn(table, listOf(kind));
  return {
    numbers: Number(Item?.NEXT ?? 0),
    tombstones: items.filter((item) => item[schema.TOMBSTONE] !== undefined && item[schema.TTL] === undefined).length,
  };
}

describe('creates that are refused again and again', () => {
  /** Sends one, which is refused. */
  const refusals: readonly {
    readonly what: string;
    readonly kind: string;
    readonly send: () => Promise<ApiResponse>;
  }[] = [
    {
      what: 'for a reference in the transaction',
      kind: 'SERVICE_ACTION',
      send: () => acme.ask('POST', '/api/v1/service-actions', { service_id: randomUUID(), action_type: 'restart' }),
    },
    {
      what: 'for a reference that is read beside it',
      kind: 'TERMINAL',
      send: () => acme.ask('POST', '/api/v1/terminals', { client_id: randomUUID(), name: 'Till' }),
    },
    {
      what: 'for a counter of a missing client',
      kind: 'SERVICE',
      send: () => acme.ask('POST', '/api/v1/services', { client_id: randomUUID(), name: 's', type: 'saas' }),
    },
    {
      what: 'for a field of the service',
      kind: 'CLIENT',
      send: () => acme.ask('POST', '/api/v1/clients', { id: randomUUID(), name: 'Bistro' }),
    },
    {
      what: 'in a delivery',
      kind: 'SERVICE_ACTION',
      send: () =>
        deliver(api, acme, {
          event_type: 'service_action.created',
          data: { service_id: randomUUID(), action_type: 'restart' },
        }),
    },
  ];

  it.each(refusals)('take one number and leave no tombstone for good: $what', async ({ kind, send }) => {
    const responses = [];
    for (let count = 0; count < 3; count++) responses.push(await send());
    expect(responses.map(({ status }) => status)).toEqual(Array(3).fill(422));
    expect(new Set(responses.map(({ body }) => JSON.stringify(body.errors))).size).toBe(1);
    expect(await leftBy(kind)).toEqual({ numbers: 1, tombstones: 0 });
  });

  it('take one number where a unique value is taken', async () => {
    const body = { name: 'Bistro', slug: 'bistro' };
    await acme.create('/api/v1/clients', body);
    for (let count = 0; count < 3; count++) {
      expect((await acme.ask('POST', '/api/v1/clients', body)).status).toBe(409);
    }
    expect(await leftBy('CLIENT')).toEqual({ numbers: 2, tombstones: 0 });
  });

  it('do not keep the next good one from its number, nor another caller from theirs', async () => {
    const { id: client_id } = await acme.create('/api/v1/clients', { name: 'Bistro' });
    const { id: service_id } = await acme.create('/api/v1/services', { client_id, name: 's', type: 'saas' });
    const action = (service: unknown) =>
      acme.ask('POST', '/api/v1/service-actions', { service_id: service, action_type: 'restart' });
    const statuses = [];
    for (const service of [randomUUID(), randomUUID(), service_id, service_id, randomUUID(), service_id]) {
      statuses.push((await action(service)).status);
    }
    expect(statuses).toEqual([422, 422, 201, 201, 422, 201]);
    expect((await acme.read('/api/v1/service-actions')).total).toBe(3);
    // One for the first refusal, one for the first after a success.
    expect(await leftBy('SERVICE_ACTION')).toEqual({ numbers: 5, tombstones: 0 });
  });
});

it('a page of a list with many lost numbers is a 503 with Retry-After until it is whole', async () => {
  const { id } = await acme.create('/api/v1/clients', { name: 'Bistro' });
  await api.table.client.send(
    new UpdateItemCommand({
      TableName: api.table.tableName,
      Key: { PK: { S: storedSets.partitionOf(listOf('CLIENT')) }, SK: { S: COUNTER } },
      UpdateExpression: 'SET #at = :before ADD #next :lost',
      ExpressionAttributeNames: { '#next': 'NEXT', '#at': 'AT' },
      ExpressionAttributeValues: { ':lost': { N: '400' }, ':before': { N: '0' } },
    }),
  );
  const statuses: number[] = [];
  for (;;) {
    const { status, headers, body } = await acme.ask('GET', '/api/v1/clients');
    statuses.push(status);
    if (status === 200) {
      expect([body.total, (body.data as { id: string }[]).map((client) => client.id)]).toEqual([1, [id]]);
      break;
    }
    expect([status, headers.get('retry-after'), body.type]).toEqual([
      503,
      '1',
      'urn:problem-type:custodia:unavailable',
    ]);
  }
  expect(statuses).toEqual([503, 503, 200]);
});
