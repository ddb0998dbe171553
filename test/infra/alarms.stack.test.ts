import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { dynamoDbOperationOf } from '../../local/dynamodb/consumed.ts';
import { type Deployed, deployedFrom } from './account/template.ts';
import { type Alarm, alarmsIn, compositesIn, faultsOf, isRaised } from './alarms/alarms-in.ts';
import { unpublished } from './alarms/published.ts';
import { SCENARIOS } from './alarms/scenarios.ts';
import { isRaisedBy, TRAFFIC } from './alarms/traffic.ts';
import {
  assemble,
  EVERYTHING,
  referredBy,
  resourcesOf,
  SMALL,
  STACKS,
  synthesize,
  type Templates,
} from './synthesize.ts';

const ROOT = join(import.meta.dirname, '../..');
const PREFIX = 'custodia-dev';

let templates: Templates;
let stack: Deployed;
let alarms: ReadonlyMap<string, Alarm>;
beforeAll(() => {
  const context = { ...EVERYTHING, deployment: 'canary' };
  [templates, stack] = assemble({ context }, (made, directory) => [made, deployedFrom(directory, STACKS)]);
  alarms = alarmsIn(templates, PREFIX);
});

const named = (name: string): Alarm => {
  const alarm = alarms.get(name);
  if (alarm === undefined) throw new TypeError(`there is no alarm ${name}`);
  return alarm;
};

/** Every function has an alarm of each of these kinds; that of one function stands for all. */
const KINDS = ['function', 'rollback'] as const;
const FUNCTION = 'clients';
const ofFunctions = (kind: string) => contracts.map(({ name }) => `${kind}-${name}`);

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
    expect(unpublished(watched, templates)).toEqual([]);
  });

  it('watches what is in the stack, by the name that its metrics have', () => {
    const of = (type: string) => [...stack.resources].filter(([, { Type }]) => Type === type);
    const ids = (type: string) => of(type).map(([id]) => id);
    const acl = of('AWS::WAFv2::WebACL').map(
      ([, { Properties }]) => Properties.VisibilityConfig as { MetricName: string },
    );
    const names: Readonly<Record<string, readonly unknown[]>> = {
      ApiName: of('AWS::ApiGateway::RestApi').map(([, { Properties }]) => Properties.Name),
      // Operations know it by its name, and the application's own alarms by reference.
      FunctionName: [
        ...of('AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName),
        ...ids('AWS::Lambda::Function'),
      ],
      TableName: ids('AWS::DynamoDB::GlobalTable'),
      WebACL: acl.map(({ MetricName }) => MetricName),
    };
    const watched = [...alarms.values()].flatMap(({ metrics }) => metrics).flatMap(({ Metric }) => Metric.Dimensions);
    for (const [name, known] of Object.entries(names)) {
      const found = watched.flatMap(({ Name, Value }) => (Name === name ? [referredBy(Value, templates)] : []));
      expect(found.length, name).toBeGreaterThan(0);
      expect(
        found.filter((each) => !known.includes(each)),
        name,
      ).toEqual([]);
    }
    // Another stack of the account has its own.
    expect(names.WebACL).toEqual([PREFIX]);
  });

  it('leaves alone what Lambda counts as errors of the authorizer: anybody can send a token that it refuses', () => {
    const erring = [...alarms.values()]
      .flatMap(({ metrics }) => metrics)
      .filter(({ Metric }) => Metric.MetricName === 'Errors');
    // And the heartbeat's.
    expect(erring).toHaveLength(KINDS.length * contracts.length + 1);
    const names = erring.flatMap(({ Metric }) => Metric.Dimensions.map(({ Value }) => referredBy(Value, templates)));
    expect(names.filter((name) => name.includes('authorizer'))).toEqual([]);
    expect(names).toContain(`${PREFIX}-auth`);
  });

  it('is raised before the last period is published, which is filled with zeros until then', () => {
    for (const [name, { metrics, DatapointsToAlarm, EvaluationPeriods }] of alarms) {
      const isLong = metrics.every(({ Period }) => Period >= 900);
      if (!isLong && name !== 'heartbeat') expect(DatapointsToAlarm, name).toBeLessThan(EvaluationPeriods);
    }
  });

  it('has its scenarios below', () => {
    const others = KINDS.flatMap(ofFunctions).filter((name) => !name.endsWith(`-${FUNCTION}`));
    const ofApi = [...alarms.keys()].filter((name) => /^api-(burn|failing)/.test(name));
    expect(ofApi).toHaveLength(6);
    expect([...Object.keys(SCENARIOS), ...others, ...ofApi].toSorted()).toEqual([...alarms.keys()].toSorted());
  });

  it.each(KINDS)('of a %s is like those of the others', (kind) => {
    const shapeOf = (name: string) =>
      JSON.stringify({ ...named(name), AlarmName: '', AlarmDescription: '' }).replaceAll(
        /\{"Ref":"Functions\w+"\}|"Functions\w+CurrentVersion\w+"|"custodia-dev-[\w-]+"/g,
        '',
      );
    expect(new Set(ofFunctions(kind).map(shapeOf)).size).toBe(1);
  });
});

