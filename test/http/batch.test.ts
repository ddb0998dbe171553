import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import type { BatchResult } from '../support/batch-result.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

const PATH = '/api/v1/batch';
const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const mine = prepared(async () => apiDriverOf(api, org.token));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

type Operation = JsonBody & { readonly key: string };
type BatchResponse = ApiResponse<{ results: BatchResult[]; counts: JsonBody }>;

const run = (operations: readonly unknown[], headers = {}, token = org.token): Promise<BatchResponse> =>
  api.request('POST', PATH, { token, body: { operations }, headers });

const ndjson = (raw: string, token = org.token): Promise<ApiResponse<string>> =>
  api.request('POST', PATH, { token, raw, headers: { 'content-type': 'application/x-ndjson' } });

const create = (key: string, body: JsonBody = {}): Operation => ({
  key,
  operation: 'createClient',
  body: { name: key, ...body },
});

const statusesOf = ({ body }: BatchResponse): number[] => body.results.map(({ status }) => status);

describe('a batch', () => {
  it('carries out its operations, and returns ids, versions and tags in their order', async () => {
    const { id } = await mine.client();
    const response = await run([
      create('a'),
      { key: 'b', operation: 'updateClient', params: { id }, body: { name: 'Other' } },
      { key: 'c', operation: 'createTerminal', body: { client_id: id, name: 'Front desk' } },
    ]);
    expect([response.status, response.body.counts]).toEqual([200, { 200: 1, 201: 2 }]);
    const [a, b, c] = response.body.results;
    expect([a?.key, b?.key, c?.key]).toEqual(['a', 'b', 'c']);
    expect(b?.body).toEqual({ id, version: 2 });
    const read = await mine.get(`/clients/${id}`);
    expect([read.body.name, read.headers.get('etag')?.split('.')[0]]).toEqual(['Other', b?.etag?.split('.')[0]]);
    expect((await mine.get(`/clients/${a?.body?.id}`)).status).toBe(200);
    expect((await mine.get(`/terminals/${c?.body?.id}`)).status).toBe(200);
  });

  it('is a 207 where one fails, with the problem that it would have alone', async () => {
    const { id } = await mine.client();
    const wrong = { name: '', plan: 7 };
    const response = await run([
      create('right'),
      { key: 'wrong', operation: 'updateClient', params: { id }, body: wrong },
      { key: 'nowhere', operation: 'deleteTicket', params: { id: NOWHERE } },
      { key: 'no-id', operation: 'deleteTicket' },
      { key: 'unknown', operation: 'deleteTicket', params: { id: NOWHERE, force: 'true' } },
    ]);
    expect([response.status, statusesOf(response)]).toEqual([207, [201, 422, 404, 400, 400]]);
    expect(response.body.counts).toEqual({ 201: 1, 400: 2, 404: 1, 422: 1 });
    const alone = await mine.patch(`/clients/${id}`, wrong);
    const { problem } = response.body.results[1] ?? {};
    expect({ ...problem, request_id: '' }).toEqual({ ...alone.body, request_id: '' });
    expect(problem?.request_id).toBe(response.headers.get('x-request-id'));
    expect(response.body.results[3]?.problem?.errors).toEqual([{ in: 'path', pointer: '#/id', detail: 'is required' }]);
    expect(response.body.results[4]?.problem?.errors).toEqual([
      { in: 'query', pointer: '#/force', detail: 'is not known here' },
    ]);
  });

  it('returns whole records to who prefers them, and is lenient with each where that is preferred', async () => {
    const { body, headers } = await run([create('whole', { id: randomUUID() })], {
      prefer: 'return=representation, handling=lenient',
    });
    const { id = '' } = body.results[0]?.body ?? {};
    expect(body.results[0]?.body).toEqual((await mine.get(`/clients/${id}`)).body);
    expect(headers.get('preference-applied')).toBe('return=representation, handling=lenient');
  });

  it('keeps numbers as they are written', async () => {
    const { id } = await mine.client();
    const raw = `{"operations":[{"key":"n","operation":"createService","body":{"client_id":"${id}","name":"x","type":"web","metadata":{"n":12345678901234567890.10}}}]}`;
    const response = await api.request<string>('POST', PATH, {
      token: org.token,
      raw,
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    });
    expect(response.status).toBe(200);
    const text = await fetch(`${api.url}/api/v1/services?client_id=${id}`, {
      headers: { authorization: `Bearer ${org.token}` },
    }).then((each) => each.text());
    expect(text).toContain('12345678901234567890.10');
  });

  it('makes what is wrong with one body the problem of its operation, whatever parsing says of it', async () => {
    const line = (key: string, metadata: string) =>
      `{"key":"${key}","operation":"createClient","body":{"name":"${key}","metadata":{"a":${metadata}}}}`;
    const lines = [
      line('values-of-many-fields', `[${Array(33_000).fill('1.0')}]`),
      line('beyond-a-double', '1e400'),
      line('deepest', `${'['.repeat(254)}${']'.repeat(254)}`),
      line('too-deep', `${'['.repeat(255)}${']'.repeat(255)}`),
      line('usual', '1.0'),
    ];
    const headers = { 'content-type': 'application/json' };
    const response: BatchResponse = await api.request('POST', PATH, {
      ...{ token: org.token, raw: `{"operations":[${lines}]}`, headers },
    });
    expect([response.status, statusesOf(response)]).toEqual([207, [413, 422, 201, 400, 201]]);
    const alone = await api.request('POST', '/api/v1/clients', {
      ...{ token: org.token, raw: '{"name":"x","metadata":{"a":1e400}}', headers },
    });
    expect(response.body.results[1]?.problem?.errors).toEqual(alone.body.errors);
  });

  it('takes if_match for changes and deletions', async () => {
    const { id } = await mine.client();
    const change = (key: string, if_match: string) => ({
      key,
      operation: 'updateClient',
      params: { id },
      body: { name: key },
      if_match,
    });
    const tag = (await mine.get(`/clients/${id}`)).headers.get('etag') ?? '';
    const response = await run([change('first', tag), change('second', tag), change('third', 'nothing')]);
    expect(statusesOf(response)).toEqual([200, 412, 412]);
    expect(statusesOf(await run([change('fourth', response.body.results[0]?.etag ?? '')]))).toEqual([200]);
  });
});

