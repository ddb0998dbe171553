import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isList } from '../../shared/contract/traits.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken();
});
afterAll(() => api.close());

const lists = operations.filter(([, route]) => isList(route)).map(([operationId]) => operationId);

describe('a list that is asked for again', () => {
  it.each(lists)('is not sent again while it is the same: %s', async (operationId) => {
    const testTenant = new TestTenant(api, org);
    const scenario = await testTenant.scenario(operationId);
    const first = await testTenant.send(scenario);
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{12}"$/)]);
    for (const held of [tag, tag.slice(2), `"other", ${tag}`]) {
      const again = await testTenant.send(scenario, { 'if-none-match': held });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tag]);
      expect(again.headers.get('link')).toBe(first.headers.get('link'));
    }
    expect((await testTenant.send(scenario, { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  it('is sent when a record on the page has changed, one has come, or the total is another', async () => {
    const { token } = await api.orgToken();
    const path = '/api/v1/clients?page_size=1&sort=created_at';
    const create = (name: string) => api.request('POST', '/api/v1/clients', { token, body: { name } });
    const read = (held: string | null) =>
      api.request('GET', path, { token, headers: held === null ? {} : { 'if-none-match': held } });
    const { body } = await create('First');
    const seen = [(await read(null)).headers.get('etag')];
    const changes = [
      () => create('On the second page'),
      () => api.request('PATCH', `/api/v1/clients/${body.id}`, { token, body: { name: 'Another' } }),
    ];
    for (const change of changes) {
      await change();
      const { status, headers } = await read(seen.at(-1) ?? null);
      expect(status).toBe(200);
      expect(seen).not.toContain(headers.get('etag'));
      seen.push(headers.get('etag'));
    }
    expect((await read(seen.at(-1) ?? null)).status).toBe(304);
  });
});

it('covers lists that only the platform reads', () => {
  expect(lists.filter((operationId) => PLATFORM_ONLY.has(operationId))).toEqual(['listOrgs']);
});
