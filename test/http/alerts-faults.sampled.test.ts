import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { environmentTable } from '#table';
import { heldKey } from '../../functions/alerts/state/held.ts';
import { handler as openHeld } from '../../functions/held-alerts/handler.ts';
import { byExtent } from '../support/extent.ts';
import { bodyOf, type Fault, FaultyHandler } from '../support/faults.ts';
import { written } from '../support/lines.ts';
import { prepared } from '../support/prepared.ts';
import { useTableOver } from '../support/storage.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** A sender repeats what gets a 503. Whatever call of the table fails, and however: one ticket an episode, closed once. */

const faulty = new FaultyHandler();
const api = useApi({ report: () => undefined });
/** Another one for each fault: in an hour one of them opens no more than a hundred tickets. */
let owner: Calls;
/** Its alerts are held. */
const sender = prepared(() => api.orgToken());
// Only faults advance the clock: a slow machine does not use up the function's time, and faults soon do.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
/** All tests together take longer than a token is valid. */
const setClockBack = (): unknown => vi.setSystemTime(vi.getRealSystemTime());

const FAULTS: readonly Fault[] = [
  'dropped',
  'reply-lost',
  'forgotten',
  'server-error',
  'applied-server-error',
  'conflict',
];
/** Calls of an alert that meet each fault. */
const CALLS = byExtent({ sample: 4, extended: 8, nightly: 8 });

/** DynamoDB's clock is this machine's. */
function useFaultyTable(): void {
  useTableOver(faulty, 2);
  const offset = { get: () => 0, set: () => undefined };
  Object.defineProperty(environmentTable().client.config, 'systemClockOffset', offset);
}

async function outcomeOf(fingerprint: string, status: string, plan: Parameters<FaultyHandler['follow']>[0]) {
  const send = async () => {
    const { status: code, body } = await owner.ask('POST', '/api/v1/alerts/custodia', { fingerprint, status });
    expect([200, 503]).toContain(code);
    return { code, outcome: (body.alerts as { outcome: string }[])[0]?.outcome };
  };
  useFaultyTable();
  faulty.follow(plan);
  const first = await send();
  faulty.follow(() => undefined);
  return first.code === 200 ? first : await send();
}

/** A total counts the number of a ticket that was not made, until a reader closes it. */
const ticketsOf = async (fingerprint: string) =>
  (await owner.ask('GET', '/api/v1/tickets?page_size=10')).body.data.filter(
    ({ subject }) => subject === `Alert ${fingerprint}`,
  );

describe.each(FAULTS)('%s', (fault) => {
  beforeAll(async () => {
    setClockBack();
    useFaultyTable();
    faulty.follow(() => undefined);
    owner = callsOf(api, (await api.orgToken()).token);
  });

  it.each([1, Number.POSITIVE_INFINITY])('at each call, %s times, leaves one ticket', async (times) => {
    for (let turn = 0; turn < CALLS; turn++) {
      const at = Math.floor((12 / CALLS) * turn) + (times === 1 ? 1 : 0);
      const planned = () => {
        let met = 0;
        return ({ index }: { readonly index: number }): Fault | undefined => {
          // The first calls find out who calls.
          if (index < 2 + at || met++ >= times) return undefined;
          vi.setSystemTime(Date.now() + (fault === 'conflict' ? 8_000 : 2_000));
          return fault;
        };
      };
      const fingerprint = `${fault} ${times} ${at}`;
      expect(['opened', 'repeated']).toContain((await outcomeOf(fingerprint, 'firing', planned())).outcome);
      expect(await ticketsOf(fingerprint)).toMatchObject([{ status: 'open' }]);
      expect(['resolved', 'ignored']).toContain((await outcomeOf(fingerprint, 'resolved', planned())).outcome);
      const found = await ticketsOf(fingerprint);
      expect(found).toMatchObject([{ status: 'closed' }]);
      const { body } = await owner.ask('GET', `/api/v1/tickets/${found[0]?.id}/messages`);
      expect(body.data).toHaveLength(1);
    }
  });
});