describe('a batch that is sent again', () => {
  it('creates nothing twice, with the keys alone as well', async () => {
    const operations = [create(randomUUID()), create(randomUUID())];
    const first = await run(operations);
    const again = await run(operations);
    expect(again.body.results).toEqual(first.body.results.map((each) => ({ ...each, replayed: true })));
    const alone = await mine.post('/clients', operations[0]?.body, {
      headers: { 'idempotency-key': operations[0]?.key ?? '' },
    });
    expect([alone.status, alone.body.id]).toEqual([201, first.body.results[0]?.body?.id]);
    expect(alone.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses a key with another body', async () => {
    const key = randomUUID();
    await run([create(key)]);
    expect((await run([create(key, { plan: 'pro' })])).body.results[0]).toMatchObject({
      status: 422,
      problem: { type: 'urn:problem-type:custodia:idempotency-key-reused' },
    });
  });
});

describe('what is wrong with the batch itself refuses it as a whole', () => {
  const cases: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ['no operations', [], ['#/operations']],
    ['too many', Array.from({ length: 201 }, (_, index) => create(`k${index}`)), ['#/operations']],
    ['a key twice', [create('same'), create('other'), create('same')], ['#/operations/2/key']],
    ['a wrong key', [create('ü'), create('k'.repeat(256))], ['#/operations/0/key', '#/operations/1/key']],
    ['no operation', [{ key: 'a' }], ['#/operations/0/operation']],
    ['a read', [{ key: 'a', operation: 'getClient' }], ['#/operations/0/operation']],
    ['a log', [{ key: 'a', operation: 'ingestLog' }], ['#/operations/0/operation']],
    ['an integration', [{ key: 'a', operation: 'createIntegration' }], ['#/operations/0/operation']],
    ['an unknown member', [{ ...create('a'), bdy: {} }], ['#/operations/0/bdy']],
    ['no object', [7], ['#/operations/0']],
    ['a number as id', [{ key: 'a', operation: 'deleteTicket', params: { id: 7 } }], ['#/operations/0/params/id']],
    [
      'a parameter that is no text',
      [{ key: 'a', operation: 'deleteTicket', params: { id: { toString: null } } }],
      ['#/operations/0/params/id'],
    ],
    [
      'more parameters than any operation has',
      [
        {
          key: 'a',
          operation: 'deleteTicket',
          params: Object.fromEntries([...'abcdefghijklmnopqrstu'].map((name) => [name, ''])),
        },
      ],
      ['#/operations/0/params'],
    ],
    [
      'a long parameter',
      [{ key: 'a', operation: 'deleteTicket', params: { id: 'é'.repeat(501) } }],
      ['#/operations/0/params/id'],
    ],
    ['a body of a deletion', [{ key: 'a', operation: 'deleteTicket', body: {} }], ['#/operations/0/body']],
    ['if_match of a creation', [{ ...create('a'), if_match: '"1.a"' }], ['#/operations/0/if_match']],
  ];

  it.each(cases)('%s', async (_, operations, pointers) => {
    const { body: before } = await mine.get('/clients?page_size=1');
    const response: ApiResponse = await api.request('POST', PATH, { token: org.token, body: { operations } });
    expect([response.status, pointersOf(response)]).toEqual([422, pointers]);
    const { body: after } = await mine.get('/clients?page_size=1');
    expect(after.total).toBe(before.total);
  });
});

