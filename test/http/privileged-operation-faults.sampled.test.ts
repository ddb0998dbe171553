import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as integrationSecrets from '../../functions/integrations/secrets.ts';
import { storedCredentials } from '../support/credentials.ts';
import { EXTENT, sampled } from '../support/extent.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { type Key, keyMadeBy, loginWith } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { useTableOver } from '../support/storage.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * A key that ends its own tokens while calls of the table are lost: condition and change are one write, and the request
 * must not be refused because of its own write. (Changes of other integrations are in `faults.sampled.test.ts`.)
 *
 * `npm test` lets each request meet two faults, `npm run test:slow` each fault, as often as it is its turn; `npm run test:nightly` as often as
 * may be.
 */

const faulty = new FaultyHandler();
const ATTEMPTS = 2;
const api = useApi({ firstKey: false, report: () => undefined });
const owner = prepared(async () => callsOf(api, (await api.orgToken()).token));
beforeAll(async () => {
  // Only faults advance the clock: a slow machine does not use up the function's time, and faults soon do.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});

const useFreshClient = (): void => useTableOver(faulty, ATTEMPTS);

/** A key, and its new token epoch. */
async function freshKey(): Promise<Key> {
  faulty.follow(() => undefined);
  useFreshClient();
  const key = await keyMadeBy(api, owner);
  await key.read('/api/v1/permissions');
  return key;
}
const epochOf = async ({ appCode }: Key) => (await storedCredentials(appCode))?.token_epoch ?? 0;

/** Sends a request whose transaction meets a fault so many times, and repeats it after a 503. */
async function meet(request: () => ReturnType<Calls['ask']>, fault: Fault, times: number) {
  let met = 0;
  faulty.follow(({ operation }) => {
    if (operation !== 'TransactWriteItems' || met++ >= times) return undefined;
    vi.setSystemTime(Date.now() + 3_000);
    return fault;
  });
  const response = await request();
  faulty.follow(() => undefined);
  expect([200, 201, 503]).toContain(response.status);
  if (times === Number.POSITIVE_INFINITY) expect(response.status).toBe(503);
  return response.status === 503 ? { ...(await request()), isSecond: true } : { ...response, isSecond: false };
}

const FAULTS = ['reply-lost', 'timeout', 'applied-server-error', 'dropped', 'conflict'] as const;
const TIMES = [1, 2 * ATTEMPTS, Number.POSITIVE_INFINITY];
/** Each fault, for the `turn`th request with another number of times than for the others. */
const faultsIn = (turn: number) =>
  sampled(
    FAULTS.flatMap((fault, index) =>
      TIMES.filter((_, of) => EXTENT === 'nightly' || of === (index + turn) % TIMES.length).map(
        (times) => [fault, times] as const,
      ),
    ),
    2,
  );

describe('a key that', () => {
  it.each(faultsIn(0))(
    'rotates itself with 0 has its new secret, and no second one: %s, %s times',
    async (fault, times) => {
      const key = await freshKey();
      const headers = { 'idempotency-key': randomUUID() };
      const secret = integrationSecrets.generate();
      const fields = { previous_valid_for: 0, secret };
      const rotate = () => key.ask('POST', `${key.path}/rotate-secret`, fields, { headers });
      const { status, body, headers: responded, isSecond } = await meet(rotate, fault, times);
      expect([status, await epochOf(key)]).toEqual([201, 1]);
      // It is not shown to a token that has ended, except in the response of the request that ended it.
      expect(body.secret).toBe(isSecond && responded.get('idempotent-replayed') === 'true' ? null : secret);
      expect([await loginWith(api, key.appCode, secret), await loginWith(api, key.appCode, key.secret)]).toEqual([
        200, 401,
      ]);
    },
  );

  it.each(faultsIn(1))('sets itself inactive is so: %s, %s times', async (fault, times) => {
    const key = await freshKey();
    const { status, body } = await meet(() => key.ask('PATCH', key.path, { status: 'inactive' }), fault, times);
    expect([status, body.status, await epochOf(key)]).toEqual([200, 'inactive', 1]);
  });

  it.each(faultsIn(2))('ends its own tokens ends them once: %s, %s times', async (fault, times) => {
    const key = await freshKey();
    const { status } = await meet(() => key.ask('POST', `${key.path}/revoke-tokens`), fault, times);
    // A caller that has to repeat the request learns from the 401 that it was carried out.
    expect([200, 401]).toContain(status);
    expect(await epochOf(key)).toBe(1);
  });
});

it.each([...faultsIn(0), ['forgotten', 1] as const])(
  'an integration that gets more loses the secret that a weak key knows, and shows its new one: %s, %s times',
  async (fault, times) => {
    faulty.follow(() => undefined);
    useFreshClient();
    const weak = await keyMadeBy(api, owner, { permissions: ['integrations:write'] });
    const key = await keyMadeBy(api, weak, { permissions: [] });
    const widen = () => owner.ask('PATCH', key.path, { permissions: ['clients:read'] });
    const { status, body, isSecond } = await meet(widen, fault, times);
    expect([status, body.permissions, await loginWith(api, key.appCode, key.secret)]).toEqual([
      200,
      ['clients:read'],
      401,
    ]);
    // A caller that has to repeat the request, and learns that it was carried out, rotates.
    const { secret = isSecond ? (await owner.ask('POST', `${key.path}/rotate-secret`, {})).body.secret : undefined } =
      body;
    expect(await loginWith(api, key.appCode, secret)).toBe(200);
  },
);
