import { randomUUID } from 'node:crypto';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { issueToken } from '#auth';
import { callerOf } from '#identity';
import { configureTable } from '#table';
import { handler } from '../../functions/authorizer/handler.ts';
import { environmentSigner } from '../../shared/auth/environment.ts';
import { altered } from '../support/altered.ts';
import type { OrgAccess } from '../support/api.ts';
import { storedCredentials } from '../support/credentials.ts';
import { FaultyHandler } from '../support/faults.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

const faults = new FaultyHandler();

const api = useApi();
const org = prepared(() => api.orgToken());
beforeAll(() => configureTable({ requestHandler: faults, maxAttempts: 1 }));
beforeEach(() => faults.follow(() => undefined));

const STAGE = 'arn:aws:execute-api:eu-west-1:000000000000:abc123/prod';

const event = (request: Partial<APIGatewayRequestAuthorizerEvent>): APIGatewayRequestAuthorizerEvent =>
  ({
    type: 'REQUEST',
    methodArn: `${STAGE}/GET/api/v1/clients`,
    httpMethod: 'GET',
    resource: '/api/v1/clients',
    path: '/api/v1/clients',
    headers: {},
    multiValueHeaders: {},
    requestContext: { requestId: 'r', domainName: 'api.example.com', path: '/api/v1/clients' },
    ...request,
  }) as APIGatewayRequestAuthorizerEvent;

const bearer = (token: string) => event({ headers: { Authorization: `Bearer ${token}` } });
const expectUnauthorized = (asked: APIGatewayRequestAuthorizerEvent) =>
  expect(handler(asked)).rejects.toThrow(/^Unauthorized$/);
const expectDenied = async (asked: APIGatewayRequestAuthorizerEvent, detail: RegExp) => {
  const { policyDocument, context } = await handler(asked);
  const statement = { Action: 'execute-api:Invoke', Effect: 'Deny', Resource: `${STAGE}/*/*` };
  expect([policyDocument.Statement, context?.detail]).toEqual([[statement], expect.stringMatching(detail)]);
  expect(callerOf(context)).toBeUndefined();
};

const secretsOf = async ({ appCode }: OrgAccess) => (await storedCredentials(appCode))?.secrets ?? [];

