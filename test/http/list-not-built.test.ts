import { UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { COUNTER } from '../support/bits.ts';
import { newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

/** The filters in a list's counter item: written by a release that declared none, or by one that noted nothing. */
const notes: readonly {
  readonly what: string;
  readonly change: Pick<UpdateItemCommandInput, 'UpdateExpression' | 'ExpressionAttributeValues'>;
}[] = [
  {
    what: 'no filter',
    change: { UpdateExpression: 'SET FILTERS = :none', ExpressionAttributeValues: { ':none': { L: [] } } },
  },
  { what: 'nothing', change: { UpdateExpression: 'REMOVE FILTERS' } },
];

/** Makes a list as long as one that has allocated so many more numbers, or less. */
const skipNumbers = (orgId: string, count: number) =>
  api.table.client.send(
    new UpdateItemCommand({
      TableName: api.table.tableName,
      Key: { PK: { S: `ORG#${orgId}#CLIENT#SET` }, SK: { S: COUNTER } },
      UpdateExpression: 'ADD #next :count',
      ExpressionAttributeNames: { '#next': 'NEXT' },
      ExpressionAttributeValues: { ':count': { N: String(count) } },
    }),
  );

it.each(notes)(
  'a filter of a long list whose counter item notes $what is a 409 until the operator has built it, and the rest answers',
  async ({ change }) => {
    const acme = await newTenant(api);
    await acme.create('/api/v1/clients', { name: 'Bistro' });
    await api.table.client.send(
      new UpdateItemCommand({
        TableName: api.table.tableName,
        Key: { PK: { S: `ORG#${acme.orgId}#CLIENT#SET` }, SK: { S: COUNTER } },
        ...change,
        ConditionExpression: 'attribute_exists(FILTERS)',
      }),
    );

    // Few records are read themselves.
    expect((await acme.read('/api/v1/clients?status=active')).total).toBe(1);
    await skipNumbers(acme.orgId, 20_000);
    const refused = await acme.ask('GET', '/api/v1/clients?status=active');
    expect([refused.status, refused.headers.get('retry-after'), refused.body.type]).toEqual([
      409,
      '3600',
      'urn:problem-type:custodia:list-being-built',
    ]);
    expect(refused.body).toMatchObject({
      detail:
        'The index of status is still being built, and lacks older records. Until then it works where few records are left to read: ask with further filters, or without status.',
      errors: [{ in: 'query', pointer: '#/status', detail: 'cannot be used here yet' }],
    });
    expect((await acme.ask('GET', '/api/v1/clients?sort=created_at&page_size=1')).status).toBe(200);
    await skipNumbers(acme.orgId, -20_000);

    await acme.create('/api/v1/clients', { name: 'Tasca' });
    expect((await acme.read('/api/v1/clients?status=active')).total).toBe(2);

    await verify(Tenant.ofOperator(acme.orgId, RequestSession.ofEnvironment(60_000)), kinds, { repair: true });
    expect((await acme.read('/api/v1/clients?status=active')).total).toBe(2);
  },
);
