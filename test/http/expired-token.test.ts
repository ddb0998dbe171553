import { expect, it, vi } from 'vitest';
import { useApi } from '../support/use-api.ts';

// The gateway caches the authorizer's response for longer than a token's lifetime.
const api = useApi({ authorizerTtlSeconds: 7_200 });

it('a token is refused from the second it expires on, though the authorizer’s response is still kept', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 });
  const issued = Date.now();
  const { token } = await api.orgToken();
  const clients = () => api.request('GET', '/api/v1/clients', { token });
  expect((await clients()).status).toBe(200);
  vi.setSystemTime(issued + 3_599_999);
  expect((await clients()).status).toBe(200);
  vi.setSystemTime(issued + 3_600_000);
  const { status, body, headers } = await clients();
  expect([status, body.detail]).toEqual([401, expect.stringMatching(/^The token has expired\. Send/)]);
  expect(headers.get('www-authenticate')).toBe(
    'Bearer realm="custodia", error="invalid_token", error_description="The token has expired", ' +
      `resource_metadata="${api.url}/.well-known/oauth-protected-resource"`,
  );
});