describe.each(Object.entries(SCENARIOS))('%s', (name, { raised, quiet }) => {
  it.each(Object.entries(raised))('is raised: %s', (_, scenario) => {
    expect(isRaised(named(name), scenario)).toBe(true);
  });

  it.each(Object.entries(quiet))('is quiet: %s', (_, scenario) => {
    expect(isRaised(named(name), scenario)).toBe(false);
  });
});

it('is quiet where nothing is published, but for the heartbeat', () => {
  const raised = [...alarms].filter(([, alarm]) => isRaised(alarm, { series: {} })).map(([name]) => name);
  expect(raised).toEqual(['heartbeat']);
});

describe('of the API, while', () => {
  const ofApi = /^api-(burn|failing)/;
  it.each(Object.entries(TRAFFIC))('%s', (_, [traffic, told]) => {
    const raised = [...alarms].filter(([name, alarm]) => ofApi.test(name) && isRaisedBy(alarm, traffic));
    const names = raised.map(([name]) => name);
    const composites = [...compositesIn(templates.operations, PREFIX)]
      .filter(([, { names: parts }]) => parts.every((part) => names.includes(part)))
      .map(([name]) => name);
    const telling = raised.filter(([, { AlarmActions }]) => AlarmActions.length > 0).map(([name]) => name);
    expect([...telling, ...composites].toSorted()).toEqual(told);
  });
});

it('a stage that pays for ten metrics has those that say that callers are failed, and no composites', () => {
  const { operations } = synthesize({ context: { ...EVERYTHING, ...SMALL, deployment: 'all-at-once' } });
  const few = alarmsIn(operations, PREFIX);
  expect([...few.keys()].toSorted()).toEqual([
    'access-denied',
    'api-burn-1h-long',
    'api-burn-3d',
    'api-failing',
    'certificate-expiring',
  ]);
  const metrics = [...few.values()].flatMap((alarm) => alarm.metrics);
  expect(metrics.length).toBeLessThanOrEqual(10);
  expect(compositesIn(operations, PREFIX).size).toBe(0);
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  for (const { AlarmActions, AlarmDescription } of few.values()) {
    expect(AlarmActions).toHaveLength(2);
    const [, anchor = ''] = /operations\.md#([\w-]+)$/.exec(AlarmDescription) ?? [];
    expect(page.includes(`<a id="${anchor}"></a>`), anchor).toBe(true);
  }
  operations.resourceCountIs('AWS::Events::Rule', 3);
  operations.resourceCountIs('AWS::Lambda::Function', 0);
});

describe('docs/operations.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith('Alarms\n')) ?? '';
  const rows = Array.from(
    section.matchAll(/^\| <a id="alarm-([\w-]+)"><\/a>`([\w<>-]+)` \| (.*) \| (.*) \|$/gm),
    ([, anchor = '', name = '', meaning = '', todo = '']) => ({ anchor, name, meaning, todo }),
  );

  /** Names and what is told of all that tells somebody: alarms, and rules for events. */
  const told = (): readonly (readonly [name: string, description: string])[] => [
    ...Array.from(alarms, ([name, { AlarmDescription }]) => [name, AlarmDescription] as const),
    ...Array.from(
      compositesIn(templates.operations, PREFIX),
      ([name, { AlarmDescription }]) => [name, AlarmDescription] as const,
    ),
    ...resourcesOf(templates.operations, 'AWS::Events::Rule').flatMap(([, { Properties }]) =>
      Properties.EventPattern === undefined
        ? []
        : [[String(Properties.Name).replace(`${PREFIX}-`, ''), String(Properties.Description)] as const],
    ),
  ];

  it('has a row for every alarm, and none for another, with the words of its mail, which name the row', () => {
    const written = rows.flatMap(({ anchor, name, meaning }) =>
      (name.includes('<name>') ? contracts.map((contract) => contract.name) : ['']).map((of) =>
        [name, `${meaning}. Runbook: docs/operations.md#alarm-${anchor}`].map((text) => text.replace(/`?<name>`?/, of)),
      ),
    );
    // The parts of a composite have its row, and tell nobody.
    const parts = [...compositesIn(templates.operations, PREFIX).values()].flatMap(({ names }) => names);
    const mailed = told().filter(([name]) => !parts.includes(name));
    expect(written.map((row) => row.join(': ')).toSorted()).toEqual(mailed.map((row) => row.join(': ')).toSorted());
  });

  it('has the row that each part of a composite names', () => {
    const anchors = rows.map(({ anchor }) => `docs/operations.md#alarm-${anchor}`);
    for (const [name, description] of told()) expect(anchors, name).toContain(description.split('Runbook: ')[1]);
  });

  it('says of each what to do', () => {
    for (const { name, todo } of rows) expect(todo.length, name).toBeGreaterThan(40);
  });
});

it('the table is watched in every operation that the code sends', () => {
  const sent = globSync(join(ROOT, '{shared,functions}/**/*.ts'))
    // The operator's.
    .filter((file) => !file.includes('shared/table/erase/'))
    .flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(/new (\w+Command)\(/g), ([, name = '']) => name))
    .map(dynamoDbOperationOf);
  const watched = named('table-failing').metrics.flatMap(({ Metric }) =>
    Metric.Dimensions.flatMap(({ Name, Value }) => (Name === 'Operation' ? [String(Value)] : [])),
  );
  expect(watched.toSorted()).toEqual([...new Set(sent)].toSorted());
});
