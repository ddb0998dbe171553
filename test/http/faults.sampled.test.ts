import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type ApiResponse, type OrgAccess, startApi } from '../support/api.ts';
import { AUDITED } from '../support/audited.ts';
import { lookAt } from '../support/effects.ts';
import { EXTENT, sampled } from '../support/extent.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { SDK_ATTEMPTS, useTableOver } from '../support/storage.ts';

/**
 * Every route that writes, each DynamoDB call of its request, each fault. Whatever happens below the SDK, the response
 * is right or a 503 with `Retry-After`; the caller's retry succeeds; the effect happens exactly once. The routes come
 * from the contracts, so new ones are tested automatically.
 *
 * `npm test` gives each call one fault in turn; `npm run test:nightly` gives it all of them.
 */

/** `dropped` and `reply-lost` are connection resets, before and after the call was carried out. */
const FAULTS: readonly Fault[] = [
  'reply-lost',
  'forgotten',
  'dropped',
  'timeout',
  'throttled',
  'applied-server-error',
  'server-error',
  'conflict',
];
/** Faults after a call was carried out. */
const APPLIED: readonly Fault[] = ['reply-lost', 'forgotten', 'timeout', 'applied-server-error'];
/** The number of the SDK's attempts; a longer fault reaches our own code. */

interface Disturbance {
  readonly fault: Fault;
  readonly from: number;
  /** The first call that succeeds again. */
  readonly to: number;
}

const faulty = new FaultyHandler();
let api: Api;
let org: OrgAccess;
let testTenant: TestTenant;

async function start(): Promise<void> {
  // The authorizer's own call is made before, and its response is cached.
  api = await startApi({ authorizerTtlSeconds: 3_600, report: () => undefined });
  useFreshClient();
  org = await api.orgToken();
  testTenant = new TestTenant(api, org);
}

const useFreshClient = (): void => useTableOver(faulty);

/** Leases and uploads, whose repetition depends on time and on what was announced, have tests of their own. */
const TESTED_APART = [
  'login',
  'requestToken',
  'claimServiceAction',
  'extendServiceAction',
  'finishServiceAction',
  'completeAttachment',
];

const writes = operations
  .filter(([id, { method }]) => method !== 'GET' && !TESTED_APART.includes(id))
  .map(([id], index) => [id, index] as const);

describe('a fault below the SDK', () => {
  beforeAll(start);
  afterAll(() => api.close());

  it.each(sampled(writes, 4))('%s', async (operationId, routeIndex) => {
    const calls = await callsOf(operationId);
    expect(calls.length).toBeGreaterThan(0);
    for (const disturbance of disturbancesOf(calls, routeIndex)) await meet(operationId, disturbance);
  });
});

/** No transaction conflicts with a read. */
const isPossible = (fault: Fault, call: string): boolean => fault !== 'conflict' || !/^(Get|Query|Batch)/.test(call);

/** The last write, the commit, is also always carried out by a DynamoDB that then forgets its token. */
function disturbancesOf(calls: readonly string[], turn: number): Disturbance[] {
  const commit = calls.findLastIndex(isWrite);
  const forgotten: Disturbance = { fault: 'forgotten', from: commit, to: commit + 1 };
  const sampled = calls.flatMap((call, from) => {
    const possible = FAULTS.filter((fault) => isPossible(fault, call));
    const all = possible.flatMap((fault) =>
      [1, SDK_ATTEMPTS].map((attempts): Disturbance => ({ fault, from, to: from + attempts })),
    );
    return EXTENT === 'nightly' ? all : all.filter((_, index) => index === ((turn + from) * 3) % all.length);
  });
  return [...sampled, ...(EXTENT === 'nightly' ? [] : [forgotten])];
}

/** What is done again where it is repeated, and leaves another event. */
const DONE_TWICE = ['revokeTokens', 'revokeUserTokens', 'pingWebhookEndpoint', 'replayWebhookEndpoint'];

const isWrite = (call: string): boolean => /^(Transact|Put|Update)/.test(call);

describe('replies that are lost until time runs out', () => {
  beforeAll(async () => {
    await start();
    // Only faults advance the clock: a slow machine does not use up the function's time, and faults soon do.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  });
  afterAll(() => api.close());

  const inTurn = writes.filter(([, index]) => EXTENT === 'nightly' || index % 4 === 0);

  it.each(sampled(inTurn, 2))(
    '%s: 503, and when the caller comes again the effect is there once',
    async (operationId, index) => {
      const calls = await callsOf(operationId);
      const last = calls.findLastIndex(isWrite);
      const fault = APPLIED[index % APPLIED.length] ?? 'reply-lost';
      await meet(operationId, { fault, from: last, to: Number.POSITIVE_INFINITY });
    },
  );
});

/** The calls that an undisturbed request makes. */
async function callsOf(operationId: string): Promise<readonly string[]> {
  const scenario = await testTenant.scenario(operationId);
  faulty.follow(() => undefined);
  const { status } = await testTenant.send(scenario, { 'idempotency-key': randomUUID() });
  expect(status).toBe(scenario.route.response.status);
  return [...faulty.calls];
}

/** One request under a fault, and its effect. */
async function meet(operationId: string, { fault, from, to }: Disturbance): Promise<void> {
  useFreshClient();
  const scenario = await testTenant.scenario(operationId);
  const { route } = scenario;
  const what = `${operationId}: ${fault} at calls ${from} to ${to - 1}`;
  const before = await lookAt(api, org, scenario);
  const headers = {
    'idempotency-key': randomUUID(),
    ...(before.tag === undefined ? {} : { 'if-match': before.tag }),
  };

  faulty.follow(({ index }) => {
    if (index < from || index >= to) return undefined;
    if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + 3_000);
    return fault;
  });
  const send = async () => endOf(await testTenant.send(scenario, headers));
  let response = await send();
  faulty.follow(() => undefined);
  // The service must absorb one fault; a fault that outlasts the SDK may reach the caller, but only as a 503.
  const success = route.batch === undefined ? route.response.status : 201;
  const right = [success, ...(to - from > 1 ? [503] : [])];
  expect(right, `${what}: ${JSON.stringify(response.body)}`).toContain(response.status);
  const isRepeated = response.status === 503;
  if (isRepeated) {
    expect(response.retryAfter, what).toMatch(/^\d+$/);
    response = await send();
    expect([success, ...toldAgain(operationId, route.method)], what).toContain(response.status);
  }
  const after = await lookAt(api, org, scenario);
  expect(after.count, what).toBe(before.count + 1);
  // That of a new organization is in its own audit log.
  const isAudited = operationId in AUDITED && operationId !== 'createOrg';
  const possible = [isAudited ? 1 : 0, ...(DONE_TWICE.includes(operationId) && isRepeated ? [2] : [])];
  expect(possible, `${what}: audit events`).toContain(after.events - before.events);
}

/** How a request ended; a batch as its only operation did. */
function endOf({ status, headers, body }: ApiResponse) {
  const [result] = (body.results ?? []) as { readonly status: number; readonly retry_after?: number }[];
  return result === undefined
    ? { status, retryAfter: headers.get('retry-after'), body }
    : { status: result.status, retryAfter: String(result.retry_after), body };
}

/**
 * How a caller without a response learns that the request was carried out: for a delivery, a deletion, a change of a
 * known version; an upsert finds its record.
 */
function toldAgain(operationId: string, method: string): readonly number[] {
  if (operationId === 'receiveWebhook') return [409];
  // A deleted message is there, in another version.
  return { DELETE: operationId === 'deleteTicketMessage' ? [404, 412] : [404], PATCH: [412], PUT: [200] }[method] ?? [];
}
