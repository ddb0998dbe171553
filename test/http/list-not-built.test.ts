import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEAD } from '../../shared/table/keys.ts';
import { type Api, startApi } from '../support/api.ts';
import { newTenant } from '../support/tenant-calls.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('a filter that a release has added is a 503 with Retry-After until its lists are built, the rest of the list answers', async () => {
  const acme = await newTenant(api);
  await acme.create('/api/v1/clients', { name: 'Bistro' });
  const noted = (fields: readonly string[]) =>
    api.table.client.send(
      new UpdateItemCommand({
        TableName: api.table.tableName,
        Key: { PK: { S: `ORG#${acme.orgId}#CLIENT#SET` }, SK: { S: HEAD } },
        UpdateExpression: 'SET FILTERS = :fields',
        ConditionExpression: 'attribute_exists(FILTERS)',
        ExpressionAttributeValues: { ':fields': { L: fields.map((field) => ({ S: field })) } },
      }),
    );
  await noted([]);
  const refused = await acme.ask('GET', '/api/v1/clients?status=active');
  expect([refused.status, refused.headers.get('retry-after'), refused.body.type]).toEqual([
    503,
    '3600',
    'urn:problem-type:custodia:unavailable',
  ]);
  expect(refused.body.detail).toBe('the lists by status are not built yet.');
  expect((await acme.read('/api/v1/clients')).total).toBe(1);
  await noted(['status']);
  expect((await acme.ask('GET', '/api/v1/clients?status=active')).status).toBe(200);
});
