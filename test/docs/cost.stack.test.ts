import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { turnIn } from '../../bench/cost/deliveries.ts';
import { MIXES } from '../../bench/cost/mixes.ts';
import { PRICED_ON, PRICES } from '../../bench/cost/prices.ts';
import { heartbeatCosts, monthly, type Profiles, profilesOf } from '../../bench/cost/stage.ts';
import { coldStartIn, takenIn, withCosts } from '../../bench/cost/tables.ts';
import { rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import { synthesize, templatesIn } from '../infra/synthesize.ts';

const read = (page: string): string => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
const page = read('cost.md');
const taken = takenIn(textAt(page, 'cost:taken'));

describe('docs/cost.md', () => {
  let profiles: Profiles;
  let made: string;
  beforeAll(() => {
    const performance = read('performance.md');
    profiles = profilesOf((context) => templatesIn(synthesize({ context })), coldStartIn(performance));
    const turn = turnIn(textAt(page, 'cost:turn'));
    made = withCosts(page, { requests: taken, turn, performance }, profiles);
  });

  it('follows from the prices, the stack and what it says was measured: if not, `npm run bench -- cost --write-docs`', () => {
    expect(made === page || made).toBe(true);
  });

  it('promises some $3 a month for a small stage that nobody calls, with ten metrics under alarms at most', () => {
    const { idle } = profiles.small;
    const count = (what: string) => idle.find((cost) => cost.what === what)?.count;
    expect(monthly(idle)).toBeLessThanOrEqual(3.2);
    expect(count('metrics that alarms look at')).toBeLessThanOrEqual(10);
    expect(idle.filter((cost) => cost.count > 0).map(({ what }) => what)).toEqual([
      'keys',
      'metrics that alarms look at',
      'polls of the queue of deliveries',
      ...['delivery-schedule', 'held-alerts'].map((name) => `calls of \`${name}\``),
    ]);
    expect(profiles.standard.idle.find(({ what }) => what === 'calls of the heartbeat')?.count).toBe(43_200);
  });

  it('says the units that the data model says', () => {
    const dataModel = read('data-model.md');
    const patterns = rowsIn(textAt(dataModel, 'bench:data-model'));
    const variants = rowsIn(textAt(dataModel, 'bench:variants'));
    const compared = taken.filter(({ title }) => [patterns, variants].some((rows) => rows.has(`\`${title}\``)));
    expect(compared.length).toBeGreaterThan(10);
    for (const { title, roundTrips, readUnits, writeUnits } of compared) {
      const [, calls, ...units] = patterns.get(`\`${title}\``) ?? [];
      const trips = calls === undefined ? [] : [String(Math.max(1, calls.match(/\*\*\d+\*\*/g)?.length ?? 0))];
      const shown = calls === undefined ? variants.get(`\`${title}\``)?.slice(1) : [...trips, ...units];
      expect([title, shown]).toEqual([title, [roundTrips, readUnits, writeUnits].map(String)]);
    }
  });
});

describe('a mix', () => {
  it.each(MIXES)('is all of its requests: $name', ({ shares }) => {
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
  });
});

it('names the source of every price, and the day', () => {
  expect(PRICED_ON).toMatch(/^20\d\d-\d\d-\d\d$/);
  for (const { source } of Object.values(PRICES))
    expect(source).toMatch(/^https:\/\/aws\.amazon\.com\/[\w/-]+pricing\//);
});

it('the heartbeat is as many calls a month as the stack has scheduled', () => {
  const way = {
    ...{ memory: 512, hasFirewall: true, isCompressed: true, unchanged: 0, requestsPerAuthorizer: 10 },
    coldStart: { importMs: 80, requestMs: 20 },
    logs: { gateway: 300, lambda: 400, own: 300, authorizer: 0 },
  };
  const callsOf = (ScheduleExpression: string) => {
    const Properties = { ScheduleExpression, Targets: ['HeartbeatFunction'] };
    const Rule = { Type: 'AWS::Events::Rule', Properties };
    return heartbeatCosts([Template.fromJSON({ Resources: { Rule } })], way)[0].count;
  };
  expect(callsOf('rate(5 minutes)')).toBe(8_640);
  expect(() => callsOf('cron(0 3 * * ? *)')).toThrow(/nobody knows how often/);
});
