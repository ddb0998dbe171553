import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { allow, eventOf, fakeGateway, problemOf } from './gateway-fixture.ts';

const token = (value: string) => ({ headers: ['authorization', `Bearer ${value}`] });

type Options = Parameters<typeof fakeGateway>[0];

/** A gateway whose authorizer responds in this way, and the events that the authorizer got. */
async function authorizing(response: (event: APIGatewayRequestAuthorizerEvent) => unknown, options: Options = {}) {
  const events: APIGatewayRequestAuthorizerEvent[] = [];
  const authorize = (event: APIGatewayRequestAuthorizerEvent): unknown => {
    events.push(event);
    return response(event);
  };
  const { send } = await fakeGateway({ authorize, ...options });
  return { events, send, status: async (path: string, of = 'a') => (await send('GET', path, token(of))).status };
}

const UNAUTHORIZED = '401 unauthorized';

describe('a route with a bearer token', () => {
  it('shows the authorizer the request, and the function the authorizer’s response, as texts', async () => {
    const { events, send } = await authorizing(() => allow({ a: 'text', b: 1, c: true }), { stage: 'dev' });
    const event = eventOf(await send('GET', '/dev/v1/secret/7?x=1', token('t')));
    const texts = { a: 'text', b: '1', c: 'true', principalId: 'somebody' };
    expect(event.requestContext.authorizer).toEqual({ ...texts, integrationLatency: expect.any(Number) });
    expect(events[0]).toMatchObject({
      type: 'REQUEST',
      methodArn: expect.stringMatching(/^arn:aws:execute-api:[\w-]+:\d{12}:\w+\/dev\/GET\/v1\/secret\/7$/),
      resource: '/v1/secret/{id}',
      headers: { authorization: 'Bearer t' },
      pathParameters: { id: '7' },
      queryStringParameters: { x: '1' },
      requestContext: { resourcePath: '/v1/secret/{id}', identity: { sourceIp: '127.0.0.1' } },
    });
    expect(events[0]).not.toHaveProperty('body');
    await send('GET', '/dev/v1/secret/', token('u'));
    expect(events[1]).toMatchObject({ methodArn: expect.stringMatching(/\/secret\/$/), resource: '/v1/secret' });
  });

  it.each([[[]], [['Authorization', '']], [['Authorization', '  ']]])(
    'is a 401 without one, and the authorizer is not called',
    async (headers) => {
      const { events, send } = await authorizing(() => allow());
      const sent = await send('GET', '/v1/secret', { headers });
      expect([problemOf(sent), events]).toEqual([UNAUTHORIZED, []]);
      expect(sent.headers.get('www-authenticate')).toBe('Bearer realm="custodia"');
    },
  );

  it('is a 414 where the path makes the method’s ARN longer than 1,600 bytes', async () => {
    const { events, send, status } = await authorizing(() => allow());
    const path = (bytes: number) =>
      `/v1/secret/${'x'.repeat(bytes - 'arn:aws:execute-api:eu-west-1:000000000000:local/local/GET/v1/secret/'.length)}`;
    expect(await status(path(1_600))).toBe(200);
    expect(problemOf(await send('GET', path(1_601), token('a')))).toBe('414 malformed-request');
    expect(events).toHaveLength(1);
  });

  it('is a 503 where the authorizer takes too long, though a function might', async () => {
    const limits = { authorizerMs: 20, functionMs: 3_600_000 };
    const { send } = await authorizing(() => new Promise(() => undefined), { limits });
    expect(problemOf(await send('GET', '/v1/secret', token('t')))).toBe('503 unavailable');
  });

  it('caches a response by the token, for all routes, until its time is over', async () => {
    const { events, status } = await authorizing(() => allow(), { authorizerTtlSeconds: 60 });
    for (const [path, of] of [
      ['', 'a'],
      ['/1', 'a'],
      ['', 'b'],
    ])
      expect(await status(`/v1/secret${path}`, of)).toBe(200);
    expect(events).toHaveLength(2);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    await status('/v1/secret');
    expect(events).toHaveLength(3);
  });

  it('keeps a policy and not its outcome: one for a single route fails the next', async () => {
    const { events, status } = await authorizing(({ methodArn }) => allow({}, methodArn));
    expect([await status('/v1/secret'), await status('/v1/secret/1'), events.length]).toEqual([200, 401, 1]);
  });

  it('caches a denial, and returns its reason in the body and in the challenge', async () => {
    const context = { detail: 'The token has expired.', challenge: 'Bearer error="invalid_token"' };
    const { events, send } = await authorizing(() => allow(context, 'arn:other'));
    for (const _ of Array(2)) {
      const sent = await send('GET', '/v1/secret', token('a'));
      expect([problemOf(sent), sent.json.detail]).toEqual([UNAUTHORIZED, context.detail]);
      expect(sent.headers.get('www-authenticate')).toBe(context.challenge);
    }
    expect(events).toHaveLength(1);
    const silent = await authorizing(() => allow({}, 'arn:other'));
    expect(problemOf(await silent.send('GET', '/v1/secret', token('a')))).toBe(UNAUTHORIZED);
  });

  it.each([
    ['Unauthorized', UNAUTHORIZED],
    ['no table', '503 unavailable'],
  ])('is not kept when the authorizer throws %s', async (message, expected) => {
    const { events, send } = await authorizing(() => Promise.reject(new Error(message)));
    for (const _ of Array(2)) expect(problemOf(await send('GET', '/v1/secret', token('a')))).toBe(expected);
    expect(events).toHaveLength(2);
  });

  const statement = (Effect: string, Resource: string, Action = 'execute-api:Invoke') => ({ Effect, Action, Resource });
  const policy = (...statements: object[]) => ({ principalId: 'p', policyDocument: { Statement: statements } });
  const arn = 'arn:aws:execute-api:*:*:*';

  it.each<[string, number, unknown]>([
    ['allows the whole stage', 200, policy(statement('Allow', `${arn}/local/*`))],
    ['allows by single characters', 200, policy(statement('Allow', `${arn}/loca?/G?T/v1/secret`))],
    ['allows all actions', 200, policy(statement('Allow', '*', '*'))],
    ['allows a single statement', 200, { principalId: 'p', policyDocument: { Statement: statement('Allow', '*') } }],
    ['denies what it also allows', 401, policy(statement('Allow', '*'), statement('Deny', `${arn}/*/GET/*`))],
    ['says nothing of it', 401, policy(statement('Allow', `${arn}/*/POST/*`))],
    ['allows another action', 401, policy(statement('Allow', '*', 'execute-api:ManageConnections'))],
    ['has a dot that is no wildcard', 401, policy(statement('Allow', `${arn}/local/GET/v1.secret`))],
    ['has no statement', 401, policy()],
    ['is no policy', 503, { principalId: 'p' }],
    ['has no principal', 503, { policyDocument: { Statement: [] } }],
    ['has a condition', 503, policy({ ...statement('Allow', '*'), Condition: {} })],
    ['has an effect of its own', 503, policy(statement('allow', '*'))],
    ['has a list in its context', 503, { ...policy(statement('Allow', '*')), context: { a: [] } }],
    ['is nothing', 503, undefined],
    ['is a text', 503, 'allow'],
  ])('whose policy %s is a %d', async (_, status, response) => {
    const gateway = await authorizing(() => response);
    expect(await gateway.status('/v1/secret')).toBe(status);
  });
});

/** How often the authorizer is asked by a request without a token and two with the same one, and what they get. */
it.each<[string, string, Options, (number | string)[], number]>([
  ['GET', '/v1/things', {}, [200, 200, 200], 0],
  ['POST', '/v1/hooks', {}, [200, 200, 200], 0],
  ['POST', '/v1/keys', { firstKey: true }, [200, 200, 200], 3],
  ['POST', '/v1/keys', {}, [401, 200, 200], 1],
])('%s %s with %j', async (method, path, options, statuses, asked) => {
  const { events, send } = await authorizing(() => allow(), options);
  const sendings = [{}, token('a'), token('a')];
  const found: number[] = [];
  for (const sending of sendings) found.push((await send(method, path, sending)).status);
  expect([found, events.length]).toEqual([statuses, asked]);
});
