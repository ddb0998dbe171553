import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { maxBodyOf, methodsOf, type Route } from '#contract';
import { preflightOf } from '../../shared/contract/cors.ts';
import { sizeInWords } from '../../shared/words.ts';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { sampled } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Bad input to every operation, made from the contracts: a 4xx with pointers, never a 5xx. `support/conformance.ts`
 * checks that each response is a complete problem of a declared type.
 */

const api = useApi();
const testTenant = prepared(async () => new TestTenant(api, await api.orgToken()));

type Named = readonly [operationId: string, route: Route];
const those = (wanted: (route: Route) => boolean): readonly Named[] => operations.filter(([, route]) => wanted(route));

/** A delivery's body needs a signature of its bytes: `test/http/webhooks.test.ts`. */
const takesBody = (route: Route): boolean => route.body !== undefined && route.auth !== 'signature';

/** Sends other bytes in place of a scenario's body. */
const sendRaw = async (
  operationId: string,
  raw: string | Uint8Array<ArrayBuffer>,
  contentType = 'application/json',
): Promise<ApiResponse> => {
  const scenario = await scenarioOf(operationId);
  return api.request(scenario.route.method, scenario.path, {
    ...(scenario.token === undefined ? {} : { token: scenario.token }),
    raw,
    headers: { 'content-type': contentType },
  });
};

const kept = new Map<string, Promise<Scenario>>();
/** The same scenario in each call: no request succeeds, so nothing is used up. */
const scenarioOf = (operationId: string): Promise<Scenario> => {
  const scenario = kept.get(operationId) ?? testTenant.scenario(operationId);
  kept.set(operationId, scenario);
  return scenario;
};

const ask = async (operationId: string, suffix: string): Promise<ApiResponse> => {
  const { route, path, body, token } = await scenarioOf(operationId);
  // That of an upsert has a query already.
  const asked = path.includes('?') ? `${path}${suffix.replace('?', '&')}` : `${path}${suffix}`;
  return api.request(route.method, asked, {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
  });
};

const pointersOf = ({ body }: ApiResponse): unknown[] =>
  ((body.errors ?? []) as JsonBody[]).map(({ in: part, pointer }) => `${part} ${pointer}`);

describe.each(sampled(those(takesBody), 3))('%s refuses a body', (operationId, route) => {
  it.each(['[]', '"text"', 'null', '1', '-0', '1.0', '1e1', '1e999', '12345678901234567890'])(
    'that is no object: %s',
    async (raw) => {
      const reply = await sendRaw(operationId, raw);
      expect([reply.status, pointersOf(reply)]).toEqual([422, ['body #']]);
    },
  );

  it.each([
    ['nothing', '', /is required/],
    ['half an object', '{"name":', /line 1, column 9 has the end of the text in place of a value/],
    ['a comma too many', '{"a":1,\n}', /line 2, column 1 has `}` in place of a name in double quotes/],
    ['a word of JavaScript', '{"a":NaN}', /line 1, column 6 has `N` in place of a value/],
    ['nesting without end', '['.repeat(60_000), /256 levels/],
    ['nesting too deep', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`, /256 levels/],
  ])('that is no JSON: %s', async (_, raw, detail) => {
    const { status, body } = await sendRaw(operationId, raw);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('that is no UTF-8', async () => {
    for (const bytes of [Uint8Array.of(0x7b, 0xff, 0x7d), new Uint8Array(Buffer.from('{}', 'utf16le'))]) {
      expect((await sendRaw(operationId, bytes)).status).toBe(400);
    }
  });

  it('of another media type', async () => {
    const types = [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      '',
    ];
    for (const type of types) expect((await sendRaw(operationId, '{}', type)).status, type).toBe(415);
  });

  it('over the limit', async () => {
    const most = maxBodyOf(route);
    // It is no JSON either, which is not checked.
    const { status, body } = await sendRaw(operationId, 'x'.repeat(most + 1));
    expect([status, body.detail]).toEqual([413, `The body may have up to ${sizeInWords(most)}.`]);
    expect((await sendRaw(operationId, 'x'.repeat(most))).status).toBe(400);
  });

  it('with a field that is not known, and names it', async () => {
    for (const field of ['colour', '__proto__', 'constructor', 'a/b~c']) {
      const { body = {} } = await scenarioOf(operationId);
      const reply = await sendRaw(
        operationId,
        JSON.stringify({ ...body }).replace(/}$/, `,${JSON.stringify(field)}:{"x":1}}`),
      );
      expect([reply.status, pointersOf(reply)], field).toEqual([
        422,
        [`body #/${encodeURIComponent(field.replaceAll('~', '~0').replaceAll('/', '~1'))}`],
      ]);
    }
    expect({}).not.toHaveProperty('x');
  });

  it('without a field that it needs, and points at each', async () => {
    const shape = (route.body?.schema.shape ?? {}) as Record<string, z.ZodType>;
    const needed = Object.keys(shape).filter((field) => !shape[field]?.safeParse(undefined).success);
    const reply = await sendRaw(operationId, '{}');
    if (needed.length > 0 && route.method === 'POST')
      expect([reply.status, pointersOf(reply)]).toEqual([422, needed.map((field) => `body #/${field}`)]);
  });

  it('with a field of the wrong type, and points at it', async () => {
    const shape = (route.body?.schema.shape ?? {}) as Record<string, z.ZodType>;
    const { body = {} } = await scenarioOf(operationId);
    for (const [field, schema] of Object.entries(shape)) {
      for (const value of WRONG.filter((each) => !schema.safeParse(each).success).slice(0, 2)) {
        const reply = await sendRaw(operationId, JSON.stringify({ ...body, [field]: value }));
        expect(reply.status, `${field}: ${JSON.stringify(value)?.slice(0, 50)}`).toBe(422);
        expect(pointersOf(reply).every((each) => String(each).startsWith(`body #/${field}`))).toBe(true);
      }
    }
  });
});

