import { randomUUID } from 'node:crypto';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { configureTable } from '../../shared/table/client.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { operations, type Scenario, World } from '../support/scenario.ts';

/**
 * The fault sweep: every route that writes, each DynamoDB call of its request, each fault. Whatever happens below the SDK, the answer
 * is right or a 503 that says when to come again; the caller's own retry succeeds; the effect is there exactly once.
 * The routes come from the contracts, so a new one is swept without anyone remembering.
 *
 * `npm test` gives each call two of the faults in turn; `FAULTS=all` gives it all of them.
 */

const FAULTS: readonly Fault[] = [
  'dropped',
  'reply-lost',
  'timeout',
  'throttled',
  'server-error',
  'applied-server-error',
  'conflict',
];
/** The SDK makes this many attempts; a fault that outlasts them reaches our own code. */
const SDK_ATTEMPTS = 4;

const faulty = new FaultyHandler();
let api: Api;
let org: OrgAccess;
let world: World;

beforeAll(async () => {
  api = await startApi();
  configureTable({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    requestHandler: faulty,
    retryStrategy: new ConfiguredRetryStrategy(SDK_ATTEMPTS, 1),
  });
  org = await api.orgToken();
  world = new World(api, org);
});
afterAll(() => api.close());

const writes = operations
  .filter(([id, { method }]) => method !== 'GET' && id !== 'login')
  .map(([id], index) => [id, index] as const);

describe('a fault below the SDK', () => {
  it.each(writes)(
    '%s',
    async (operationId, routeIndex) => {
      const calls = await callsOf(operationId);
      expect(calls).toBeGreaterThan(0);
      for (let call = 0; call < calls; call++) {
        for (const fault of faultsFor(routeIndex + call)) {
          await meet(operationId, { fault, from: call, to: call + 1 });
          await meet(operationId, { fault, from: call, to: call + SDK_ATTEMPTS });
        }
      }
    },
    300_000,
  );
});

const faultsFor = (turn: number): readonly Fault[] =>
  process.env.FAULTS === 'all' ? FAULTS : FAULTS.slice(turn % FAULTS.length, (turn % FAULTS.length) + 1);

/** How many calls an undisturbed request makes. The authorizer's own call was made, and its answer kept, before. */
async function callsOf(operationId: string): Promise<number> {
  const scenario = await world.scenario(operationId);
  faulty.follow(() => undefined);
  const { status } = await world.send(scenario);
  expect(status).toBe(scenario.route.response.status);
  return faulty.calls.length;
}

/** One request under a fault, and what is left of it. */
async function meet(
  operationId: string,
  { fault, from, to }: { fault: Fault; from: number; to: number },
): Promise<void> {
  const scenario = await world.scenario(operationId);
  const before = await tally(scenario);
  const key = { 'idempotency-key': randomUUID() };
  const what = `${operationId}: ${fault} at calls ${from} to ${to - 1}`;

  faulty.follow(({ index }) => (index >= from && index < to ? fault : undefined));
  let answer = await world.send(scenario, key);
  faulty.follow(() => undefined);
  if (answer.status === 503) {
    expect(answer.headers.get('retry-after'), what).toMatch(/^\d+$/);
    answer = await world.send(scenario, key);
  }
  // A delivery or a deletion that was carried out, its answer lost with all attempts, is told so when it comes again.
  const done = { receiveWebhook: 409 }[operationId] ?? (scenario.route.method === 'DELETE' ? 404 : undefined);
  const right = [scenario.route.response.status, ...(to - from > 1 && done !== undefined ? [done] : [])];
  expect(right, `${what}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
  expect(await tally(scenario), what).toBe(before + 1);
}

/** Where a created record shows, if not at the path it was posted to. */
const SHOWN_AT: Readonly<Record<string, (scenario: Scenario) => string>> = {
  createMembership: ({ body }) => `/api/v1/users/${body?.user_id}/memberships`,
  ingestLog: () => '/api/v1/logs',
  receiveWebhook: () => '/api/v1/webhook-events',
};

/** A number that the scenario's effect raises by one, however it is looked at. */
async function tally(scenario: Scenario): Promise<number> {
  const { route, path, body, token = org.token, operationId } = scenario;
  if (route.method === 'POST') {
    const answer = await api.request<{ total?: number; data: unknown[] }>(
      'GET',
      SHOWN_AT[operationId]?.(scenario) ?? path,
      { token },
    );
    return answer.body.total ?? answer.body.data.length;
  }
  const { status, body: record } = await api.request('GET', path, { token });
  if (route.method === 'DELETE') return status === 404 ? 1 : 0;
  const hasChanged = Object.entries(body ?? {}).every(
    ([field, value]) => JSON.stringify(record[field]) === JSON.stringify(value),
  );
  return hasChanged ? 1 : 0;
}
