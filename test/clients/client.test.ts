import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Custodia, CustodiaProblem, createCustodia } from '../../packages/client/src/index.ts';
import { systemTiming } from '../../packages/client/src/timing.ts';
import { listening } from '../support/listening.ts';
import { fakeClient, INTEGRATION, inOrder, json, type Reply, refusal } from './fake.ts';

/** What `@custodia/client` does around requests, over responses that are written down. */

const TICKET = { subject: 'No receipts', description: 'Silent.', source: 'email', contact_id: 'someone' };
const params = { path: { id: 'some-id' } };
const ifMatch = { params: { ...params, header: { 'If-Match': '"1"' } } };

const CALLS = {
  read: ({ GET }: Custodia) => GET('/api/v1/tickets'),
  create: ({ POST }: Custodia) => POST('/api/v1/tickets', { body: TICKET }),
  register: ({ POST }: Custodia) => POST('/api/v1/integrations', { body: { app_code: 'a', display_name: 'A' } }),
  change: ({ PATCH }: Custodia) => PATCH('/api/v1/tickets/{id}', { params, body: { status: 'closed' } }),
  'change what was read': ({ PATCH }: Custodia) =>
    PATCH('/api/v1/tickets/{id}', { ...ifMatch, body: { status: 'closed' } }),
  remove: ({ DELETE }: Custodia) => DELETE('/api/v1/tickets/{id}', { params }),
};

const noResponse = () => new TypeError('fetch failed');
const refusing = (status: number, after?: string) => () =>
  refusal('conflict', status, after === undefined ? {} : { 'retry-after': after });

describe('a request that fails', () => {
  /** The waits in milliseconds say how often it is sent. */
  it.each<[string, keyof typeof CALLS, () => Response | Error, number[], Parameters<typeof fakeClient>[1]?]>([
    ['too early, and says when it may come', 'remove', refusing(429, '2'), [2125, 2250, 2500]],
    // The clock of these tests begins 1,000 s after 1970, and moves by the waits.
    ['until a day', 'read', refusing(503, 'Thu, 01 Jan 1970 00:16:47 GMT'), [7125, 250, 500]],
    ['in the way of others', 'create', refusing(409, '1'), [1125, 1250, 1500]],
    ['and is to wait for too long', 'read', refusing(429, '31'), []],
    ['and may wait for long', 'read', refusing(429, '31'), [31_125], { retry: { longest: 60_000, attempts: 2 } }],
    ...[500, 502, 503, 504].map((status) => [`with ${status}`, 'read', refusing(status), [125, 250, 500]] as never),
    ...[400, 403, 404, 409, 412, 422].map((status) => [`with ${status}`, 'create', refusing(status), []] as never),
    ['in an unknown way', 'create', noResponse, [125, 250, 500]],
    ['in an unknown way', 'change', noResponse, [125, 250, 500]],
    ['in an unknown way', 'change what was read', noResponse, []],
    ['in an unknown way', 'remove', noResponse, []],
    // Without a token there is no idempotency.
    ['in an unknown way', 'register', noResponse, [], { credentials: undefined }],
  ])('%s, to %s: is sent again where that can help', async (_, call, reply, waits, options) => {
    const { custodia, sent, slept } = fakeClient(reply, options);
    const failure = await CALLS[call](custodia).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(reply === noResponse ? TypeError : CustodiaProblem);
    expect([slept, sent.length]).toEqual([waits, waits.length + 1]);
  });

  it('creates under one key, which the caller may name', async () => {
    const { custodia, sent } = fakeClient(inOrder(noResponse, refusing(503), () => json({ id: 'x' }, 201)));
    await CALLS.create(custodia);
    await CALLS.create(custodia);
    const header = { 'Idempotency-Key': 'mine' };
    await custodia.POST('/api/v1/tickets', { body: TICKET, params: { header } });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(['key-1', 'key-1', 'key-1', 'key-2', 'mine']);
    for (const { body } of sent) expect(JSON.parse(body)).toEqual(TICKET);
  });

  it('ends with its signal: before, during and between the attempts', async () => {
    const reason = new Error('enough');
    const attempt = async (controller: AbortController, reply: Reply, options = {}) => {
      const { custodia, sent } = fakeClient(reply, options);
      await expect(custodia.GET('/api/v1/tickets', { signal: controller.signal })).rejects.toBe(reason);
      return sent.length;
    };
    const [before, during, between] = [new AbortController(), new AbortController(), new AbortController()];
    before.abort(reason);
    expect(await attempt(before, () => json({}))).toBe(0);
    const hanging: Reply = (_, { signal }) => {
      during.abort(reason);
      return Promise.reject(signal.reason);
    };
    expect(await attempt(during, hanging)).toBe(1);
    const failing = () => {
      setTimeout(() => between.abort(reason));
      return refusal('unavailable', 503);
    };
    expect(await attempt(between, failing, { timing: { ...systemTiming, random: () => 1_000 } })).toBe(1);
  });

  it('has a new, long key each time', () => {
    const keys = Array.from({ length: 100 }, systemTiming.newKey);
    expect([new Set(keys).size, keys.every((key) => /^[\da-f]{32}$/.test(key))]).toEqual([100, true]);
  });
});