describe('NDJSON', () => {
  it('is responded to in lines', async () => {
    const lines = [create('x'), { key: 'y', operation: 'deleteTicket', params: { id: NOWHERE } }];
    const response = await ndjson(`${lines.map((line) => JSON.stringify(line)).join('\r\n\n')}\n`);
    expect([response.status, response.headers.get('content-type')]).toEqual([207, 'application/x-ndjson']);
    const results = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as BatchResult);
    expect(results.map(({ key, status }) => [key, status])).toEqual([
      ['x', 201],
      ['y', 404],
    ]);
  });

  it.each([
    ['a line that is no JSON', `${JSON.stringify(create('a'))}\n\n{"key":\n`, 400, /line 3, column 8 /],
    ['lines that are JSON only together', '{"key":"a"\n"operation":"createClient"}', 400, /line 1, column 11 /],
    ['no lines', '\n \n', 400, /A JSON body is required/],
  ])('%s is a %i', async (_, raw, __, detail) => {
    const { status, body } = await api.request('POST', PATH, {
      token: org.token,
      raw,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('names lines in pointers', async () => {
    const raw = ['', JSON.stringify(create('a')), '', JSON.stringify({ key: 'a', operation: 'x' }), '7'].join('\n');
    const response = await api.request('POST', PATH, {
      token: org.token,
      raw,
      headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
    });
    expect([response.status, pointersOf(response)]).toEqual([422, ['#/4/operation', '#/5']]);
    const twice = [create('a'), create('a')].map((each) => JSON.stringify(each)).join('\n');
    const duplicate: ApiResponse = await api.request('POST', PATH, {
      token: org.token,
      raw: twice,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(pointersOf(duplicate)).toEqual(['#/2/key']);
  });

  it('is taken here only, and no other type is', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const other = await api.request('POST', '/api/v1/clients', { token: org.token, raw: '{"name":"x"}', headers });
    expect(other.status).toBe(415);
    const form = await api.request('POST', PATH, {
      token: org.token,
      raw: 'x',
      headers: { 'content-type': 'text/csv' },
    });
    expect([form.status, form.headers.get('accept')]).toEqual([415, 'application/json, application/x-ndjson']);
  });
});

describe('an upsert in a batch', () => {
  it('finds what an earlier one of the same batch has created', async () => {
    const slug = `s-${randomUUID()}`;
    const upsert = (key: string, body: JsonBody) => ({ key, operation: 'upsertClient', params: { slug }, body });
    const response = await run([upsert('first', { name: 'One' }), upsert('second', { name: 'One', plan: 'pro' })]);
    expect([response.status, statusesOf(response)]).toEqual([200, [201, 200]]);
    const [first, second] = response.body.results;
    expect(second?.body).toEqual({ id: first?.body?.id, version: 2 });
    expect((await mine.get(`/clients/${first?.body?.id}`)).body).toMatchObject({ slug, plan: 'pro' });
  });
});
