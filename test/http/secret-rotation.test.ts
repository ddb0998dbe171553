import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '#tenancy';
import type { JsonBody, OrgAccess, RequestOptions } from '../support/api.ts';
import { storedCredentials } from '../support/credentials.ts';
import { deliver } from '../support/deliver.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ authorizerTtlSeconds: 0 });

const rotate = (
  { integrationId, token }: Pick<OrgAccess, 'integrationId' | 'token'>,
  body: JsonBody = {},
  options: RequestOptions = {},
) => api.request('POST', `/api/v1/integrations/${integrationId}/rotate-secret`, { token, body, ...options });
const rotated = async (org: OrgAccess, body: JsonBody = {}): Promise<string> =>
  String((await rotate(org, body)).body.secret);

/** Whether a secret works for a login and a delivery. */
async function opens({ appCode }: OrgAccess, secret: string): Promise<[login: number, delivery: number]> {
  const login = await api.request('POST', '/api/v1/auth/login', { body: { app_code: appCode, secret } });
  const delivery = await deliver(api, { appCode, secret }, { event_type: 'secret.tried', data: {} });
  return [login.status, delivery.status];
}
const OPEN = [200, 200];
const SHUT = [401, 401];

const storedSecrets = async (appCode: string): Promise<Credentials['secrets']> => {
  return (await storedCredentials(appCode))?.secrets ?? [];
};

describe('rotating a secret', () => {
  it('shows the new one once; both are good for the chosen time', async () => {
    const org = await api.orgToken();
    const before = Date.now();
    const { status, headers, body } = await rotate(org, { previous_valid_for: 3_600 });
    const { body: record } = await api.request('GET', `/api/v1/integrations/${org.integrationId}`, {
      token: org.token,
    });
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([201, 'no-store', null]);
    expect(body).toEqual({
      ...record,
      secret: expect.stringMatching(/^cst_[\w-]{43}$/),
      previous_expires_at: expect.any(String),
      paused_endpoints: [],
    });
    const validFor = Date.parse(String(body.previous_expires_at)) - before;
    // It is in whole seconds, and counted from some moment of the request.
    expect(validFor).toBeGreaterThan(3_599_000);
    expect(validFor).toBeLessThanOrEqual(3_601_000 + Date.now() - before);
    expect(await opens(org, org.secret)).toEqual(OPEN);
    expect(await opens(org, String(body.secret))).toEqual(OPEN);
    expect((await storedSecrets(org.appCode)).map(({ expires_at }) => expires_at)).toEqual([
      null,
      Date.parse(String(body.previous_expires_at)) / 1000,
    ]);
  });

  it('ends the previous one at once, on request', async () => {
    const org = await api.orgToken();
    const { body } = await rotate(org, { previous_valid_for: 0 });
    expect(body.previous_expires_at).toBeNull();
    expect(await opens(org, org.secret)).toEqual(SHUT);
    expect(await opens(org, String(body.secret))).toEqual(OPEN);
    expect(await storedSecrets(org.appCode)).toHaveLength(1);
  });

  it('keeps two at most: again, and the oldest ends', async () => {
    const org = await api.orgToken();
    const [second, third] = [await rotated(org), await rotated(org)];
    expect([await opens(org, org.secret), await opens(org, second), await opens(org, third)]).toEqual([
      SHUT,
      OPEN,
      OPEN,
    ]);
  });

  it('takes a secret that is supplied, under the policy of creation, and none that the integration has', async () => {
    const org = await api.orgToken();
    const secret = 'Zq8-unlucky-scallop-jovial-repaint-crumb-onion-71';
    expect((await rotate(org, { secret })).body.secret).toBe(secret);
    expect(await opens(org, secret)).toEqual(OPEN);
    for (const bad of [secret, org.secret, 'short', 'x'.repeat(40), `${org.appCode}${'0'.repeat(20)}`, null]) {
      const { status, body } = await rotate(org, { secret: bad });
      expect([status, (body.errors as JsonBody[])[0]?.pointer]).toEqual([422, '#/secret']);
    }
    for (const previous_valid_for of [-1, 604_801, 1.5, '60', null]) {
      expect((await rotate(org, { previous_valid_for })).status).toBe(422);
    }
  });

  it('loses no secret that was shown when two come at once', async () => {
    const org = await api.orgToken();
    const secrets = await Promise.all([rotated(org), rotated(org)]);
    for (const secret of secrets) expect(await opens(org, secret)).toEqual(OPEN);
    expect(await opens(org, org.secret)).toEqual(SHUT);
  });

  it('is prepared for an inactive integration, which stays shut until it is active again', async () => {
    const org = await api.orgToken();
    const { body } = await api.request('POST', '/api/v1/integrations', {
      token: org.token,
      body: { app_code: `app-${randomUUID()}`, display_name: 'Paused', status: 'inactive' },
    });
    const paused = { ...org, integrationId: String(body.id), appCode: String(body.app_code) };
    const secret = await rotated(paused);
    expect(await opens(paused, secret)).toEqual([401, 403]);
    await api.request('PATCH', `/api/v1/integrations/${paused.integrationId}`, {
      token: org.token,
      body: { status: 'active' },
    });
    expect(await opens(paused, secret)).toEqual(OPEN);
  });
});