describe('an attempt to which nobody responds', () => {
  const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

  /** Hangs until its signal is aborted, as `fetch` does. */
  const hangs: Reply = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  /** A client whose attempts are all given up; `given` has the milliseconds of each. */
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

  it('is given up after 30 s and sent again under its key; the last one ends with a TimeoutError', async () => {
    let attempts = 0;
    const fake = impatient((sent, request) => (++attempts === 3 ? json({}, 201) : hangs(sent, request)));
    await CALLS.create(fake.custodia);
    expect(fake.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key', 'key', 'key']);
    await expect(CALLS.read(fake.custodia)).rejects.toBe(late);
    // It cannot be repeated.
    await expect(CALLS.remove(fake.custodia)).rejects.toBe(late);
    expect(fake.given).toEqual(Array(8).fill(30_000));
  });

  it('of a login is given up, too', async () => {
    const { custodia, sent } = impatient(hangs, { credentials: INTEGRATION, retry: { attempts: 2 }, timeout: 500 });
    await expect(CALLS.read(custodia)).rejects.toBe(late);
    expect(sent.map(({ target }) => target)).toEqual(Array(2).fill('/stage/api/v1/auth/login'));
  });

  it('is the caller’s to end before that, and then not sent again', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { custodia, sent } = impatient((each, request) => {
      controller.abort(reason);
      return hangs(each, request);
    });
    await expect(custodia.GET('/api/v1/tickets', { signal: controller.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it('is given up by the real clock and the real `fetch`, with no response and with half of one', async () => {
    const server = createServer((request, response) => {
      if (request.url?.endsWith('/clients')) response.writeHead(200, { 'content-length': 100 }).write('{');
    });
    const baseUrl = await listening(server);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const custodia = createCustodia({ baseUrl, timeout: 20, retry: { attempts: 2, delay: 1 } });
    for (const path of ['/api/v1/tickets', '/api/v1/clients'] as const)
      await expect(custodia.GET(path)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('may take for ever where that is asked for; what is no number of milliseconds is refused', async () => {
    const patient = impatient(() => json({}), { timeout: Number.POSITIVE_INFINITY });
    await CALLS.read(patient.custodia);
    expect(patient.given).toEqual([]);
    for (const timeout of [Number.NaN, -1]) {
      const wrong = fakeClient(() => json({}), { timeout, timing: { timeout: systemTiming.timeout } });
      await expect(CALLS.read(wrong.custodia)).rejects.toThrow();
      expect(wrong.sent).toEqual([]);
    }
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %d is a problem, and nothing is sent to where it leads', async (status) => {
    const reached: string[] = [];
    const elsewhere = createServer((request, response) => {
      reached.push(`${request.url}`);
      response.end('{}');
    });
    const target = `${await listening(elsewhere)}/api/v1/auth/login`;
    const server = createServer((_, response) => response.writeHead(status, { location: target }).end());
    const baseUrl = await listening(server);
    onTestFinished(() => {
      for (const each of [server, elsewhere]) each.close();
    });
    const custodia = createCustodia({ baseUrl, credentials: INTEGRATION });
    const calls = [
      () => CALLS.read(custodia),
      () => custodia.auth.login({ app_code: INTEGRATION.appCode, secret: INTEGRATION.secret }),
      () => custodia.sendWebhook({ event_type: 'client.created', data: { name: 'A' } }, { eventId: 'one' }),
    ];
    for (const call of calls) {
      const message = expect.stringContaining(`A redirect to ${target}, which is not followed`);
      await expect(call()).rejects.toMatchObject({ name: 'CustodiaProblem', type: 'about:blank', status, message });
    }
    expect(reached).toEqual([]);
  });
});

describe('a problem', () => {
  const problemOf = (response: () => Response) =>
    CALLS.read(fakeClient(response).custodia).catch((error: unknown) => error as CustodiaProblem);

  it('says what is wrong, where, when to come back, and how to ask about it', async () => {
    const body = {
      ...{ type: 'urn:problem-type:custodia:already-exists', title: 'It exists', status: 409, detail: 'Another one.' },
      ...{ request_id: 'request-1', errors: [{ in: 'body', pointer: '#/slug', detail: 'is taken' }] },
    };
    const problem = (await problemOf(() => json(body, 409, { 'retry-after': '31' }))) as CustodiaProblem;
    const { request_id: requestId, ...fields } = body;
    const message = '409 It exists; Another one; #/slug: is taken';
    expect(problem).toMatchObject({ ...fields, requestId, retryAfter: 31, message });
    expect([problem.is('already-exists'), problem.is('conflict')]).toEqual([true, false]);
  });

  it('says all findings in one line, of bounded length', async () => {
    const finding = (pointer: string, detail: string, place = 'body') => ({ in: place, pointer, detail });
    const missing = [finding('#/name', 'is required'), finding('#/page', 'must be\n1 or more', 'query')];
    const of = async (errors: unknown) => problemOf(() => json({ title: 'Not valid', errors }, 422));
    expect(await of(missing)).toMatchObject({
      message: '422 Not valid; #/name: is required; query #/page: must be 1 or more',
    });
    const many = (await of(Array(5000).fill(finding('#/x', 'y'.repeat(1000))))) as CustodiaProblem;
    expect(many.message).toMatch(/^422 Not valid; (#\/x: y{495}; ){9}and 4991 more$/);
    expect(many.errors).toHaveLength(5000);
    // Something in between may have errors of another kind.
    expect(await of({ name: ['is required'] })).toMatchObject({ message: '422 Not valid', errors: [] });
  });

  it.each(['<h1>Bad gateway</h1>', null, 'null'])('of something in between, %j, has status and id', async (text) => {
    const init = { status: 502, statusText: 'Bad Gateway', headers: { 'x-request-id': 'request-2' } };
    expect(await problemOf(() => new Response(text, init))).toMatchObject({
      ...{ type: 'about:blank', status: 502, title: 'Bad Gateway', requestId: 'request-2', errors: [] },
    });
  });
});