describe('the authorizer', () => {
  it('lets a caller through to every route of the stage and says who it is', async () => {
    const response = await handler(bearer(org.token));
    expect(response).toEqual({
      principalId: org.integrationId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${STAGE}/*/*` }],
      },
      context: {
        integration_id: org.integrationId,
        app_code: org.appCode,
        org_id: org.orgId,
        token_id: expect.stringMatching(/^[\da-f-]{36}$/),
        token_epoch: '0',
        secret_id: (await secretsOf(org))[0]?.id,
        expires_at: expect.stringMatching(/^\d+$/),
        permissions: '*',
        scope: '',
        rate_limit: '',
      },
    });
    expect(callerOf(response.context)).toMatchObject({ integrationId: org.integrationId, orgId: org.orgId });
    expect(callerOf((await handler(bearer(await api.platformToken()))).context)?.orgId).toBeNull();
  });

  it('finds the header in any spelling, alone or among many values', async () => {
    const value = `bEARER  ${org.token}`;
    for (const request of [
      { headers: { AUTHORIZATION: value } },
      { multiValueHeaders: { authorization: [value] } },
      { headers: { Authorization: value }, multiValueHeaders: { Authorization: [value] } },
      { headers: { authorization: value }, multiValueHeaders: null },
    ]) {
      await expect(handler(event(request))).resolves.toMatchObject({ principalId: org.integrationId });
    }
  });

  it('takes exactly one token', async () => {
    const value = `Bearer ${org.token}`;
    for (const request of [
      {},
      { headers: null, multiValueHeaders: null },
      { headers: { 'X-Authorization': value } },
      { headers: { 'X-Api-Key': org.token } },
      { queryStringParameters: { access_token: org.token } },
      { headers: { Authorization: value }, multiValueHeaders: { Authorization: [value, value] } },
      { headers: { Authorization: value, authorization: value } },
    ])
      await expectUnauthorized(event(request));
    for (const request of [
      { headers: { Authorization: '' } },
      { headers: { Authorization: org.token } },
      { headers: { Authorization: `Bearer: ${org.token}` } },
      { headers: { Authorization: `${value} ` } },
      { headers: { Authorization: `${value}, ${value}` } },
    ])
      await expectDenied(event(request), /^The header Authorization .*POST \/api\/v1\/auth\/login/);
  });

  it('asks after the integration that the token names, and nobody else’s', async () => {
    const secretId = (await secretsOf(org))[0]?.id ?? null;
    const issue = (change: object) =>
      issueToken(
        {
          integrationId: org.integrationId,
          appCode: org.appCode,
          orgId: org.orgId,
          tokenEpoch: 0,
          secretId: secretId,
          ...change,
        },
        Date.now(),
      );
    await expect(handler(bearer(await issue({})))).resolves.toBeDefined();
    for (const change of [
      { integrationId: randomUUID() },
      { orgId: randomUUID() },
      { orgId: null },
      { appCode: 'platform' },
      { appCode: randomUUID() },
      { tokenEpoch: 1 },
      { secretId: randomUUID() },
      { secretId: null },
    ]) {
      await expectDenied(bearer(await issue(change)), /has ended/);
    }
  });

  it('says why it denies a token whose signature is right, and nothing of any other', async () => {
    const { integrationId, appCode, orgId } = org;
    const identity = { integrationId, appCode, orgId, tokenEpoch: 0, secretId: null };
    const ours = await environmentSigner();
    const theirs = { ...ours, sign: async () => Buffer.alloc(64) };
    const anHourAgo = Date.now() - 3_600_000;
    const denial = async (signer: typeof ours, now: number) =>
      (await handler(bearer(await issueToken(identity, now, signer)))).context;
    expect(await denial(ours, anHourAgo)).toEqual({
      detail: expect.stringMatching(/^The token has expired\. Send the header/),
      challenge:
        'Bearer realm="custodia", error="invalid_token", error_description="The token has expired", ' +
        'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource"',
    });
    const unnamed = { ...bearer('x.y.z'), requestContext: { requestId: 'r' } } as APIGatewayRequestAuthorizerEvent;
    expect((await handler(unnamed)).context?.challenge).toMatch(/^Bearer realm="custodia", [^,]*, [^,]*$/);
    for (const now of [Date.now(), anHourAgo])
      expect((await denial(theirs, now))?.detail).toMatch(/^The token is not one of this service\. /);
    expect((await denial({ ...theirs, kid: 'another' }, anHourAgo))?.detail).toMatch(/^The token is signed with a key/);
  });

  it('denies nothing for a while that may be right in a moment: a token of a clock that is ahead', async () => {
    const { integrationId, appCode, orgId } = org;
    const identity = { integrationId, appCode, orgId, tokenEpoch: 0, secretId: null };
    await expectUnauthorized(bearer(await issueToken(identity, Date.now() + 120_000)));
  });

  it('reads once, and only for a token that is ours', async () => {
    await handler(bearer(org.token));
    expect(faults.calls).toEqual(['GetItem']);
    await expectDenied(bearer(altered(org.token)), /^The token is not one of this service\. /);
    expect(faults.calls).toEqual(['GetItem']);
  });

  it.each(['dropped', 'throttled', 'server-error', 'timeout'] as const)(
    'fails closed when a read is %s',
    async (fault) => {
      faults.follow(() => fault);
      const failure = await handler(bearer(org.token)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect((failure as Error).message).toBe('The authorizer failed');
    },
  );

  it('fails closed when no key is set', async () => {
    vi.stubEnv('KEY_FILE', '');
    vi.stubEnv('SIGNING_KEY_ID', '');
    await expect(handler(bearer(org.token))).rejects.toThrow('The authorizer failed');
  });
});

describe('what the authorizer said', () => {
  it('is a caller only where it is whole: a response kept from before a deployment is nobody, and no sender of a webhook', async () => {
    const context = { ...(await handler(bearer(org.token))).context };
    expect(callerOf(context)?.proof).toBe('token');
    for (const name of ['token_id', 'token_epoch', 'secret_id']) {
      const { [name]: _, ...rest } = context;
      expect(callerOf(rest)).toBeUndefined();
    }
    expect(callerOf({ ...context, token_id: '' })).toBeUndefined();
  });
});

describe('an anonymous caller', () => {
  const registration = (request: Partial<APIGatewayRequestAuthorizerEvent> = {}) =>
    event({
      methodArn: `${STAGE}/POST/api/v1/integrations`,
      httpMethod: 'POST',
      resource: '/api/v1/integrations',
      ...request,
    });

  it('is let through to the first key, that one method, as nobody', async () => {
    const response = await handler(registration());
    expect(response.policyDocument.Statement).toEqual([
      { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${STAGE}/POST/api/v1/integrations` },
    ]);
    expect(callerOf({ ...response.context, principalId: response.principalId })).toBeUndefined();
  });

  it('is let through nowhere else, and never where the stage does not say so', async () => {
    await expectUnauthorized(event({}));
    await expectUnauthorized(registration({ httpMethod: 'GET' }));
    await expectUnauthorized(registration({ resource: '/api/v1/integrations/{id}' }));
    await expectDenied(registration({ headers: { Authorization: '' } }), /^The header Authorization/);
    for (const value of ['off', '', 'true', 'ON', '1']) {
      vi.stubEnv('FIRST_KEY', value);
      await expectUnauthorized(registration());
    }
  });
});

describe('a registration, about which the gateway asks each time where anyone may make a first key', () => {
  const registration = (token: string) =>
    event({
      methodArn: `${STAGE}/POST/api/v1/integrations`,
      httpMethod: 'POST',
      resource: '/api/v1/integrations',
      headers: { Authorization: `Bearer ${token}` },
    });
  const freshToken = () => api.login(org.appCode, org.secret);
  /** The number of requests whose caller was looked up. */
  const lookUps = async (...asked: readonly APIGatewayRequestAuthorizerEvent[]) => {
    faults.follow(() => undefined);
    for (const each of asked) await handler(each);
    return faults.calls.length;
  };

  it('comes from memory for as long as the gateway caches responses for other routes, and no longer', async () => {
    const token = await freshToken();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = await handler(registration(token));
    vi.setSystemTime(Date.now() + 59_000);
    expect(await lookUps(registration(token))).toBe(0);
    expect(await handler(registration(token))).toEqual(first);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await lookUps(registration(token))).toBe(1);
  });

  it('knows from other routes, for which nothing comes from memory', async () => {
    const token = await freshToken();
    expect(await lookUps(bearer(token), registration(token))).toBe(1);
    expect(await lookUps(bearer(token), bearer(token))).toBe(2);
  });

  it('is known by the whole token', async () => {
    const token = await freshToken();
    await handler(registration(token));
    expect(await handler(registration(altered(token)))).toMatchObject({ principalId: 'refused' });
    expect(await lookUps(registration(await freshToken()))).toBe(1);
  });

  it.each([
    ['AUTHORIZER_CACHE_SECONDS', '0'],
    ['AUTHORIZER_CACHE_SECONDS', ''],
    ['FIRST_KEY', 'off'],
  ])('is looked up each time where %s is "%s"', async (variable, value) => {
    vi.stubEnv(variable, value);
    const token = await freshToken();
    expect(await lookUps(registration(token), registration(token))).toBe(2);
  });
});
