import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { Api, OrgAccess } from '../support/api.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { useApi } from '../support/use-api.ts';

/** A key can be revoked while somebody spends its budget, or its tenant's (docs/decisions/0081). */

/** A low limit, so that nothing is refilled meanwhile. */
const LIMITS = { RATE_LIMIT: '1', TENANT_RATE_LIMIT: '2' };

const api = useApi({ authorizerTtlSeconds: 0 });
let other: ServerProcess;
let org: OrgAccess;
beforeAll(async () => {
  other = await startServerProcess(LIMITS);
});
afterAll(async () => {
  await other.close();
});
beforeEach(async () => {
  org = await api.orgToken();
});
afterEach(() => vi.unstubAllEnvs());

const servers = (): readonly Pick<Api, 'request'>[] => [api, other];

const login = async ({ request }: Pick<Api, 'request'>, { appCode: app_code, secret } = org): Promise<string> => {
  const { status, body } = await request<{ access_token: string }>('POST', '/api/v1/auth/login', {
    body: { app_code, secret },
  });
  expect(status).toBe(200);
  return body.access_token;
};

const newKey = async (body: object = {}): Promise<OrgAccess> => {
  const response = await api.request<Record<string, string>>('POST', '/api/v1/integrations', {
    token: org.token,
    body: { app_code: `app-${randomUUID()}`, display_name: 'Another', ...body },
  });
  expect(response.status).toBe(201);
  const { id: integrationId = '', app_code: appCode = '', secret = '' } = response.body;
  return { ...org, integrationId, appCode, secret, token: await api.login(appCode, secret) };
};

/** Repeatedly sends requests with these tokens to all servers, until it is stopped. */
function flood(tokens: readonly string[]): () => Promise<void> {
  let isOver = false;
  const loops = servers().flatMap(({ request }) =>
    tokens.map(async (token) => {
      while (!isOver) await request('GET', '/api/v1/integrations?page_size=1', { token });
    }),
  );
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

/** Limits the budgets of this server, too. Tests create their keys before. */
const limit = (): void => {
  for (const [name, value] of Object.entries(LIMITS)) vi.stubEnv(name, value);
};

/** Waits until this server refuses the token because of its budget. */
const spend = async ({ request }: Pick<Api, 'request'>, token: string): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) {
    if ((await request('GET', '/api/v1/integrations?page_size=1', { token })).status === 429) return;
  }
  throw new Error('the budget was not spent');
};

describe('under a flood with a stolen token', () => {
  it.each([
    ['the key', async () => [org]],
    ['the tenant, by three keys', () => Promise.all([newKey(), newKey(), newKey()])],
  ])('of %s, its owner logs in freshly and cuts off, at any server', async (_, stolenKeys) => {
    const stolen = (await stolenKeys()).map(({ token }) => token);
    limit();
    for (const server of servers()) for (const token of stolen) await spend(server, token);
    const stop = flood(stolen);
    try {
      for (const server of servers()) {
        const path = `/api/v1/integrations/${org.integrationId}`;
        const token = await login(server);
        expect((await server.request('POST', `${path}/revoke-tokens`, { token })).status).toBe(200);
        const rotated = await server.request<{ secret: string }>('POST', `${path}/rotate-secret`, {
          token: await login(server),
          body: { previous_valid_for: 0 },
        });
        expect(rotated.status).toBe(201);
        org = { ...org, secret: rotated.body.secret };
      }
    } finally {
      await stop();
    }
    // The other server caches its authorizer's response.
    expect((await api.request('GET', '/api/v1/integrations', { token: org.token })).status).toBe(401);
  });
});

describe('a change on the reserve', () => {
  // Nothing is refilled, however slow the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
  afterEach(() => void vi.useRealTimers());

  const change = async (id: string, body: object, token: string) =>
    (await api.request('PATCH', `/api/v1/integrations/${id}`, { token, body })).status;

  it('may only take power away, and has used one where it does not', async () => {
    const key = await newKey({ permissions: ['clients:write', 'tickets:read'] });
    limit();
    await spend(api, org.token);
    const token = await login(api);
    expect([
      await change(key.integrationId, { display_name: 'New' }, token),
      await change(key.integrationId, { permissions: ['clients:read'], display_name: 'New' }, token),
      await change(key.integrationId, { permissions: ['clients:read', 'users:read'] }, token),
      await change(key.integrationId, { permissions: ['clients:read'] }, token),
      await change(key.integrationId, { status: 'inactive' }, token),
      await change(key.integrationId, { status: 'inactive' }, token),
    ]).toEqual([429, 429, 429, 200, 200, 429]);
    const again = await login(api);
    expect([
      await change(key.integrationId, { status: 'active' }, again),
      await change(key.integrationId, { permissions: null }, again),
      await change(key.integrationId, { permissions: [] }, again),
      // Nothing has changed.
      await change(key.integrationId, { permissions: [] }, again),
    ]).toEqual([429, 429, 200, 200]);
  });

  it('is of integrations and of users, by three routes each', () => {
    const reserved = contracts.flatMap(({ routes }) =>
      Object.entries(routes).flatMap(([operationId, { cutsOff }]) => (cutsOff ? [operationId] : [])),
    );
    const ofUsers = ['unlinkIdentity', 'revokeUserTokens', 'offboardUser'];
    expect(reserved).toEqual([...ofUsers, 'updateIntegration', 'rotateSecret', 'revokeTokens']);
  });
});
