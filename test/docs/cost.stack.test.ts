import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { monthly } from '../../bench/cost/fixed.ts';
import { heartbeatCosts } from '../../bench/cost/heartbeat.ts';
import { costOf, sumOf, type Taken } from '../../bench/cost/lines.ts';
import { coldStartIn } from '../../bench/cost/memory.ts';
import { MIXES } from '../../bench/cost/mixes.ts';
import { withCosts } from '../../bench/cost/page.ts';
import { PRICED_ON, PRICES } from '../../bench/cost/prices.ts';
import { type Profiles, profilesOf } from '../../bench/cost/profiles.ts';
import { takenIn } from '../../bench/cost/tables.ts';
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
    profiles = profilesOf((context) => templatesIn(synthesize({ context })));
    made = withCosts(page, taken, profiles, coldStartIn(read('performance.md')));
  });

  it('follows from the prices, the stack and what it says was measured: if not, `npm run bench -- cost --write-docs`', () => {
    expect(made === page || made).toBe(true);
  });

  it('promises some $3 a month for a small stage that nobody calls, with ten metrics under alarms at most', () => {
    const { idle } = profiles.small;
    const count = (what: string) => idle.find((cost) => cost.what === what)?.count;
    expect(monthly(idle)).toBeLessThanOrEqual(3.1);
    expect(count('metrics that alarms look at')).toBeLessThanOrEqual(10);
    expect(idle.filter((cost) => cost.count > 0).map(({ what }) => what)).toEqual([
      'keys',
      'metrics that alarms look at',
    ]);
    expect(profiles.standard.idle.find(({ what }) => what === 'calls of the heartbeat')?.count).toBe(43_200);
  });

  it('says of every operation the units that the data model says', () => {
    const dataModel = read('data-model.md');
    const patterns = rowsIn(textAt(dataModel, 'bench:data-model'));
    const bounds = rowsIn(textAt(dataModel, 'bench:bounds'));
    for (const { title, roundTrips, readUnits, writeUnits } of taken) {
      const pattern = patterns.get(`\`${title}\``)?.slice(-3);
      const [, written, , inRoundTrips, , read] = bounds.get(`\`${title}\``) ?? [];
      expect([title, ...(pattern ?? [inRoundTrips, read, written])]).toEqual([
        title,
        ...[roundTrips, readUnits, writeUnits].map(String),
      ]);
    }
  });
});

describe('a mix', () => {
  it.each(MIXES)('is all of its requests: $name', ({ shares }) => {
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
  });
});

const way = {
  ...{ memory: 512, hasFirewall: true, isCompressed: false, isTraced: false, unchanged: 0, requestsPerAuthorizer: 10 },
  logs: { gateway: 300, lambda: 400, own: 300, authorizer: 0 },
};

describe('the cost of a million requests', () => {
  const units = { roundTrips: 1, readUnits: 4, writeUnits: 8 };
  const one: Taken = { title: 'GET /a', ...units, responseBytes: 10_000, compressedBytes: 1_000 };
  const mix = { name: 'a', about: 'a', shares: { 'GET /a': 0.5, 'GET /b': 0.5 } };
  const both = new Map([
    ['GET /a', one],
    ['GET /b', { ...one, title: 'GET /b', readUnits: 0, writeUnits: 0, responseBytes: 0, compressedBytes: 0 }],
  ]);

  it('is the mean of the mix, at the prices of AWS', () => {
    const cost = costOf(mix, both, way);
    expect(cost['table, reads']).toBeCloseTo(2 * PRICES.readUnits.dollars);
    // Four units, and the budgets'.
    expect(cost['table, writes']).toBeCloseTo((4 + 1 / 27) * PRICES.writeUnits.dollars);
    // 5,000 bytes and 700 of headers, a million times.
    expect(cost.transfer).toBeCloseTo(5.7 * PRICES.transfer.dollars);
    // 0.2 for the runs, and 12 ms at half a GB.
    expect(cost.functions).toBeCloseTo(0.2 + 0.006 * PRICES.functionSeconds.dollars);
    expect(sumOf(cost)).toBeCloseTo(Object.values(cost).reduce((sum, line) => sum + line, 0));
  });

  it('is less where responses are compressed or not sent again, and more with traces and where every request is authorized', () => {
    const { transfer, authorizer } = costOf(mix, both, way);
    expect(costOf(mix, both, { ...way, isCompressed: true }).transfer).toBeCloseTo((1.2 / 5.7) * transfer);
    expect(costOf(mix, both, { ...way, unchanged: 1 }).transfer).toBeCloseTo((0.7 / 5.7) * transfer);
    expect(costOf(mix, both, { ...way, requestsPerAuthorizer: 1 }).authorizer).toBeCloseTo(10 * authorizer);
    expect(costOf(mix, both, { ...way, isTraced: true }).traces).toBeCloseTo(0.05 * PRICES.traces.dollars);
  });

  it('refuses an operation that nobody has measured', () => {
    expect(() => costOf({ ...mix, shares: { 'GET /c': 1 } }, both, way)).toThrow(
      'GET /c of the mix a was not measured',
    );
  });
});

it('names the source of every price, and the day', () => {
  expect(PRICED_ON).toMatch(/^20\d\d-\d\d-\d\d$/);
  for (const { source } of Object.values(PRICES))
    expect(source).toMatch(/^https:\/\/aws\.amazon\.com\/[\w/-]+pricing\//);
});

describe('the heartbeat', () => {
  const inTemplate = (rule: object) =>
    Template.fromJSON({ Resources: { Rule: { Type: 'AWS::Events::Rule', ...rule } } });
  const withRule = (rule: object) =>
    heartbeatCosts([inTemplate({ Properties: rule })], { ...way, memory: 1_024, isCompressed: true });

  it('is as many calls a month as the stack has scheduled, and three metrics', () => {
    const [calls, keptAlive] = withRule({ ScheduleExpression: 'rate(5 minutes)' });
    expect([calls.count, keptAlive.count]).toEqual([8_640, 3]);
    // At least what the gateway and the firewall ask.
    expect(calls.each * 1_000_000).toBeGreaterThan(4.1);
    expect(withRule({ EventPattern: {} }).map(({ count }) => count)).toEqual([0, 0]);
    expect(() => withRule({ ScheduleExpression: 'cron(0 3 * * ? *)' })).toThrow(/nobody knows how often/);
  });
});
