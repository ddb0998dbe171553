import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { noContent, type Route, route } from '#contract';
import type { Caller } from '#identity';
import { increment, logger } from '#telemetry';
import { requestBudget } from '../../shared/http/middleware/caller.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { takeReserve } from '../../shared/tenancy/budget/bucket.ts';
import { aCaller } from '../support/caller.ts';
import { aSession, type ChainEvent, RESPONSE, refusal, routedEvent, through } from '../support/chain.ts';
import { noonOfToday } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { FaultyHandler } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { tableAt } from '../support/storage.ts';

const NOW = noonOfToday();

const options = { summary: 'x', permission: 'things:write', response: noContent('Done.') } as const;
const reading = route('GET', '/things', options);
const cuttingOff = route('POST', '/things/end', { ...options, cutsOff: true });

let table: FreshTable;
beforeAll(async () => {
  table = await freshTable();
});

/** Budgets belong to the process: each test has a caller of its own, in a tenant of its own. */
let caller: Caller;
beforeEach(() => {
  vi.stubEnv('RATE_LIMIT', '600');
  caller = aCaller(randomUUID(), { integration_id: randomUUID() });
});

const asked = (given: Partial<ChainEvent> = { caller }, to: Route = reading): ChainEvent =>
  routedEvent(to, { session: aSession(() => NOW, tableAt(table)), responseHeaders: {}, ...given });

describe('a request that cuts off a key', () => {
  const tokenOf = (token_id: string) => aCaller(String(caller.orgId), { integration_id: caller.id, token_id });
  const spend = async () => {
    vi.stubEnv('RATE_LIMIT', '1');
    await through([requestBudget()], asked());
  };

  it('is served from the reserve of its token, five times', async () => {
    await spend();
    const thief = tokenOf(randomUUID());
    for (let turn = 0; turn < 5; turn++) {
      const event = asked({ caller: thief }, cuttingOff);
      expect(await through([requestBudget()], event)).toEqual(RESPONSE);
      expect(event.responseHeaders).toEqual({
        'RateLimit-Policy': '"default";q=1;w=60',
        RateLimit: '"default";r=0;t=60',
      });
    }
    expect((await refusal([requestBudget()], asked({ caller: thief }, cuttingOff))).type).toBe('too-many-requests');
    // Another login, and another route.
    expect(await through([requestBudget()], asked({ caller: tokenOf(randomUUID()) }, cuttingOff))).toEqual(RESPONSE);
    expect((await refusal([requestBudget()], asked({ caller: tokenOf(randomUUID()) }))).type).toBe('too-many-requests');
  });

  it('leaves the reserve alone while there is budget', async () => {
    const token = tokenOf(randomUUID());
    for (let turn = 0; turn < 10; turn++) await through([requestBudget()], asked({ caller: token }, cuttingOff));
    vi.stubEnv('RATE_LIMIT', '1');
    expect(await through([requestBudget()], asked({ caller: token }, cuttingOff))).toEqual(RESPONSE);
  });

  it('is refused where its operation finds that it gives power, and has used one', async () => {
    await spend();
    const token = tokenOf(randomUUID());
    const giving = () =>
      through([requestBudget()], asked({ caller: token }, cuttingOff), async ({ budget }) => {
        budget.require();
        return RESPONSE;
      });
    for (let turn = 0; turn < 5; turn++) await expect(giving()).rejects.toMatchObject({ type: 'too-many-requests' });
    expect((await refusal([requestBudget()], asked({ caller: token }, cuttingOff))).type).toBe('too-many-requests');
  });

  it('has its reserve however many tokens others use', async () => {
    await spend();
    const token = tokenOf(randomUUID());
    await through([requestBudget()], asked({ caller: token }, cuttingOff));
    for (let other = 0; other < 10_001; other++) takeReserve(tokenOf(`other-${other}`), NOW);
    for (let turn = 0; turn < 4; turn++) {
      expect(await through([requestBudget()], asked({ caller: token }, cuttingOff))).toEqual(RESPONSE);
    }
  });
});