const WRONG: readonly unknown[] = [null, 'x'.repeat(20_001), '\ud800', 1e300, -1, true, [], { a: '\ud800' }, [null]];

describe.each(
  sampled(
    those((route) => 'page' in route.query.shape),
    4,
  ),
)('%s refuses a page', (operationId) => {
  it.each([
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.0'],
    ['page', '12abc'],
    ['page', ''],
    ['page', '99999999999'],
    ['page_size', '0'],
    ['page_size', '201'],
    ['page_size', '1e2'],
    ['sort', 'no_field'],
  ])('%s=%s', async (name, value) => {
    const reply = await ask(operationId, `?${name}=${value}`);
    expect([reply.status, pointersOf(reply)]).toEqual([400, [`query #/${name}`]]);
  });
});

describe.each(sampled(operations, 4))('%s refuses a query', (operationId) => {
  it.each([
    ['that nobody knows', '?colour=red', ['query #/colour']],
    ['that is poison', '?__proto__=1', ['query #/__proto__']],
    ['given twice', '?org_id=1&org_id=2', ['query #/org_id']],
    ['that is very long', `?q=${'x'.repeat(5_000)}`, ['query #/q']],
  ])('%s', async (_, query, pointers) => {
    const reply = await ask(operationId, query);
    expect([reply.status, pointersOf(reply)]).toEqual([400, pointers]);
  });

  it('whose encoding is broken', async () => {
    for (const query of ['?q=%', '?q=%ff', '?%c3=1']) expect((await ask(operationId, query)).status).toBe(400);
  });
});

const idRoutes = those(({ params }) => Object.keys(params.shape).some((name) => name.endsWith('id')));

describe.each(sampled(idRoutes, 3))('%s refuses an id', (operationId, route) => {
  it.each(['nonsense', `${randomUUID()}x`, '%00', '__proto__'])('that is no UUID: %s', async (id) => {
    const { token, body } = await scenarioOf(operationId);
    const [name = ''] = Object.keys(route.params.shape).filter((each) => each.endsWith('id'));
    const path = route.path.replace(`{${name}}`, id).replace(/\{\w+\}/g, randomUUID());
    const reply = await api.request(route.method, path, { ...(token && { token }), ...(body && { body }) });
    expect([reply.status, pointersOf(reply)]).toEqual([400, [`path #/${name}`]]);
  });
});

describe('Accept', () => {
  it.each(['text/html', 'application/json;q=0', 'nonsense', ''])(
    'changes nothing, for there is JSON only: %s',
    async (accept) => {
      const token = await api.platformToken();
      const types = async (path: string) => {
        const { status, headers } = await api.request('GET', path, { token, headers: { accept } });
        return [status, headers.get('content-type')];
      };
      expect(await types('/api/v1/orgs')).toEqual([200, 'application/json']);
      expect(await types('/api/v1/orgs?page=0')).toEqual([400, 'application/problem+json']);
    },
  );
});

