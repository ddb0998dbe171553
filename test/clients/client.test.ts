import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CustodiaProblem, createCustodia } from '../../clients/typescript/src/index.ts';
import { systemTiming } from '../../clients/typescript/src/timing.ts';
import { fakeClient, INTEGRATION, inOrder, json, type Reply, refusal } from './fake.ts';

/** What `@custodia/client` does around requests, over answers that are written down. */

const TICKET = { subject: 'No receipts', description: 'Silent.', source: 'email', contact_id: 'someone' };
const params = { path: { id: 'some-id' } };
const noResponse = () => new TypeError('fetch failed');

describe('a token', () => {
  /** Logs in with `token-1`, `token-2` …, each good for an hour, and answers the token to every other request. */
  const api =
    (refused: ReadonlySet<string> = new Set()): Reply =>
    ({ target, headers }) => {
      if (target.endsWith('/auth/login')) return json({ access_token: `token-${++logins}`, expires_in: 3600 });
      const token = headers.get('authorization');
      return refused.has(token ?? '') ? refusal('unauthorized', 401) : json({ token });
    };
  let logins = 0;
  const loggingIn = (reply: Reply) => {
    logins = 0;
    return fakeClient(reply, { credentials: INTEGRATION });
  };
  const tokenOf = async ({ custodia }: ReturnType<typeof fakeClient>) =>
    (await custodia.GET('/api/v1/tickets/{id}', { params })).data as unknown;

  it('comes from one login for all who ask at once, which says app code and secret', async () => {
    const fake = loggingIn(api());
    const replies = await Promise.all([1, 2, 3].map(() => tokenOf(fake)));
    expect(replies).toEqual(Array(3).fill({ token: 'Bearer token-1' }));
    const [login, ...others] = fake.sent.filter(({ method }) => method === 'POST');
    expect(others).toEqual([]);
    expect(login?.target).toBe('/stage/api/v1/auth/login');
    expect(login?.headers.has('authorization')).toBe(false);
    expect(JSON.parse(login?.body ?? '')).toEqual({ app_code: INTEGRATION.appCode, secret: INTEGRATION.secret });
  });

  it('is renewed a minute before it ends, and good until the next one is there', async () => {
    const renewal = Promise.withResolvers<void>();
    const whole = api();
    const fake = loggingIn(async (sent, request) => {
      if (logins === 1 && sent.target.endsWith('/auth/login')) await renewal.promise;
      return whole(sent, request);
    });
    await tokenOf(fake);
    fake.pass(3539);
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer token-1' });
    expect(fake.sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
    fake.pass(1);
    // The login hangs, and nobody waits for it.
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer token-1' });
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer token-1' });
    expect(fake.sent.filter(({ method }) => method === 'POST')).toHaveLength(2);
    // Until the token has ended.
    fake.pass(60);
    const waiting = tokenOf(fake);
    renewal.resolve();
    expect(await waiting).toEqual({ token: 'Bearer token-2' });
  });

  it('is used to its end when it cannot be renewed, and no longer', async () => {
    let isDown = false;
    const whole = api();
    const fake = loggingIn((sent, request) =>
      isDown && sent.target.endsWith('/auth/login') ? refusal('unavailable', 503) : whole(sent, request),
    );
    await tokenOf(fake);
    isDown = true;
    fake.pass(3550);
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer token-1' });
    fake.pass(50);
    await expect(tokenOf(fake)).rejects.toMatchObject({ status: 503 });
  });

  it('that is refused is replaced, once for a request', async () => {
    const fake = loggingIn(api(new Set(['Bearer token-1'])));
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer token-2' });
    const all = loggingIn(({ target }) =>
      target.endsWith('/auth/login')
        ? json({ access_token: `token-${++logins}`, expires_in: 3600 })
        : refusal('unauthorized', 401),
    );
    await expect(tokenOf(all)).rejects.toMatchObject({ status: 401 });
    expect(all.sent).toHaveLength(4);
  });

  it('is not asked for again when the login is refused', async () => {
    const fake = loggingIn(() => refusal('invalid-credentials', 401));
    await expect(tokenOf(fake)).rejects.toMatchObject({ type: 'urn:problem-type:custodia:invalid-credentials' });
    expect(fake.sent).toHaveLength(1);
  });

  it('that one caller no longer waits for is still there for the others', async () => {
    const login = Promise.withResolvers<Response>();
    const fake = loggingIn(({ target, headers }) =>
      target.endsWith('/auth/login') ? login.promise : json({ token: headers.get('authorization') }),
    );
    const patient = tokenOf(fake);
    const controller = new AbortController();
    const impatient = fake.custodia.GET('/api/v1/tickets/{id}', { params, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    login.resolve(json({ access_token: 'token-1', expires_in: 3600 }));
    expect(await patient).toEqual({ token: 'Bearer token-1' });
    expect(fake.sent).toHaveLength(2);
  });

  it('of the caller may be a text or a function, and is asked for once more when it is refused', async () => {
    const given = ['old', 'new'];
    const fake = fakeClient(api(new Set(['Bearer old'])), { credentials: { token: () => given.shift() ?? '' } });
    expect(await tokenOf(fake)).toEqual({ token: 'Bearer new' });
    const fixed = fakeClient(api(new Set(['Bearer mine'])), { credentials: { token: 'mine' } });
    await expect(tokenOf(fixed)).rejects.toMatchObject({ status: 401 });
    expect(fixed.sent).toHaveLength(1);
  });

  it('of a function that does not answer is waited for until the signal ends it', async () => {
    const fake = fakeClient(() => json({}), { credentials: { token: () => new Promise(() => undefined) } });
    const controller = new AbortController();
    const waiting = fake.custodia.GET('/api/v1/tickets', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(fake.sent).toEqual([]);
  });

  it('of a function is not asked for where the signal has ended the request already', async () => {
    const asked: string[] = [];
    const token = async () => {
      asked.push('token');
      throw new Error('nobody waits for this');
    };
    const fake = fakeClient(() => json({}), { credentials: { token } });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(fake.custodia.GET('/api/v1/tickets', { signal })).rejects.toThrow('enough');
    expect(asked).toEqual([]);
  });

  it('is not needed for what takes none, and not sent there', async () => {
    const fake = loggingIn(() => json({ access_token: 'mine', expires_in: 3600 }));
    const header = { 'X-Signature': 'ab', 'X-Event-ID': 'evt-1' };
    await fake.custodia.GET('/.well-known/jwks.json');
    await fake.custodia.POST('/api/v1/auth/login', { body: { app_code: 'other', secret: 'theirs' } });
    await fake.custodia.POST('/api/v1/webhooks/{app_code}', {
      params: { path: { app_code: 'acme' }, header },
      body: { event_type: 'invoice.paid', data: {} },
    });
    expect(fake.sent.map(({ target, headers }) => [target, headers.has('authorization')])).toEqual([
      ['/stage/.well-known/jwks.json', false],
      ['/stage/api/v1/auth/login', false],
      ['/stage/api/v1/webhooks/acme', false],
    ]);
  });
});

describe('a request that fails', () => {
  it('is sent again after what Retry-After says, with jitter', async () => {
    const fake = fakeClient(
      inOrder(
        () => refusal('too-many-requests', 429, { 'retry-after': '2' }),
        () => json({ id: 'x' }),
      ),
    );
    await fake.custodia.DELETE('/api/v1/tickets/{id}', { params: { ...params, header: { 'If-Match': '"1"' } } });
    expect(fake.slept).toEqual([2125]);
    const dated = fakeClient(
      inOrder(
        // The clock of these tests begins 1,000 s after 1970.
        () => refusal('unavailable', 503, { 'retry-after': 'Thu, 01 Jan 1970 00:16:47 GMT' }),
        () => json({}),
      ),
    );
    await dated.custodia.GET('/api/v1/tickets');
    expect(dated.slept).toEqual([7125]);
  });

  it.each([500, 502, 503, 504])('with %i is sent again, each time later, four times at most', async (status) => {
    const fake = fakeClient(() => refusal('unavailable', status));
    await expect(fake.custodia.GET('/api/v1/tickets')).rejects.toMatchObject({ status });
    expect(fake.sent).toHaveLength(4);
    expect(fake.slept).toEqual([125, 250, 500]);
  });

  it('waits no longer than it may: then the caller gets the problem at once', async () => {
    const fake = fakeClient(() => refusal('too-many-requests', 429, { 'retry-after': '31' }));
    await expect(fake.custodia.GET('/api/v1/tickets')).rejects.toMatchObject({ status: 429, retryAfter: 31 });
    expect(fake.sent).toHaveLength(1);
    const patient = fakeClient(
      inOrder(
        () => refusal('too-many-requests', 429, { 'retry-after': '31' }),
        () => json({}),
      ),
      { retry: { longest: 60_000 } },
    );
    await patient.custodia.GET('/api/v1/tickets');
    expect(patient.slept).toEqual([31_125]);
  });

  it('creates under one key, and the caller may name it', async () => {
    const fake = fakeClient(
      inOrder(
        noResponse,
        () => refusal('unavailable', 503),
        () => json({ id: 'x' }, 201),
      ),
    );
    await fake.custodia.POST('/api/v1/tickets', { body: TICKET });
    await fake.custodia.POST('/api/v1/tickets', { body: TICKET });
    const header = { 'Idempotency-Key': 'mine' };
    await fake.custodia.POST('/api/v1/tickets', { body: TICKET, params: { header } });
    expect(fake.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      'key-1',
      'key-1',
      'key-1',
      'key-2',
      'mine',
    ]);
    for (const { body } of fake.sent) expect(JSON.parse(body)).toEqual(TICKET);
  });

  it('is not repeated where it may have been carried out and twice is not as once', async () => {
    const lost = (method: 'PATCH' | 'DELETE' | 'POST', tag?: string) => {
      const fake = fakeClient(noResponse, method === 'POST' ? { credentials: undefined } : {});
      const init = { params: { ...params, ...(tag === undefined ? {} : { header: { 'If-Match': tag } }) } };
      const reply =
        method === 'PATCH'
          ? fake.custodia.PATCH('/api/v1/tickets/{id}', { ...init, body: { status: 'closed' } })
          : method === 'DELETE'
            ? fake.custodia.DELETE('/api/v1/tickets/{id}', init)
            : fake.custodia.POST('/api/v1/integrations', { body: { app_code: 'acme', display_name: 'Acme' } });
      return reply.then(
        () => 'answered',
        (error: unknown) => [error instanceof TypeError, fake.sent.length],
      );
    };
    expect(await lost('PATCH')).toEqual([true, 4]);
    expect(await lost('PATCH', '"1.abc"')).toEqual([true, 1]);
    expect(await lost('DELETE')).toEqual([true, 1]);
    // Without a token there is no idempotency.
    expect(await lost('POST')).toEqual([true, 1]);
  });

  it('is not repeated when it was refused', async () => {
    for (const status of [400, 403, 404, 409, 412, 422]) {
      const fake = fakeClient(() => refusal('conflict', status));
      await expect(fake.custodia.POST('/api/v1/tickets', { body: TICKET })).rejects.toMatchObject({ status });
      expect(fake.sent).toHaveLength(1);
    }
  });

  it('ends with its signal: before, during and between the attempts', async () => {
    const reason = new Error('enough');
    const aborted = fakeClient(() => json({}));
    await expect(aborted.custodia.GET('/api/v1/tickets', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(aborted.sent).toEqual([]);

    const during = new AbortController();
    const hanging = fakeClient((_, { signal }) => {
      during.abort(reason);
      return new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
      });
    });
    await expect(hanging.custodia.GET('/api/v1/tickets', { signal: during.signal })).rejects.toBe(reason);
    expect(hanging.sent).toHaveLength(1);

    const between = new AbortController();
    const failing = fakeClient(
      () => {
        setTimeout(() => between.abort(reason));
        return refusal('unavailable', 503);
      },
      { timing: { ...systemTiming, random: () => 1_000 } },
    );
    await expect(failing.custodia.GET('/api/v1/tickets', { signal: between.signal })).rejects.toBe(reason);
    expect(failing.sent).toHaveLength(1);
  });

  it('has a new, long key each time, and nothing left over when it sleeps to the end', async () => {
    const keys = Array.from({ length: 100 }, systemTiming.newKey);
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[\da-f]{32}$/);
    const { signal } = new AbortController();
    await systemTiming.sleep(0, signal);
  });
});

describe('an attempt that nobody answers', () => {
  /** Hangs until its signal is aborted, as `fetch` does; `limits` are aborted when they are asked for, or never. */
  const hangs: Reply = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(signal.reason);
      if (signal.aborted) end();
      signal.addEventListener('abort', end);
    });
  const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

  /** A client whose attempts are all given up; of each the milliseconds that it had. */
  function impatient(reply: Reply, options: Parameters<typeof fakeClient>[1] = {}) {
    const given: number[] = [];
    const timeout = (milliseconds: number): AbortSignal => {
      given.push(milliseconds);
      const limit = new AbortController();
      queueMicrotask(() => setImmediate(() => limit.abort(late)));
      return limit.signal;
    };
    const timing = { now: () => 0, sleep: async () => undefined, random: () => 0.5, newKey: () => 'key', timeout };
    return { ...fakeClient(reply, { timing, ...options }), given };
  }

  it('is given up after 30 s, and sent again like one that failed', async () => {
    let attempts = 0;
    const fake = impatient((sent, request) => (++attempts < 3 ? hangs(sent, request) : json({ id: 'x' }, 201)));
    await fake.custodia.POST('/api/v1/tickets', { body: TICKET });
    expect(fake.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key', 'key', 'key']);
    expect(fake.given).toEqual([30_000, 30_000, 30_000]);
  });

  it('ends with a TimeoutError: the last one, and one that cannot be repeated', async () => {
    const fake = impatient(hangs, { timeout: 500 });
    await expect(fake.custodia.GET('/api/v1/tickets')).rejects.toBe(late);
    expect(fake.given).toEqual([500, 500, 500, 500]);
    await expect(fake.custodia.DELETE('/api/v1/tickets/{id}', { params })).rejects.toBe(late);
    expect(fake.given).toHaveLength(5);
  });

  it('of a login is given up, too', async () => {
    const fake = impatient(hangs, { credentials: INTEGRATION, retry: { attempts: 2 } });
    await expect(fake.custodia.GET('/api/v1/tickets')).rejects.toBe(late);
    expect(fake.sent.map(({ target }) => target)).toEqual(Array(2).fill('/stage/api/v1/auth/login'));
  });

  it('is one whose answer does not end', async () => {
    const fake = impatient((_, { signal }) => {
      const body = new ReadableStream({
        start: (stream) => signal.addEventListener('abort', () => stream.error(signal.reason)),
      });
      return new Response(body);
    });
    await expect(fake.custodia.GET('/api/v1/tickets')).rejects.toBe(late);
    expect(fake.sent).toHaveLength(1);
  });

  it('is the caller’s to end before that, and then not sent again', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const fake = impatient((sent, request) => {
      controller.abort(reason);
      return hangs(sent, request);
    });
    await expect(fake.custodia.GET('/api/v1/tickets', { signal: controller.signal })).rejects.toBe(reason);
    expect(fake.sent).toHaveLength(1);
  });

  it('is given up by the real clock and the real `fetch`, with no answer and with half of one', async () => {
    const server = createServer((request, response) => {
      if (request.url?.endsWith('/clients')) response.writeHead(200, { 'content-length': 100 }).write('{');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const custodia = createCustodia({ baseUrl, timeout: 20, retry: { attempts: 2, delay: 1 } });
    try {
      await expect(custodia.GET('/api/v1/tickets')).rejects.toMatchObject({ name: 'TimeoutError' });
      await expect(custodia.GET('/api/v1/clients')).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('may take for ever where that is asked for; what is no number of milliseconds is refused', async () => {
    const patient = impatient(() => json({}), { timeout: Number.POSITIVE_INFINITY });
    await patient.custodia.GET('/api/v1/tickets');
    expect(patient.given).toEqual([]);
    const timing = { timeout: systemTiming.timeout };
    for (const timeout of [Number.NaN, -1]) {
      const wrong = fakeClient(() => json({}), { timeout, timing });
      await expect(wrong.custodia.GET('/api/v1/tickets')).rejects.toThrow();
      expect(wrong.sent).toEqual([]);
    }
    expect(systemTiming.timeout(60_000).aborted).toBe(false);
  });
});

describe('a problem', () => {
  it('says what is wrong, where, and how to ask about it', async () => {
    const body = {
      type: 'urn:problem-type:custodia:already-exists',
      title: 'A record with this value already exists',
      status: 409,
      detail: 'Another client has this slug.',
      request_id: 'request-1',
      errors: [{ in: 'body', pointer: '#/slug', detail: 'is taken' }],
    };
    const { custodia } = fakeClient(() => json(body, 409));
    const problem = await custodia
      .POST('/api/v1/clients', { body: { name: 'Bistro' } })
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(CustodiaProblem);
    expect(problem).toMatchObject({
      ...{ type: body.type, status: 409, title: body.title, detail: body.detail, errors: body.errors },
      requestId: 'request-1',
      retryAfter: undefined,
      message: '409 A record with this value already exists; Another client has this slug.; #/slug is taken',
    });
    expect((problem as CustodiaProblem).is('already-exists')).toBe(true);
    expect((problem as CustodiaProblem).is('conflict')).toBe(false);
  });

  it.each([
    ['a page', () => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' })],
    ['nothing', () => new Response(null, { status: 502, statusText: 'Bad Gateway' })],
    ['null', () => new Response('null', { status: 502, statusText: 'Bad Gateway' })],
  ])('of something in between, which answers %s, has its status and the id of the header', async (_, reply) => {
    const { custodia } = fakeClient(() => {
      const response = reply();
      response.headers.set('x-request-id', 'request-2');
      return response;
    });
    await expect(custodia.GET('/api/v1/tickets')).rejects.toMatchObject({
      type: 'about:blank',
      status: 502,
      title: 'Bad Gateway',
      requestId: 'request-2',
      errors: [],
    });
  });
});

describe('a list', () => {
  const page = (number: number, total: number) => ({
    data: [`${number}a`, `${number}b`],
    page: number,
    page_size: 2,
    total,
  });
  const numbered: Reply = ({ target }) =>
    json(page(Number(new URL(target, 'http://x').searchParams.get('page') ?? 1), 5));

  it('of numbered pages is read to its end, with its filters', async () => {
    const fake = fakeClient(numbered);
    const found: unknown[] = [];
    const query = { status: 'open', page_size: 2 } as const;
    for await (const record of fake.custodia.records('/api/v1/tickets', { params: { query } })) found.push(record);
    expect(found).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
    expect(fake.sent.map(({ target }) => target)).toEqual([
      '/stage/api/v1/tickets?status=open&page_size=2',
      '/stage/api/v1/tickets?status=open&page_size=2&page=2',
      '/stage/api/v1/tickets?status=open&page_size=2&page=3',
    ]);
  });

  it('is read no further than the loop goes', async () => {
    const fake = fakeClient(numbered);
    for await (const { page } of fake.custodia.pages('/api/v1/tickets', { params: { query: { page: 2 } } })) {
      expect(page).toBe(2);
      break;
    }
    expect(fake.sent).toHaveLength(1);
  });

  it('without numbers is read by its links', async () => {
    const fake = fakeClient(({ target }) =>
      target.includes('after=')
        ? json({ data: ['c'] })
        : json({ data: ['a', 'b'] }, 200, {
            link: '</stage/api/v1/tickets/some-id/messages?org_id=o&after=k%2F2>; rel="next"',
          }),
    );
    const found: unknown[] = [];
    for await (const { data } of fake.custodia.pages('/api/v1/tickets/{id}/messages', { params })) found.push(data);
    expect(found).toEqual([['a', 'b'], ['c']]);
    expect(fake.sent[1]?.target).toBe('/stage/api/v1/tickets/some-id/messages?org_id=o&after=k%2F2');
  });
});

describe('what is watched', () => {
  it('is given now and after each change, and asked for with its tag', async () => {
    const states = ['a', 'a', 'b', 'b', 'b', 'c'];
    const fake = fakeClient(({ headers }) => {
      const state = states.shift() ?? '';
      const etag = `"${state}"`;
      return headers.get('if-none-match') === etag
        ? new Response(null, { status: 304, headers: { etag } })
        : json({ state }, 200, { etag });
    });
    const seen: unknown[] = [];
    for await (const data of fake.custodia.watch('/api/v1/tickets/{id}', { params, every: 1000 })) {
      seen.push(data);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([{ state: 'a' }, { state: 'b' }, { state: 'c' }]);
    expect(fake.slept).toEqual(Array(5).fill(1000));
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const fake = fakeClient(() => json({}));
    const reason = new Error('enough');
    const watching = async () => {
      for await (const _ of fake.custodia.watch('/api/v1/tickets', { signal: controller.signal }))
        controller.abort(reason);
    };
    await expect(watching()).rejects.toBe(reason);
  });
});

describe('a read with If-None-Match', () => {
  it('answers nothing when nothing has changed', async () => {
    const { custodia } = fakeClient(() => new Response(null, { status: 304 }));
    const header = { 'If-None-Match': '"1"' };
    const { data, response } = await custodia.GET('/api/v1/tickets/{id}', { params: { ...params, header } });
    expect([data, response.status]).toEqual([undefined, 304]);
  });
});
