import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { AUTHORIZER } from '../../infra/rights.ts';
import { dynamoDbOperationOf } from '../../local/dynamodb/usage.ts';
import { type Alarm, alarmsIn, compositesIn, faultsOf } from './alarms/alarms-in.ts';
import { ofFunctions, unpublished } from './alarms/published.ts';
import { PROFILES, resourcesOf, synthesize } from './synthesize.ts';

/** Every alarm can be raised, and its mail names the remedy. */

const ROOT = join(import.meta.dirname, '../..');
const PREFIX = 'custodia-dev';
/** The functions but the authorizer. */
const OTHERS = functionNames(contracts).filter((name) => name !== AUTHORIZER);

const templates = synthesize({ context: PROFILES.everything });
const alarms = alarmsIn(templates, PREFIX);
const composites = compositesIn(templates.operations, PREFIX);
const named = (name: string): Alarm => {
  const alarm = alarms.get(name);
  if (alarm === undefined) throw new TypeError(`there is no alarm ${name}`);
  return alarm;
};

describe('every alarm', () => {
  it('computes what CloudWatch can compute, also while a metric is missing', () => {
    expect(alarms.size).toBeGreaterThan(contracts.length);
    expect([...alarms].flatMap(([name, alarm]) => faultsOf(alarm).map((fault) => `${name}: ${fault}`))).toEqual([]);
  });

  it('watches metrics that are published, by their dimensions, with a statistic that means something', () => {
    const watched = [...alarms.values()]
      .flatMap(({ metrics }) => metrics)
      .map(({ Metric, Stat }) => ({
        namespace: Metric.Namespace,
        name: Metric.MetricName,
        dimensions: Metric.Dimensions.map(({ Name }) => Name),
        statistic: Stat,
      }));
    expect(unpublished(watched, templates, ofFunctions(`Custodia/${PREFIX}`))).toEqual([]);
  });

  it('is raised before the last period is published, which is filled with zeros until then', () => {
    for (const [name, { metrics, DatapointsToAlarm, EvaluationPeriods }] of alarms) {
      const isLong = metrics.every(({ Period }) => Period >= 900);
      if (!isLong && name !== 'heartbeat') expect(DatapointsToAlarm, name).toBeLessThan(EvaluationPeriods);
    }
  });
});

/** Threshold, seconds of a period, and in how many of how many periods it must be passed. */
const ALARMS: Readonly<Record<string, readonly [threshold: number, period: number, bad: number, of: number]>> = {
  'api-failing': [80, 900, 1, 1],
  'api-burn-3d': [0.1, 259_200, 1, 1],
  'api-burn-1h-long': [1.44, 3_600, 1, 1],
  'api-burn-1h-short': [1.44, 300, 1, 2],
  'api-burn-6h-long': [0.6, 21_600, 1, 1],
  'api-burn-6h-short': [0.6, 1_800, 1, 1],
  'access-denied': [1, 300, 1, 2],
  'certificate-expiring': [30, 86_400, 1, 1],
  heartbeat: [1, 60, 5, 5],
  'api-slow': [3_000, 300, 3, 4],
  'api-429': [10, 300, 2, 3],
  'authorizer-failing': [1, 300, 1, 2],
  'authorizer-slow': [1_000, 300, 3, 4],
  'login-failing': [50, 300, 2, 3],
  'functions-concurrency': [80, 60, 3, 5],
  'delivery-backlog': [1_800, 300, 2, 3],
  'delivery-dead-letters': [1, 300, 1, 2],
  'delivery-wake-up-late': [300_000, 300, 2, 3],
  'table-throttled': [1, 300, 2, 3],
  'table-failing': [1, 300, 1, 2],
  'table-conflicts': [10, 300, 2, 3],
  'kms-throttled': [1, 300, 1, 2],
  'kms-quota': [80, 60, 3, 5],
  'kms-signing-quota': [80, 60, 3, 5],
  'firewall-blocking': [20, 300, 1, 2],
  'rollback-api': [1, 60, 1, 3],
};