describe('a path or method that is not there', () => {
  it.each(['/', '/docs', '/docs/', '/api', '/api/', '/api/v1', '/api/v1/'])(
    'leads to the documentation: %s',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetch(`${api.url}${path}`, { method, redirect: 'manual' });
        expect([status, headers.get('location')]).toEqual([302, '/api/v1/docs']);
      }
      const read = await fetch(`${api.url}${path}`, { redirect: 'manual' });
      expect(read.headers.get('content-type')).toBe('application/json');
      const { documentation, openapi } = (await read.json()) as {
        readonly documentation: string;
        readonly openapi: string;
      };
      for (const [where, type] of Object.entries({
        [documentation]: 'text/html; charset=utf-8',
        [openapi]: 'application/json',
      }))
        expect((await fetch(`${api.url}${where}`)).headers.get('content-type')).toBe(type);
      expect((await fetch(`${api.url}${path}`)).headers.get('content-type')).toMatch(/^text\/html/);
      expect((await api.request('POST', path, { body: {} })).body.type).toBe(
        'urn:problem-type:custodia:route-not-found',
      );
    },
  );

  it.each(['/documentation', '/clients', '/api/v2/clients', '/api/v1//clients', '/api/v1/nothing', '/API/V1/clients'])(
    'is a 404: %s',
    async (path) => {
      const { status, body } = await api.request('GET', path, { token: await api.platformToken() });
      expect([status, body.type]).toEqual([404, 'urn:problem-type:custodia:route-not-found']);
      expect(body.detail).toContain('GET /api/v1/docs');
    },
  );

  it.each(sampled([...new Set(operations.map(([, { path }]) => path))], 6))('is a 405 with Allow: %s', async (path) => {
    const routes = operations.filter(([, route]) => route.path === path).map(([, route]) => route);
    const allowed: string[] = routes.flatMap(methodsOf);
    const filled = path.replace(/\{\w+\}/g, randomUUID());
    // Pages of any origin may send preflights for public routes.
    if (preflightOf(routes, []) !== undefined) allowed.push('OPTIONS');
    const others = ['PUT', 'OPTIONS', 'GET', 'POST', 'PATCH', 'DELETE'].filter((each) => !allowed.includes(each));
    for (const method of others) {
      const { status, headers, body } = await api.request(method, filled);
      const methods = allowed.toSorted().join(', ');
      expect([status, headers.get('allow'), body.detail], method).toEqual([
        405,
        methods,
        `This path takes ${methods}.`,
      ]);
    }
  });
});

const isFreeForm = (schema: z.ZodType): boolean =>
  schema.safeParse({ a: [1] }).success && !schema.safeParse('text').success && !schema.safeParse([]).success;

/** Free-form fields, by the operation that creates a record with one. */
const freeForm = operations.flatMap(([operationId, route]) =>
  Object.entries((route.body?.schema.shape ?? {}) as Record<string, z.ZodType>)
    .filter(([, schema]) => takesBody(route) && route.response.status === 201 && isFreeForm(schema))
    .map(([field]) => [operationId, field] as const),
);

describe.each(sampled(freeForm, 3))('%s keeps %s as it came', (operationId, field) => {
  const create = async (value: string): Promise<{ status: number; text: string }> => {
    const { route, path, token = '', body = {} } = await testTenant.scenario(operationId);
    const response = await fetch(`${api.url}${path}`, {
      method: route.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, [field]: 'HERE' }).replace('"HERE"', () => value),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each([
    ['1e300 and other numbers', '{"a":1e300,"b":-0,"c":12345678901234567890,"d":1.0,"e":5e-324}'],
    ['64 KB of numbers', `{"a":[${'-0,'.repeat(21_841)}1]}`],
    ['poisoned names', '{"__proto__":{"admin":true},"constructor":null,"toString":1,"":2}'],
    ['sixty levels', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
    ['odd texts', '{"a":"\\u0000","b":"\\ud800","c":"😀"}'],
  ])('%s', async (_, value) => {
    const { status, text } = await create(value);
    expect(status).toBe(201);
    // The creation of a log entry returns only its id.
    if (operationId !== 'ingestLog') expect(text).toContain(`"${field}":${value}`);
  });

  it('up to 64 KB of UTF-8, and refuses more with a pointer and the limit', async () => {
    const holding = (text: string) => `{"a":"${text}"}`;
    const around = holding('').length;
    expect((await create(holding('x'.repeat(65_536 - around)))).status).toBe(201);
    expect((await create(holding('é'.repeat((65_536 - around) / 2)))).status).toBe(201);
    for (const value of [
      holding('x'.repeat(65_537 - around)),
      holding('é'.repeat((65_538 - around) / 2)),
      holding('x'.repeat(900_000)),
      `{"a":[${'-0,'.repeat(21_900)}1]}`,
      `{"a":[${'-0,'.repeat(300_000)}1]}`,
    ]) {
      const refused = await create(value);
      expect([refused.status, JSON.parse(refused.text).errors]).toEqual([
        413,
        [{ in: 'body', pointer: `#/${field}`, detail: 'must have at most 65536 bytes as JSON' }],
      ]);
    }
  });

  it('or refuses it, where it is beyond a double', async () => {
    expect((await create('{"a":[1e400]}')).status).toBe(422);
    expect((await create('[]')).status).toBe(422);
  });
});
