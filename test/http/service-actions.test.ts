import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { type Answered, type ApiDriver, apiDriverOf, NOWHERE, pointersOf, withoutRequestId } from './api-driver.ts';

let api: Api;
let mine: ApiDriver;
let theirs: ApiDriver;
let service: Answered;

beforeAll(async () => {
  api = await startApi();
  mine = apiDriverOf(api, (await api.orgToken()).token);
  theirs = apiDriverOf(api, (await api.orgToken()).token);
});
afterAll(() => api.close());
beforeEach(async () => {
  service = await mine.service({ client_id: (await mine.client()).id });
});

describe('a new service action', () => {
  it('is completed and without parameters unless told otherwise', async () => {
    const { status, headers, body } = await mine.post('/service-actions', {
      service_id: service.id,
      action_type: 'restart',
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/service-actions/${body.id}`);
    expect(body).toEqual({
      id: body.id,
      service_id: service.id,
      action_type: 'restart',
      status: 'completed',
      created_at: expect.stringMatching(/Z$/),
      parameters: {},
    });
    const read = await mine.get(`/service-actions/${body.id}`);
    expect([read.status, read.body]).toEqual([200, body]);
    const tag = read.headers.get('etag') ?? '';
    expect((await mine.get(`/service-actions/${body.id}`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  it('gives its parameters back to the letter', async () => {
    const parameters = JSON.parse('{"__proto__":{"a":1},"n":1e300,"deep":[[[[{}]]]],"":"\\ud800"}');
    const { id } = await mine.create('/service-actions', {
      service_id: service.id,
      action_type: 'scale',
      status: 'failed',
      parameters,
    });
    const { body } = await mine.get(`/service-actions/${id}`);
    expect(JSON.stringify(body.parameters)).toBe(JSON.stringify(parameters));
    expect(body.status).toBe('failed');
  });

  it.each<[string, object, string[]]>([
    ['nothing', { service_id: undefined, action_type: undefined }, ['#/action_type', '#/service_id']],
    ['parameters that are no object', { parameters: [] }, ['#/parameters']],
    ['null parameters', { parameters: null }, ['#/parameters']],
    ['a type that is no word', { action_type: 'Restart now!' }, ['#/action_type']],
    ['an unknown field', { client_id: NOWHERE }, ['#/client_id']],
  ])('is refused with %s', async (_, fields, pointers) => {
    const refused = await mine.post('/service-actions', { service_id: service.id, action_type: 'restart', ...fields });
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers]);
  });

  it('is of a service of the caller', async () => {
    const foreign = await theirs.service({ client_id: (await theirs.client()).id });
    const [refused, missing] = await Promise.all(
      [foreign.id, NOWHERE].map((service_id) => mine.post('/service-actions', { service_id, action_type: 'restart' })),
    );
    if (refused === undefined || missing === undefined) throw new Error('no answers');
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/service_id']]);
    expect(withoutRequestId(refused)).toEqual(withoutRequestId(missing));
  });
});

describe('service actions', () => {
  it('are listed newest first, by service and status', async () => {
    const act = (service_id: string, status: string) =>
      mine.create('/service-actions', { service_id, action_type: 'restart', status });
    const other = await mine.service({ client_id: service.client_id });
    const ids = [];
    for (const status of ['completed', 'failed-f', 'completed']) ids.unshift((await act(service.id, status)).id);
    const elsewhere = await act(other.id, 'failed-f');
    expect(await mine.list(`/service-actions?service_id=${service.id}`)).toEqual({ ids, total: 3 });
    expect(await mine.list('/service-actions?status=failed-f')).toEqual({ ids: [elsewhere.id, ids[1]], total: 2 });
    expect(await mine.list(`/service-actions?service_id=${service.id}&status=failed-f`)).toEqual({
      ids: [ids[1]],
      total: 1,
    });
    expect((await mine.list('/service-actions?page_size=1')).ids).toEqual([elsewhere.id]);
    expect((await mine.get('/service-actions?page_size=201')).status).toBe(400);
    expect((await mine.get('/service-actions?action_type=restart')).status).toBe(400);
  });

  it('outlive their service, as history', async () => {
    const { id } = await mine.create('/service-actions', { service_id: service.id, action_type: 'retire' });
    expect((await mine.remove(`/services/${service.id}`)).status).toBe(204);
    expect((await mine.get(`/service-actions/${id}`)).body.service_id).toBe(service.id);
    expect((await mine.list(`/service-actions?service_id=${service.id}`)).ids).toEqual([id]);
    const late = await mine.post('/service-actions', { service_id: service.id, action_type: 'restart' });
    expect([late.status, pointersOf(late)]).toEqual([422, ['#/service_id']]);
  });

  it('of another tenant are as good as none', async () => {
    const foreign = await theirs.service({ client_id: (await theirs.client()).id });
    const { id } = await theirs.create('/service-actions', { service_id: foreign.id, action_type: 'restart' });
    const refused = await mine.get(`/service-actions/${id}`);
    expect(refused.status).toBe(404);
    expect(withoutRequestId(refused)).toEqual(withoutRequestId(await mine.get(`/service-actions/${NOWHERE}`)));
    expect((await mine.list(`/service-actions?service_id=${foreign.id}`)).total).toBe(0);
  });

  it('are within reach of a platform caller that names the organization', async () => {
    const { org_id } = (await mine.get(`/clients/${service.client_id}`)).body;
    const platform = apiDriverOf(api, await api.platformToken());
    const fields = { service_id: service.id, action_type: 'restart' };
    expect((await platform.post('/service-actions', fields)).status).toBe(422);
    const { id } = await platform.create(`/service-actions?org_id=${org_id}`, fields);
    expect((await mine.get(`/service-actions/${id}`)).status).toBe(200);
  });
});