it.each([...FAULTS, 'crash-after'] as const)('%s in runs of the schedule leaves one ticket of each', async (fault) => {
  useFaultyTable();
  faulty.follow(() => undefined);
  const { ask } = callsOf(api, await api.login(sender.appCode, sender.secret));
  const minute = (count: number): string => new Date(Date.now() + count * 60_000).toISOString();
  await ask('POST', '/api/v1/maintenance-windows', { from: minute(-1), to: minute(1) });
  const alerts = Array.from({ length: 5 }, (_, index) => ({ fingerprint: `${fault} ${index}`, status: 'firing' }));
  const { body: held } = await ask('POST', '/api/v1/alerts/alertmanager', { alerts });
  expect(held.alerts).toMatchObject(alerts.map(() => ({ outcome: 'held' })));
  vi.setSystemTime(Date.now() + 2 * 60_000);
  const runs = { failed: 0, done: 0 };
  for (let at = 1; at < 70; at += 3) {
    useFaultyTable();
    faulty.follow(({ index }) => {
      if (index < at || index > at + 4) return undefined;
      vi.setSystemTime(Date.now() + 15_000);
      return fault;
    });
    await written(() => openHeld()).then(
      () => runs.done++,
      () => runs.failed++,
    );
  }
  faulty.follow(() => undefined);
  const { data } = (await ask('GET', '/api/v1/tickets?page_size=100')).body;
  const subjects = data.map(({ subject }) => subject).filter((subject) => String(subject).includes(` ${fault} `));
  expect(subjects.toSorted()).toEqual(alerts.map(({ fingerprint }) => `Alert ${fingerprint}`));
  expect(fault === 'conflict' || runs.failed > 0).toBe(true);
});

it('what is not begun in time is sent again, with all others', async () => {
  const alerts = Array.from({ length: 20 }, (_, index) => ({ fingerprint: `slow ${index}`, status: 'firing' }));
  const send = async () => {
    const { status, body } = await owner.ask('POST', '/api/v1/alerts/alertmanager', { alerts });
    return { status, outcomes: (body.alerts as { outcome: string }[]).map(({ outcome }) => outcome), body };
  };
  let isSlow = true;
  faulty.follow(({ operation }) => {
    if (operation === 'TransactWriteItems' && isSlow) vi.setSystemTime(Date.now() + 13_000);
    isSlow &&= operation !== 'TransactWriteItems';
    return undefined;
  });
  const first = await send();
  expect([first.status, new Set(first.outcomes)]).toEqual([503, new Set(['opened', 'not_attempted'])]);
  const left = first.outcomes.filter((outcome) => outcome === 'not_attempted').length;
  expect(first.body.detail).toMatch(new RegExp(`^${left} of 20 alerts were not taken`));
  const second = await send();
  expect(second.status).toBe(200);
  expect(second.outcomes.filter((outcome) => outcome !== 'repeated')).toHaveLength(left);
});

/** What others do before a call of this operation, once. */
function beforeCall(operation: string, isWanted: (body: string) => boolean, act: () => Promise<void>): void {
  useFaultyTable();
  faulty.follow(() => undefined);
  const handle = faulty.handle.bind(faulty);
  let isDone = false;
  const spy = vi.spyOn(faulty, 'handle').mockImplementation(async (request, options) => {
    const isNow = !isDone && request.headers['x-amz-target']?.endsWith(`.${operation}`) && isWanted(bodyOf(request));
    isDone ||= isNow === true;
    if (isNow) await act();
    return handle(request, options);
  });
  onTestFinished(() => spy.mockRestore());
}

