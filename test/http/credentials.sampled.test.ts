import { randomUUID } from 'node:crypto';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ids } from '@custodia/counted-lists';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { sampled } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, type Created, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const org = prepared(() => api.orgToken());
const full = prepared(() => callsOf(api, org.token));
let clientId: string;
beforeAll(async () => {
  clientId = (await full.create('/api/v1/clients', { name: 'Acme' })).id;
});

const CREDENTIALS = JSON.parse('{"user":"root","__proto__":{"a":1},"big":1e300,"text":"\\u0000ü"}');

async function callerWith(permissions: readonly string[]) {
  const fields = { app_code: `app-${randomUUID()}`, display_name: 'Restricted', permissions };
  const { app_code, secret } = await full.create('/api/v1/integrations', fields);
  const access = { appCode: String(app_code), secret: String(secret) };
  return { ...access, ...callsOf(api, await api.login(access.appCode, access.secret)) };
}

describe.each(
  sampled(
    [
      ['service', '/api/v1/services', { name: 'Shop', type: 'web' }],
      ['resource', '/api/v1/resources', { name: 'Server', type: 'vm' }],
    ],
    1,
  ),
)('the credentials of a %s', (kind, path, fields) => {
  const area = `${kind}s`;
  let blind: Awaited<ReturnType<typeof callerWith>>;
  let seeing: Calls;
  let record: Created;
  beforeAll(async () => {
    const usual = [`${area}:read`, `${area}:write`];
    blind = await callerWith(usual);
    seeing = await callerWith([...usual, `${area}:credentials`]);
    record = await make();
  });

  const make = (credentials: unknown = CREDENTIALS) =>
    full.create(path, { client_id: clientId, ...fields, credentials });
  const seenBy = async (caller: Calls, id = record.id) => (await caller.read(`${path}/${id}`)).credentials;
  const text = (value: unknown) => JSON.stringify(value);

  it('come back as they were sent, to who may see them', async () => {
    expect(text(record.credentials)).toBe(text(CREDENTIALS));
    for (const caller of [full, seeing]) expect(text(await seenBy(caller))).toBe(text(CREDENTIALS));
  });

  it('are null in every response to anybody else', async () => {
    const { id } = record;
    expect(await seenBy(blind)).toBeNull();
    const list = await blind.read(`${path}?client_id=${clientId}`);
    expect(list.data.length).toBeGreaterThan(0);
    expect(list.data.filter(({ credentials }) => credentials !== null)).toEqual([]);
    expect((await blind.ask('PATCH', `${path}/${id}`, { status: randomWord() })).body.credentials).toBeNull();
    expect((await blind.ask('PATCH', `${path}/${id}`, {})).body.credentials).toBeNull();
    if (kind === 'service') {
      expect((await blind.read(`${path}/client/${clientId}/${id}`)).credentials).toBeNull();
      expect((await seeing.read(`${path}/client/${clientId}/${id}`)).credentials).not.toBeNull();
    }
    expect((await seeing.read(path)).data.find((each) => each.id === id)?.credentials).not.toBeNull();
  });

  it('are set by nobody else, by name of the permission', async () => {
    const { id } = await make();
    const other = { credentials: { mine: 'now' } };
    const event = (type: string, data: JsonBody) => deliver(api, blind, { event_type: `${kind}.${type}`, data });
    for (const response of [
      await blind.ask('POST', path, { client_id: clientId, ...fields, ...other }),
      await blind.ask('PATCH', `${path}/${id}`, other),
      await blind.ask('PATCH', `${path}/${id}`, { credentials: CREDENTIALS }),
    ]) {
      expect([response.status, response.body.detail, response.body.errors]).toEqual([
        403,
        `This needs the permission ${area}:credentials.`,
        pointsAt('credentials'),
      ]);
    }
    expect((await event('updated', { id, ...other })).body.errors).toEqual(pointsAt('data/credentials'));
    expect((await event('created', { client_id: clientId, ...fields, ...other })).status).toBe(403);
    expect(text(await seenBy(full, id))).toBe(text(CREDENTIALS));
  });

  it('stay what they are when a record is sent back by who sees null', async () => {
    const { id } = await make();
    const seen = await blind.read(`${path}/${id}`);
    const { status, body } = await blind.ask('PATCH', `${path}/${id}`, { ...seen, description: 'changed' });
    expect([status, body.description]).toEqual([200, 'changed']);
    expect(text(await seenBy(full, id))).toBe(text(CREDENTIALS));
  });

  it('are changed and taken away by who sees them', async () => {
    const { id } = await make();
    const change = async (credentials: unknown) => {
      const response = await seeing.ask('PATCH', `${path}/${id}`, { credentials });
      expect([response.status, response.body.credentials]).toEqual([200, credentials]);
      return response.headers.get('etag');
    };
    const first = await change({ token: 'a' });
    expect(await change({ token: 'a' })).toBe(first);
    expect(await change({ token: 'b' })).not.toBe(first);
    await change(null);
    expect(await seenBy(full, id)).toBeNull();
    await change({});
  });

  it('may be left out, or null, by anybody', async () => {
    for (const credentials of [undefined, null]) {
      const made = await blind.create(path, { client_id: clientId, ...fields, credentials });
      expect(await seenBy(full, made.id)).toBeNull();
    }
  });

  it('do not open in another record, even of the same tenant', async () => {
    const { client, tableName: TableName } = api.table;
    const [from, to] = [await make(), await make()];
    const keyOf = ({ id }: Created) => ({
      PK: { S: `ORG#${org.orgId}#${kind.toUpperCase()}` },
      SK: { S: ids.sortKeyOf(ids.numberOf(id)) },
    });
    const { Item = {} } = await client.send(new GetItemCommand({ TableName, Key: keyOf(from) }));
    const stolen = Item.credentials ?? { NULL: true };
    expect(stolen.S).toMatch(/^1\./);
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: keyOf(to),
        UpdateExpression: 'SET credentials = :stolen',
        ExpressionAttributeValues: { ':stolen': stolen },
      }),
    );
    const { status } = await full.ask('GET', `${path}/${to.id}`);
    expect(status).toBe(500);
    expect((await blind.ask('GET', `${path}/${to.id}`)).status).toBe(200);
    await full.ask('DELETE', `${path}/${to.id}`);
  });

  it('are as hidden in the event that brought them', async () => {
    const data = { client_id: clientId, ...fields, credentials: CREDENTIALS };
    expect((await deliver(api, org, { event_type: `${kind}.created`, data })).status).toBe(200);
    const list = await full.read(`/api/v1/webhook-events?event_type=${kind}.created&page_size=1`);
    const path = `/api/v1/webhook-events/${list.data[0]?.id}`;
    expect(text((await full.read(path)).data)).toBe(text(data));
    const anonymous = await callerWith(['webhooks:read']);
    expect((await anonymous.read(path)).data).toBe(null);
    const reader = await callerWith(['webhooks:read', `${area}:read`]);
    expect((await reader.read(path)).data).toEqual({ ...data, credentials: null });
    const both = await callerWith(['webhooks:read', `${area}:read`, `${area}:credentials`]);
    expect(text((await both.read(path)).data)).toBe(text(data));
  });
});

const randomWord = () => `w${randomUUID()}`;
