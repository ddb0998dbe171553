import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dynamoDbOperationOf } from '#local-dynamodb';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { AUTHORIZER } from '../../infra/rights.ts';
import { type Alarm, alarmsIn, compositesIn, faultsOf } from './alarms/alarms-in.ts';
import { ofFunctions, unpublished } from './alarms/published.ts';
import { PROFILES, resourcesOf, synthesize } from './synthesize.ts';

/** Every alarm can be raised, and its mail names the remedy. `properties.stack.test.ts` has the thresholds. */

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