describe('all alarms', () => {
  it('are raised from these thresholds on', () => {
    const raised = Array.from(alarms, ([name, each]) => {
      const { Threshold, metrics, DatapointsToAlarm, EvaluationPeriods } = each;
      return [name, [Threshold, metrics[0]?.Period, DatapointsToAlarm, EvaluationPeriods]];
    });
    const ofFunctions = functionNames(contracts).flatMap((name) => [
      [`function-${name}`, [1, 300, 1, 2]],
      [`rollback-${name}`, [1, 60, 1, 3]],
    ]);
    const { 'function-authorizer': _, 'rollback-authorizer': __, ...others } = Object.fromEntries(ofFunctions);
    expect(Object.fromEntries(raised)).toEqual({ ...ALARMS, ...others });
  });

  it('are raised by at least as many failures as their mails say', () => {
    const saying = [...alarms.values()].filter(({ AlarmDescription }) => /at least \d/.test(AlarmDescription));
    expect(saying.length).toBeGreaterThan(contracts.length);
    for (const { AlarmDescription, Threshold, expressions } of saying) {
      const [, least = ''] = /at least (\d+)/.exec(AlarmDescription) ?? [];
      const [, floor] = /> (\d+), /.exec(expressions.join()) ?? [];
      const [, samples] = />= (\d+), /.exec(expressions.join()) ?? [];
      if (samples === undefined)
        expect(Number(floor), AlarmDescription).toBe(Math.floor((100 * Number(least)) / Threshold));
      else expect(samples, AlarmDescription).toBe(least);
    }
  });

  it('fall below their threshold where that is bad, and count what fails in a sum', () => {
    const below = [...alarms].filter(([, each]) => each.ComparisonOperator === 'LessThanThreshold');
    expect(below.map(([name]) => name).toSorted()).toEqual(['certificate-expiring', 'heartbeat']);
    for (const name of ['api-failing', 'api-burn-3d', 'rollback-api'])
      expect(alarms.get(name)?.metrics.map(({ Metric }) => Metric.MetricName)).toEqual(
        expect.arrayContaining(['RequestsFailed', 'Count']),
      );
  });
});

it('silence raises no alarm but that of the heartbeat', () => {
  const raised = [...alarms].filter(([, { TreatMissingData }]) => TreatMissingData === 'breaching');
  expect(raised.map(([name]) => name)).toEqual(['heartbeat']);
});

describe('docs/operations.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith('Alarms\n')) ?? '';
  const rows = Array.from(
    section.matchAll(/^\| <a id="alarm-([\w-]+)"><\/a>`([\w<>-]+)` \| (.*) \| (.*) \|$/gm),
    ([, anchor = '', name = '', meaning = '', todo = '']) => ({ anchor, name, meaning, todo }),
  );

  /** Names and descriptions of everything that notifies: alarms, and rules for events. */
  const told: readonly (readonly [name: string, description: string])[] = [
    ...[...alarms, ...composites].map(([name, { AlarmDescription }]) => [name, AlarmDescription] as const),
    ...resourcesOf(templates.operations, 'AWS::Events::Rule').flatMap(([, { Properties }]) =>
      Properties.EventPattern === undefined
        ? []
        : [[String(Properties.Name).replace(`${PREFIX}-`, ''), String(Properties.Description)] as const],
    ),
  ];

  it('has a row for every alarm, and none for another, with the words of its mail, which name the row', () => {
    const written = rows.flatMap(({ anchor, name, meaning }) =>
      (name.includes('<name>') ? OTHERS : ['']).map((of) =>
        [name, `${meaning}. Runbook: docs/operations.md#alarm-${anchor}`].map((text) => text.replace(/`?<name>`?/, of)),
      ),
    );
    // The parts of a composite have its row, and tell nobody.
    const parts = [...composites.values()].flatMap(({ names }) => names);
    const mailed = told.filter(([name]) => !parts.includes(name));
    expect(written.map((row) => row.join(': ')).toSorted()).toEqual(mailed.map((row) => row.join(': ')).toSorted());
    for (const { name, todo } of rows) expect(todo.length, name).toBeGreaterThan(40);
  });

  it('has the row that each alarm names, of a small stage, too', () => {
    const anchors = rows.map(({ anchor }) => `docs/operations.md#alarm-${anchor}`);
    const small = alarmsIn(synthesize({ context: PROFILES.small }), PREFIX);
    expect(small.size).toBeGreaterThan(3);
    const ofSmall = Array.from(small, ([name, { AlarmDescription }]) => [name, AlarmDescription] as const);
    for (const [name, description] of [...told, ...ofSmall])
      expect(anchors, name).toContain(description.split('Runbook: ')[1]);
  });
});

it('the table is watched in every operation that the code sends', () => {
  const sent = globSync(join(ROOT, '{packages/counted-lists/src,shared,functions}/**/*.ts'))
    .flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(/new (\w+Command)\(/g), ([, name = '']) => name))
    .map(dynamoDbOperationOf);
  const watched = named('table-failing').metrics.flatMap(({ Metric }) =>
    Metric.Dimensions.flatMap(({ Name, Value }) => (Name === 'Operation' ? [String(Value)] : [])),
  );
  expect(watched.toSorted()).toEqual([...new Set(sent)].toSorted());
});
