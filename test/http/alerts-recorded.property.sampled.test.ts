import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * What monitoring systems send. `alertmanager-0.25.ndjson` has what Alertmanager 0.25.0 sent to a receiver on the same
 * machine: db-1 and db-2 fire, are repeated, db-2 is over, db-1 is merged with one that began later, db-1 is over, db-2
 * fires again. `grafana.json` is the example of Grafana's documentation of the contact point Webhook.
 */

const FIXTURES = join(import.meta.dirname, '../fixtures/alerts');
const read = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');
const recorded = read('alertmanager-0.25.ndjson').trim().split('\n');

const api = useApi({ limits: { functionMs: 600_000, inFlight: 64 } });
const owner = prepared(async () => callsOf(api, (await api.orgToken()).token));

type Fields = Readonly<Record<string, unknown>>;
const headers = { 'content-type': 'application/json', 'user-agent': 'Alertmanager/0.25.0' };
/** As another integration for each case, which knows no alerts. */
async function sender(): Promise<(raw: string) => Promise<string[]>> {
  const asked = { app_code: `am-${Math.random()}`, display_name: 'Monitoring', permissions: ['alerts:write'] };
  const key = await owner.create('/api/v1/integrations', asked);
  const authorization = `Basic ${Buffer.from(`${key.app_code}:${key.secret}`).toString('base64')}`;
  return async (raw) => {
    const sent = { raw, headers: { ...headers, authorization } };
    const { status, body } = await api.request<Fields>('POST', '/api/v1/alerts/alertmanager', sent);
    expect(status).toBe(200);
    return (body.alerts as Fields[]).map(({ outcome }) => String(outcome));
  };
}

const tickets = async () => (await owner.ask('GET', '/api/v1/tickets?view=full')).body.data as readonly Fields[];
const totalOf = async (query: string) =>
  Number((await owner.ask('GET', `/api/v1/tickets?page_size=1${query}`)).body.total);
const counts = async () => ({ all: await totalOf(''), open: await totalOf('&status=open') });

describe('what Alertmanager has sent', () => {
  it('is two tickets, and a third when one fires again', async () => {
    const send = await sender();
    const outcomes: string[][] = [];
    for (const raw of recorded) outcomes.push(await send(raw));
    expect(outcomes).toEqual([
      ['opened', 'opened'],
      ['repeated', 'repeated'],
      ['repeated', 'resolved'],
      ['repeated'],
      ['resolved'],
      ['opened'],
    ]);
    const found = await tickets();
    expect(found.map(({ subject, status, priority }) => [subject, status, priority])).toEqual(
      expect.arrayContaining([
        ['The disk of db-1 is full', 'closed', 'urgent'],
        ['The disk of db-2 is nearly full', 'closed', 'normal'],
        ['The disk of db-2 is nearly full', 'open', 'normal'],
      ]),
    );
  });

  it('is at most one ticket for each time, in any order and again, and the last word counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...recorded, ...recorded], { minLength: recorded.length }),
        async (sent) => {
          const send = await sender();
          const before = await counts();
          for (const raw of [...sent, ...recorded.slice(-2)]) await send(raw);
          const after = await counts();
          expect(after.all - before.all).toBeLessThanOrEqual(3);
          expect(after.open - before.open).toBe(1);
        },
      ),
      { numRuns: byExtent({ sample: 6, extended: 50, nightly: 200 }) },
    );
  }, 600_000);
});

it('what Grafana documents is a ticket for each alert', async () => {
  expect(await (await sender())(read('grafana.json'))).toEqual(['opened', 'opened']);
  expect((await tickets()).find(({ subject }) => String(subject).includes('zone us-1'))).toMatchObject({
    description: expect.stringContaining('The system has high memory usage\n\nalertname: High memory usage'),
  });
});

/** Episodes of one alert: each begins, and is over before the next one begins; perhaps not the last one. */
const episodes = fc.record({ count: fc.integer({ min: 1, max: 4 }), isOver: fc.boolean(), hasEnds: fc.boolean() });
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString();
const notes = ({ count, isOver, hasEnds }: { count: number; isOver: boolean; hasEnds: boolean }): readonly Fields[] =>
  Array.from({ length: count }, (_, index) => {
    const begun = { fingerprint: 'f', startsAt: at(10 * index) };
    const over = { ...begun, status: 'resolved', ...(hasEnds && { endsAt: at(10 * index + 5) }) };
    return [{ ...begun, status: 'firing' }, ...(index === count - 1 && !isOver ? [] : [over])];
  }).flat();

it('what is said of an alert, twice and in any order, ends as it ended, with a ticket for each episode at most', async () => {
  const told = episodes.chain((each) => {
    const all = [...notes(each), ...notes(each)];
    return fc.tuple(fc.constant(each), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  await fc.assert(
    fc.asyncProperty(told, async ([{ count, isOver }, sent]) => {
      const send = await sender();
      const before = await counts();
      for (const alert of sent) await send(JSON.stringify({ alerts: [alert] }));
      const after = await counts();
      expect(after.all - before.all).toBeLessThanOrEqual(count);
      expect(after.open - before.open).toBe(isOver ? 0 : 1);
    }),
    { numRuns: byExtent({ sample: 12, extended: 100, nightly: 400 }) },
  );
}, 600_000);
