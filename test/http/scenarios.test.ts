import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { operations, TestTenant } from '../support/scenario.ts';

let api: Api;
let testTenant: TestTenant;
beforeAll(async () => {
  api = await startApi();
  testTenant = new TestTenant(api, await api.orgToken());
});
afterAll(() => api.close());

/** Every endpoint, walked with its own example; the answer is checked against the contract on the way (`support/conformance.ts`). */
describe('every operation does what its example says', () => {
  it.each(operations)('%s', async (operationId, route) => {
    const { status } = await testTenant.send(await testTenant.scenario(operationId));
    expect(status).toBe(route.response.status);
  });

  it.each(operations.filter(([, route]) => route.auth === 'bearer'))('%s wants a token', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    for (const token of [undefined, 'nonsense', 'a.b.c']) {
      const { status, headers } = await testTenant.send({ ...scenario, token });
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    }
  });
});
