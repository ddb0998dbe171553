import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { referencesIn, takesHeader, uniqueFieldsOf } from '#contract';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { freshValue } from '../support/relations.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';
import { later } from './api-driver.ts';

/** Tests for every kind of record, from the contracts. The file of a domain tests its specifics. */

const api = useApi();
const org = prepared(() => api.orgToken());
const testTenant = prepared(() => new TestTenant(api, org));
afterEach(() => void vi.useRealTimers());

const ids = operations.map(([id]) => id);
const kindsWith = (...verbs: readonly string[]): string[] =>
  ids
    .flatMap((id) => /^get(\w+)$/.exec(id)?.[1] ?? [])
    .filter((kind) => verbs.every((verb) => ids.includes(verb + kind)));

const schemaOf = ({ route }: Scenario): z.ZodObject => route.body?.schema as z.ZodObject;

/** A body with the required fields alone. */
function leastOf(scenario: Scenario): JsonBody {
  let least: JsonBody = scenario.body ?? {};
  for (const field of Object.keys(least)) {
    const { [field]: _, ...others } = least;
    if (schemaOf(scenario).safeParse(others).success) least = others;
  }
  return least;
}

/** Fields that only some callers may choose. */
const CHOSEN_BY_FEW = ['secret', 'permissions', 'rate_limit', 'is_superadmin', 'is_system', 'org_id'];

/** A body with every field, as in the example of the response. */
async function fullOf(scenario: Scenario): Promise<JsonBody> {
  const schema = schemaOf(scenario);
  const example = scenario.route.response.example as JsonBody;
  const full: JsonBody = { ...scenario.body };
  for (const field of Object.keys(schema.shape)) {
    if (field in full || CHOSEN_BY_FEW.includes(field) || example[field] === undefined) continue;
    const record = referencesIn(schema).get(field);
    if (record !== undefined) full[field] = await testTenant.reference(record);
    else if (uniqueFieldsOf(schema).has(field))
      full[field] = freshValue(schema, field, example[field], randomUUID().slice(0, 13));
    else full[field] = example[field];
  }
  return full;
}

const read = (path: string, { token = '' }: Scenario, headers = {}) => api.request('GET', path, { token, headers });
const tagOf = ({ headers }: ApiResponse) => headers.get('etag') ?? '';