it('an alert that fires again while its earlier end is taken gets a ticket of its own', async () => {
  const from = Date.now();
  const send = async (status: string, fields: object) => {
    const sent = { fingerprint: 'overtaken', status, ...fields };
    return (await owner.ask('POST', '/api/v1/alerts/custodia', sent)).body.alerts;
  };
  const [first, end, second] = [0, 1, 2].map((minutes) => new Date(from + minutes * 60_000).toISOString());
  expect(await send('firing', { starts_at: first })).toMatchObject([{ outcome: 'opened' }]);
  let over: unknown;
  const isMove = (body: string) => body.includes('#ALERT"') && body.includes('revision');
  beforeCall('UpdateItem', isMove, async () => {
    over = await send('resolved', { starts_at: first, ends_at: end });
  });
  expect(await send('firing', { starts_at: second })).toMatchObject([{ outcome: 'opened' }]);
  expect(over).toMatchObject([{ outcome: 'resolved' }]);
  expect((await ticketsOf('overtaken')).map(({ status }) => status).toSorted()).toEqual(['closed', 'open']);
});

describe('the schedule', () => {
  beforeAll(setClockBack);

  /** An organization all of which is in maintenance for so many minutes. */
  const maintained = async (minutes: number) => {
    useFaultyTable();
    const { appCode, secret } = await api.orgToken();
    const ask = async (...[method, path, body]: Parameters<(typeof owner)['ask']>) =>
      (await callsOf(api, await api.login(appCode, secret)).ask(method, `/api/v1/${path}`, body)).body;
    const now = Date.now();
    const times = { from: new Date(now - 1).toISOString(), to: new Date(now + minutes * 60_000).toISOString() };
    await ask('POST', 'maintenance-windows', times);
    const send = async (status: string) => (await ask('POST', 'alerts/custodia', { fingerprint: 'f', status })).alerts;
    expect(await send('firing')).toMatchObject([{ outcome: 'held' }]);
    // So that no token expires.
    onTestFinished(() => void vi.setSystemTime(now));
    return { send, total: async () => (await ask('GET', 'tickets')).total, now };
  };

  it('leaves an alert that was held again by a machine that was paused', async () => {
    const { send, total, now } = await maintained(5);
    await send('resolved');
    const afterwards = now + 10 * 60_000;
    vi.setSystemTime(afterwards);
    let held: unknown;
    const isOfRegister = (body: string) => body.includes(heldKey().PK);
    beforeCall('DeleteItem', isOfRegister, async () => {
      vi.setSystemTime(now);
      held = await send('firing');
      vi.setSystemTime(afterwards);
    });
    await written(() => openHeld());
    expect(held).toMatchObject([{ outcome: 'held' }]);
    await written(() => openHeld());
    expect(await total()).toBe(1);
  });

  it('leaves an alert that is due by one clock alone', async () => {
    const { total, now } = await maintained(5);
    vi.setSystemTime(now + 6 * 60_000);
    const isOfAlert = (body: string) => body.includes('#ALERT"');
    beforeCall('GetItem', isOfAlert, async () => void vi.setSystemTime(now + 4 * 60_000));
    await written(() => openHeld());
    expect([await total(), Date.now() - now]).toEqual([0, 4 * 60_000]);
    vi.setSystemTime(now + 6 * 60_000);
    await written(() => openHeld());
    expect(await total()).toBe(1);
  });

  it('opens tickets while it still finds who has alerts held', async () => {
    const { total, now } = await maintained(5);
    vi.setSystemTime(now + 10 * 60_000);
    const { client, name } = environmentTable();
    const later = new Date(now + 9e9).toISOString();
    const put = (start: string) => {
      const Item = { ...heldKey(start + randomUUID().slice(1), randomUUID(), later, 'x'.repeat(43)) };
      return client.send(new PutCommand({ TableName: name, Item }));
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => put((index % 16).toString(16))));
    faulty.follow(({ operation }) => {
      if (operation === 'Query') vi.setSystemTime(Date.now() + 500);
      return undefined;
    });
    // None has time to find all of them.
    for (let runs = 0; runs < 10; runs++) await written(() => openHeld());
    faulty.follow(() => undefined);
    expect(await total()).toBe(1);
  });
});
