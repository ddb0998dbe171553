import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { AUTHORIZER } from '../../infra/rights.ts';
import { proxyEvent } from '../../local/gateway/event.ts';
import { resourceTree } from '../../local/gateway/resources.ts';
import type { OrgAccess } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { TestTenant } from '../support/scenario.ts';
import { SECRET_CREDENTIALS } from './account/account.ts';
import type { RunningStack } from './account/deploy.ts';
import { LambdaFunction } from './account/functions.ts';

/** What the runtime has reported, invocation by invocation, without their ids. */
const reportsOf = ({ environments }: LambdaFunction): string[] =>
  environments
    .flatMap(({ calls }) => calls)
    .flatMap((call) => /^POST (?:invocation\/[^/]+\/)?(.*)$/.exec(call)?.[1] ?? []);

/**
 * Every bundle behind Lambda's runtime interface: it loads, answers, and begins anew after what ends it. The gateway sends the events, in the shape
 * of API Gateway's. What else the bundles do under their roles is in `deployed.slow.test.ts`.
 */
export function describeRuntimeInterface(api: () => RunningStack, org: () => OrgAccess): void {
  const secretsIn = (text: string): string[] =>
    [...Object.values(SECRET_CREDENTIALS), org().secret, org().token].filter((secret) => text.includes(secret));

  /** A request that the function answers; the authorizer does with a token that the gateway has not seen before. */
  async function useOf(name: string): Promise<number> {
    if (name === AUTHORIZER) {
      const token = await api().login(org().appCode, org().secret);
      return (await api().request('GET', '/api/v1/clients', { token })).status;
    }
    const contract = contracts.find((each) => each.name === name);
    const [operationId = ''] = Object.keys(contract?.routes ?? {});
    const testTenant = new TestTenant(api(), org());
    const scenario = await testTenant.scenario(operationId);
    const { status } = await testTenant.send(scenario);
    return status === scenario.route.response.status ? 200 : status;
  }

  describe.each(functionNames(contracts))('%s', (name) => {
    const lambda = (): LambdaFunction => {
      const found = api().lambda.get(name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    };

    it('starts, and answers one request after the other in one environment', async () => {
      const before = reportsOf(lambda()).length;
      expect([await useOf(name), await useOf(name)]).toEqual([200, 200]);
      const reports = reportsOf(lambda()).slice(before);
      expect(reports.length).toBeGreaterThanOrEqual(2);
      expect(new Set(reports)).toEqual(new Set(['response']));
      expect(lambda().environments).toHaveLength(1);
    });

    it('reports an error that it throws as Lambda has it, keeps its secrets, and goes on', async () => {
      // No event of API Gateway: what answers errors cannot answer this one.
      const outcome = await lambda().invoke({ nothing: 'of a request' });
      expect(reportsOf(lambda()).at(-1)).toBe('error');
      const { error } = outcome as { error: { errorType: string; errorMessage: string; trace: string[] } };
      expect(error).toEqual({
        errorType: expect.stringMatching(/Error$/),
        errorMessage: expect.stringMatching(/./),
        trace: expect.arrayContaining([expect.stringMatching(/^ +at /)]),
      });
      expect(error.trace[0]).toBe(`${error.errorType}: ${error.errorMessage}`);
      await vi.waitFor(() => expect(lambda().log).toContain(JSON.stringify(error.errorMessage)), PATIENCE);
      expect(secretsIn(JSON.stringify(error) + lambda().log)).toEqual([]);
      expect(await useOf(name)).toBe(200);
      expect(lambda().environments).toHaveLength(1);
    });

    it('is ended when its time is over, and answers again in a fresh environment', async () => {
      const stuck = lambda().environments.at(-1);
      process.kill(stuck?.pid ?? Number.NaN, 'SIGSTOP');
      const outcome = await lambda().invoke({}, 50);
      expect(outcome).toMatchObject({ error: { errorType: 'Sandbox.Timedout' } });
      expect(stuck?.hasEnded).toBe(true);
      expect(await useOf(name)).toBe(200);
      expect(lambda().environments).toHaveLength(2);
    });
  });

  describe('the authorizer', () => {
    it('refuses what is no token by an error of its function, which the gateway answers as 401', async () => {
      const authorizer = api().lambda.get(AUTHORIZER);
      expect((await api().request('GET', '/api/v1/clients', { token: 'two words' })).status).toBe(401);
      expect(reportsOf(authorizer as LambdaFunction).at(-1)).toBe('error');
      await vi.waitFor(() => expect(authorizer?.log).toContain('"errorMessage":"Unauthorized"'), PATIENCE);
    });
  });

  describe('a table that does not answer', () => {
    it('is a 503 before the deadline that Lambda tells', async () => {
      const silent = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const auth = api().lambda.get('auth') as LambdaFunction;
      const { environment } = auth.configuration;
      const AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const waiting = new LambdaFunction({
        ...auth.configuration,
        environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB },
      });
      try {
        // It has more time than it is told, so that a slow machine ends no function that kept to it.
        const outcome = await waiting.invoke(loginEvent(org()), PATIENCE, 3_000);
        const { statusCode, body } = JSON.parse((outcome as { payload: string }).payload);
        expect([statusCode, JSON.parse(body)]).toEqual([503, expect.objectContaining({ status: 503 })]);
      } finally {
        await waiting.stop();
        silent.closeAllConnections();
        silent.close();
      }
    });
  });
}

/** A login, as API Gateway would send it. */
function loginEvent({ appCode, secret }: OrgAccess): object {
  const path = '/api/v1/auth/login';
  const segments = path
    .split('/')
    .slice(1)
    .map((raw) => ({ raw, decoded: raw }));
  const match = resourceTree(contracts)(segments);
  if (match === undefined) throw new Error(`no resource ${path}`);
  const body = Buffer.from(JSON.stringify({ app_code: appCode, secret }));
  const incoming = {
    method: 'POST',
    path,
    segments,
    query: [],
    headers: [['Content-Type', 'application/json'] as const],
    body,
    sourceIp: '127.0.0.1',
    httpVersion: '1.1',
  };
  const routed = {
    requestId: randomUUID(),
    traceId: 'Root=1-0-0',
    stage: 'dev',
    calledPath: `/dev${path}`,
    incoming,
    match,
  };
  return proxyEvent(routed, undefined);
}
