import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { allow, eventOf, fakeGateway, problemOf } from './gateway-fixture.ts';

const token = (value: string) => ({ headers: ['authorization', `Bearer ${value}`] });
const counting = (response: (event: APIGatewayRequestAuthorizerEvent) => unknown) => {
  const events: APIGatewayRequestAuthorizerEvent[] = [];
  const authorize = (event: APIGatewayRequestAuthorizerEvent): unknown => {
    events.push(event);
    return response(event);
  };
  return { events, authorize };
};

describe('a route with a bearer token', () => {
  it('shows the authorizer the request, and the function what it answered, as texts', async () => {
    const { events, authorize } = counting(() => allow({ a: 'text', b: 1, c: true }));
    const { send } = await fakeGateway({ authorize, stage: 'dev' });
    const event = eventOf(await send('GET', '/dev/v1/secret/7?x=1', token('t')));
    expect(event.requestContext.authorizer).toEqual({
      a: 'text',
      b: '1',
      c: 'true',
      principalId: 'somebody',
      integrationLatency: expect.any(Number),
    });
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
  });

  it.each([{}, { headers: ['Authorization', ''] }, { headers: ['Authorization', '  '] }])(
    'is a 401 without one, and the authorizer is not called',
    async (sending) => {
      const { events, authorize } = counting(() => allow());
      const { send } = await fakeGateway({ authorize });
      const sent = await send('GET', '/v1/secret', sending);
      expect(problemOf(sent)).toBe('401 unauthorized');
      expect(sent.headers.get('www-authenticate')).toBe('Bearer realm="custodia"');
      expect(events).toEqual([]);
    },
  );

  it('takes a slash at the end for a part of the method’s ARN', async () => {
    const { events, authorize } = counting(() => allow());
    const { send } = await fakeGateway({ authorize });
    await send('GET', '/v1/secret/', token('t'));
    expect(events[0]).toMatchObject({
      methodArn: expect.stringMatching(/\/GET\/v1\/secret\/$/),
      resource: '/v1/secret',
    });
  });

  it('is a 414 where the path makes the method’s ARN longer than 1,600 bytes', async () => {
    const { events, authorize } = counting(() => allow());
    const { send } = await fakeGateway({ authorize });
    const arn = 'arn:aws:execute-api:eu-west-1:000000000000:local/local/GET/v1/secret/';
    expect((await send('GET', `/v1/secret/${'x'.repeat(1_600 - arn.length)}`, token('t'))).status).toBe(200);
    const sent = await send('GET', `/v1/secret/${'x'.repeat(1_601 - arn.length)}`, token('t'));
    expect(problemOf(sent)).toBe('414 malformed-request');
    expect(events).toHaveLength(1);
  });

  it('is a 503 where the authorizer takes too long, though a function might', async () => {
    const { send } = await fakeGateway({
      authorize: () => new Promise(() => undefined),
      limits: { authorizerMs: 20, functionMs: 3_600_000 },
    });
    expect(problemOf(await send('GET', '/v1/secret', token('t')))).toBe('503 unavailable');
  });

  it('keeps an answer by the token, for all routes, until its time is over', async () => {
    const { events, authorize } = counting(() => allow({ n: events.length }));
    const { send } = await fakeGateway({ authorize, authorizerTtlSeconds: 60 });
    const seen = async (path: string, value: string) =>
      eventOf(await send('GET', path, token(value))).requestContext.authorizer?.n;
    expect([await seen('/v1/secret', 'a'), await seen('/v1/secret/1', 'a'), await seen('/v1/secret', 'b')]).toEqual([
      '1',
      '1',
      '2',
    ]);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    expect(await seen('/v1/secret', 'a')).toBe('3');
  });

  it('keeps a policy and not its outcome: one for a single route fails the next', async () => {
    const { events, authorize } = counting(({ methodArn }) => allow({}, methodArn));
    const { send } = await fakeGateway({ authorize });
    expect((await send('GET', '/v1/secret', token('a'))).status).toBe(200);
    expect(problemOf(await send('GET', '/v1/secret/1', token('a')))).toBe('401 unauthorized');
    expect(events).toHaveLength(1);
  });

  it('keeps a denial', async () => {
    const { events, authorize } = counting(() => allow({}, 'arn:other'));
    const { send } = await fakeGateway({ authorize });
    expect(problemOf(await send('GET', '/v1/secret', token('a')))).toBe('401 unauthorized');
    expect(problemOf(await send('GET', '/v1/secret', token('a')))).toBe('401 unauthorized');
    expect(events).toHaveLength(1);
  });

  it('tells what a denial says of the token, in the body and in the challenge', async () => {
    const context = { detail: 'The token has expired.', challenge: 'Bearer error="invalid_token"' };
    const { send } = await fakeGateway({ authorize: () => ({ ...allow({}, 'arn:other'), context }) });
    const sent = await send('GET', '/v1/secret', token('a'));
    expect([problemOf(sent), sent.json.detail]).toEqual(['401 unauthorized', context.detail]);
    expect(sent.headers.get('www-authenticate')).toBe(context.challenge);
  });

  it.each<[string, string, unknown]>([
    ['Unauthorized', '401 unauthorized', new Error('Unauthorized')],
    ['anything else', '503 unavailable', new Error('no table')],
  ])('is not kept when the authorizer throws %s', async (_, expected, thrown) => {
    const { events, authorize } = counting(() => Promise.reject(thrown));
    const { send } = await fakeGateway({ authorize });
    expect(problemOf(await send('GET', '/v1/secret', token('a')))).toBe(expected);
    expect(problemOf(await send('GET', '/v1/secret', token('a')))).toBe(expected);
    expect(events).toHaveLength(2);
  });

  const statement = (effect: string, resource: string, action = 'execute-api:Invoke') => ({
    Effect: effect,
    Action: action,
    Resource: resource,
  });
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
    ['is too much', 503, 'allow'],
  ])('whose policy %s is a %d', async (_, status, response) => {
    const { send } = await fakeGateway({ authorize: () => response });
    expect((await send('GET', '/v1/secret', token('a'))).status).toBe(status);
  });
});

describe('other routes', () => {
  it.each([
    ['GET', '/v1/things'],
    ['POST', '/v1/hooks'],
  ])('%s %s asks no authorizer', async (method, path) => {
    const { events, authorize } = counting(() => allow());
    const { send } = await fakeGateway({ authorize });
    expect((await send(method, path, token('a'))).status).toBe(200);
    expect(events).toEqual([]);
  });

  it('asks the authorizer every time where a first key is allowed, with a token and without', async () => {
    const { events, authorize } = counting(() => allow());
    const { send } = await fakeGateway({ authorize, firstKey: true });
    for (const sending of [{}, token('a'), token('a')])
      expect((await send('POST', '/v1/keys', sending)).status).toBe(200);
    expect(events).toHaveLength(3);
  });

  it('wants a token where no first key is allowed', async () => {
    const { send } = await fakeGateway();
    expect(problemOf(await send('POST', '/v1/keys'))).toBe('401 unauthorized');
    expect((await send('POST', '/v1/keys', token('a'))).status).toBe(200);
  });
});