/** A tag as proxies that compress change it. */
const asProxiesMark = (tag: string): string[] => [
  `W/${tag}`,
  ...['-gzip', ';gzip', '--gzip', '-br'].flatMap((mark) => {
    const marked = tag.replace(/"$/, `${mark}"`);
    return [marked, `W/${marked}`];
  }),
];

describe.each(kindsWith('create'))('a new %s', (kind) => {
  it('has the defaults of its contract, and is found where its Location says', async () => {
    const scenario = await testTenant.scenario(`create${kind}`);
    const least = leastOf(scenario);
    const created = await testTenant.send({ ...scenario, body: least });
    const { secret, upload, ...record } = created.body;
    expect([created.status, record]).toEqual([201, expect.objectContaining(schemaOf(scenario).parse(least))]);
    for (const field of ['updated_at', 'last_activity_at'])
      expect(record[field] ?? record.created_at).toBe(record.created_at);
    expect(record.org_id ?? org.orgId).toBe(org.orgId);
    const found = await read(created.headers.get('location') ?? '', scenario);
    expect([found.status, found.body]).toEqual([200, record]);
    // A response with a secret, or with a URL, has no entity tag.
    expect(created.headers.get('etag')).toBe((secret ?? upload) === undefined ? tagOf(found) : null);
  });

  it('returns every field as it was sent', async () => {
    const scenario = await testTenant.scenario(`create${kind}`);
    const body = await fullOf(scenario);
    const { status, headers } = await testTenant.send({ ...scenario, body });
    expect(status).toBe(201);
    expect((await read(headers.get('location') ?? '', scenario)).body).toMatchObject(body);
  });
});

/** Times that the service sets at a change. */
const MOVED = ['edited_at', 'updated_at', 'last_activity_at', 'last_health_check', 'resolved_at', 'under_maintenance'];

describe.each(kindsWith('update'))('a change of a %s', (kind) => {
  it('takes the fields sent and leaves the others', async () => {
    const scenario = await testTenant.scenario(`update${kind}`);
    const before = (await read(scenario.path, scenario)).body;
    const now = later(1);
    const { status, headers, body } = await testTenant.send(scenario);
    const { ended_secrets: _, secret: __, ...record } = body;
    const moved = Object.fromEntries(MOVED.filter((field) => field in before).map((field) => [field, body[field]]));
    // The change is an event that is to be delivered.
    const counted = 'backlog' in before ? { backlog: Number(before.backlog) + 1 } : {};
    expect([status, record]).toEqual([200, { ...before, ...scenario.body, ...moved, ...counted }]);
    for (const time of Object.values(moved)) expect(time === null || String(time) >= now).toBe(true);
    const after = await read(scenario.path, scenario);
    expect([after.body, tagOf(after)]).toEqual([record, headers.get('etag')]);
  });

  it('is made in the version alone that If-Match and If-None-Match allow', async () => {
    const scenario = await testTenant.scenario(`update${kind}`);
    const tag = tagOf(await read(scenario.path, scenario));
    const send = async (headers: Record<string, string>) => (await testTenant.send(scenario, headers)).status;
    expect([await send({ 'if-none-match': '*' }), await send({ 'if-none-match': tag })]).toEqual([412, 412]);
    expect([await send({ 'if-match': tag }), await send({ 'if-match': tag })]).toEqual([200, 412]);
    const now = tagOf(await read(scenario.path, scenario));
    expect(now).not.toBe(tag);
    expect((await read(scenario.path, scenario, { 'if-none-match': now })).status).toBe(304);
    expect((await read(scenario.path, scenario, { 'if-none-match': tag })).status).toBe(200);
  });
});

it('tags are taken without quotes, in lists, weak, and as proxies mark them', async () => {
  const scenario = await testTenant.scenario('updateClient');
  const tag = tagOf(await read(scenario.path, scenario));
  const send = async (headers: Record<string, string>) => (await testTenant.send(scenario, headers)).status;
  expect(await send({ 'if-none-match': `"other", W/${tag}` })).toBe(412);
  expect(await send({ 'if-match': tag.replaceAll('"', ''), 'if-none-match': '"9.other"' })).toBe(200);
  expect([await send({ 'if-match': tag }), await send({ 'if-match': '"x' })]).toEqual([412, 400]);
  for (const marked of asProxiesMark(tag)) expect(await send({ 'if-match': marked })).toBe(412);
  const { status, body } = await testTenant.send(scenario, { 'if-match': '0' });
  expect([status, body.detail]).toEqual([412, expect.stringContaining('no ETag of a record')]);
  const now = tagOf(await read(scenario.path, scenario));
  for (const marked of asProxiesMark(now)) {
    expect((await read(scenario.path, scenario, { 'if-none-match': marked })).status, marked).toBe(304);
    expect(await send({ 'if-none-match': marked }), marked).toBe(412);
  }
  for (const [index] of asProxiesMark(now).entries()) {
    const marked = asProxiesMark(tagOf(await read(scenario.path, scenario)))[index] ?? '';
    expect(await send({ 'if-match': `"1.other", ${marked}` }), marked).toBe(200);
  }
});

it.each(operations.filter(([, route]) => takesHeader(route, 'If-Match')))(
  '%s does nothing where If-Match names another version',
  async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    expect((await testTenant.send(scenario, { 'if-match': '"99.other"' })).status).toBe(412);
  },
);

describe.each(kindsWith('delete'))('deleting a %s', (kind) => {
  it('honours If-Match and If-None-Match, and returns 204, then 404 in every operation on it', async () => {
    const scenario = await testTenant.scenario(`delete${kind}`);
    const tag = tagOf(await read(scenario.path, scenario));
    expect((await testTenant.send(scenario, { 'if-match': '"7.other"' })).status).toBe(412);
    expect((await testTenant.send(scenario, { 'if-none-match': '*' })).status).toBe(412);
    const deleted = await testTenant.send(scenario, { 'if-match': tag });
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    const named = scenario.path.split('/');
    const others = operations.filter(
      ([, { path }]) => path.startsWith(scenario.route.path) && !path.endsWith('/restore'),
    );
    for (const [operationId] of others) {
      const other = await testTenant.scenario(operationId);
      const path = [...named, ...other.path.split('/').slice(named.length)].join('/');
      const { status } = await testTenant.send({ ...other, path });
      expect(status, operationId).toBe(404);
    }
  });
});

/** Fields whose values may be there once: of a tenant or everywhere. */
const unique = operations.flatMap(([operationId, { method, body }]) =>
  method === 'POST' && body !== undefined
    ? [...uniqueFieldsOf(body.schema).keys()].map((field) => [operationId, field] as const)
    : [],
);

describe.each(unique)('%s with a %s that is taken', (operationId, field) => {
  const sharing = async () => {
    const scenario = await testTenant.scenario(operationId);
    const {
      [field]: value = freshValue(
        schemaOf(scenario),
        field,
        (scenario.route.response.example as JsonBody)[field],
        randomUUID().slice(0, 13),
      ),
    } = scenario.body ?? {};
    return async () => {
      const other = await testTenant.scenario(operationId);
      return { ...other, body: { ...other.body, [field]: value } };
    };
  };

  it('is a 409 that names the field, also where eight come at once', async () => {
    const next = await sharing();
    const all = await Promise.all(Array.from({ length: 8 }, next));
    const responses = await Promise.all(all.map((each) => testTenant.send(each)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      type: 'urn:problem-type:custodia:already-exists',
      errors: [{ in: 'body', pointer: `#/${field}` }],
    });
  });
});