it('what is left is told in the headers as the operation has read it', async () => {
  for (let turn = 0; turn < 20; turn++) await through([requestBudget()], asked());
  let now = NOW;
  const session = aSession(() => {
    now += 200;
    return now;
  }, tableAt(table));
  const event = asked({ caller, session });
  let remaining = 0;
  await through([requestBudget()], event, async ({ budget }) => {
    remaining = Math.min(...(await budget.readLimits()).map((limit) => limit.remaining));
    return RESPONSE;
  });
  expect(remaining).toBeLessThan(600);
  expect(event.responseHeaders.RateLimit).toContain(`r=${remaining};`);
});

describe('what was spent', () => {
  // So few that each request is flushed to the table.
  beforeEach(() => vi.stubEnv('RATE_LIMIT', '20'));

  it.each([
    ['an answer', async () => RESPONSE],
    ['an error', () => Promise.reject(new Error('it failed'))],
  ])('is written down before %s goes out: a container may be frozen then', async (_, handler) => {
    const network = new PausingHandler();
    const settling = network.pauseBefore('UpdateItem');
    const event = asked({ caller, session: aSession(() => NOW, tableAt(table, network)) });
    let isOut = false;
    const out = Promise.allSettled([through([requestBudget()], event, handler)]).finally(() => {
      isOut = true;
    });
    await settling.reached;
    await nextTurn();
    expect(isOut).toBe(false);
    settling.release();
    await out;
  });

  it('is flushed by the lean client, as everything else', async () => {
    const network = new FaultyHandler();
    const own = tableAt(table, network);
    const { protocol } = own.client.config as unknown as { readonly protocol: { serializeRequest(): unknown } };
    const bySdk = vi.spyOn(protocol, 'serializeRequest');
    const session = aSession(() => NOW, own);
    for (let turn = 0; turn < 3; turn++) await through([requestBudget()], asked({ caller, session }));
    expect(network.calls).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem']);
    expect(bySdk).toHaveBeenCalledTimes(1);
  });

  it('is flushed after a request that waited, however little it is: many containers have such requests', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    const network = new FaultyHandler();
    const repeating = (calls: number) =>
      within(new Invocation({}), () =>
        through(
          [requestBudget()],
          asked({ caller, session: aSession(() => NOW, tableAt(table, network)) }),
          async () => {
            increment('TableRetries', calls);
            return RESPONSE;
          },
        ),
      );
    // The first request counts itself.
    await repeating(1);
    expect(network.calls).toEqual(['UpdateItem']);
    // The budgets of integration and tenant.
    await repeating(2);
    expect(network.calls).toEqual(Array(3).fill('UpdateItem'));
    await repeating(0);
    expect(network.calls).toHaveLength(3);
  });

  it('holds no response for longer than a second', async () => {
    const log = vi.spyOn(logger, 'warn').mockReturnValue(undefined);
    const second = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(second.signal);
    const network = new PausingHandler();
    const hanging = network.pauseBefore('UpdateItem');
    const session = aSession(() => NOW, tableAt(table, network));
    const out = through([requestBudget()], asked({ caller, session }));
    await hanging.reached;
    second.abort();
    expect(await out).toEqual(RESPONSE);
    expect(timeout).toHaveBeenCalledWith(1_000);
    expect(log).toHaveBeenCalledWith('a request budget could not be settled', { error: expect.any(Error) });
    hanging.release();
  });

  it('is no reason to refuse anybody when it cannot be', async () => {
    const log = vi.spyOn(logger, 'warn').mockReturnValue(undefined);
    const network = new FaultyHandler();
    network.follow(() => 'dropped');
    const event = asked({ caller, session: aSession(() => NOW, tableAt(table, network)) });
    expect(await through([requestBudget()], event)).toEqual(RESPONSE);
    expect(event.responseHeaders.RateLimit).toBe('"default";r=19;t=3');
    expect(network.calls).toContain('UpdateItem');
    expect(log).toHaveBeenCalledWith('a request budget could not be settled', { error: expect.any(Error) });
  });
});
