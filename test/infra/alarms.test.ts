import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { operationOf } from '../../local/dynamodb/consumed.ts';
import { type Deployed, deployed } from './account/template.ts';
import { type Alarm, alarmsIn, faultsOf, isRaised, metricsOf } from './alarms/alarms-in.ts';
import { unpublished } from './alarms/published.ts';
import { SCENARIOS } from './alarms/scenarios.ts';
import { assemble, referredBy, STACKS, type Templates } from './synthesize.ts';

const ROOT = join(import.meta.dirname, '../..');
const PREFIX = 'custodia-dev';

let templates: Templates;
let stack: Deployed;
let alarms: ReadonlyMap<string, Alarm>;
beforeAll(() => {
  const context = { alarmEmail: 'ops@example.com', deployment: 'canary' };
  [templates, stack] = assemble({ context }, (made, directory) => [made, deployed(directory, STACKS)]);
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
    const watched = [...alarms.values()].flatMap(metricsOf).map(({ Metric, Stat }) => ({
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
    const watched = [...alarms.values()].flatMap(metricsOf).flatMap(({ Metric }) => Metric.Dimensions);
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
    const erring = [...alarms.values()].flatMap(metricsOf).filter(({ Metric }) => Metric.MetricName === 'Errors');
    expect(erring).toHaveLength(KINDS.length * contracts.length);
    const names = erring.flatMap(({ Metric }) => Metric.Dimensions.map(({ Value }) => referredBy(Value, templates)));
    expect(names.filter((name) => name.includes('authorizer'))).toEqual([]);
    expect(names).toContain(`${PREFIX}-auth`);
  });

  it('is raised before the last period is published, which is filled with zeros until then', () => {
    for (const { DatapointsToAlarm, EvaluationPeriods } of alarms.values())
      expect(DatapointsToAlarm).toBeLessThan(EvaluationPeriods);
  });

  it('has its scenarios below', () => {
    const others = KINDS.flatMap(ofFunctions).filter((name) => !name.endsWith(`-${FUNCTION}`));
    expect([...Object.keys(SCENARIOS), ...others].toSorted()).toEqual([...alarms.keys()].toSorted());
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
    expect([isRaised(named(name), scenario, 'nothing'), isRaised(named(name), scenario, 'zero')]).toEqual([true, true]);
  });

  it.each(Object.entries(quiet))('is quiet: %s', (_, scenario) => {
    expect([isRaised(named(name), scenario, 'nothing'), isRaised(named(name), scenario, 'zero')]).toEqual([
      false,
      false,
    ]);
  });

  it('is quiet where nothing is published, or each metric has had a 1', () => {
    const ids = metricsOf(named(name)).map(({ id }) => id);
    const ones = Object.fromEntries(ids.map((id) => [id, Array.from({ length: 5 }, () => 1)]));
    const quotas = Object.fromEntries(ids.map((id) => [id, 1000]));
    expect(isRaised(named(name), { series: {}, quotas }, 'zero')).toBe(false);
    expect(isRaised(named(name), { series: ones, quotas }, 'zero')).toBe(false);
  });
});

describe('docs/operations.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith('Alarms\n')) ?? '';
  const rows = Array.from(
    section.matchAll(/^\| `([\w<>-]+)` \| (.*) \| (.*) \|$/gm),
    ([, name = '', meaning = '', todo = '']) => ({
      name,
      meaning,
      todo,
    }),
  );
  it('has a row for every alarm, and none for another, with the words of its mail', () => {
    const written = rows.flatMap(({ name, meaning }) =>
      name.includes('<name>')
        ? contracts.map((contract) => [name, meaning].map((text) => text.replace(/`?<name>`?/, contract.name)))
        : [[name, meaning]],
    );
    const mailed = Array.from(alarms, ([name, { AlarmDescription }]) => [name, AlarmDescription]);
    expect(written.map((row) => row.join(': ')).toSorted()).toEqual(mailed.map((row) => row.join(': ')).toSorted());
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
    .map(operationOf);
  const watched = metricsOf(named('table-failing')).flatMap(({ Metric }) =>
    Metric.Dimensions.flatMap(({ Name, Value }) => (Name === 'Operation' ? [String(Value)] : [])),
  );
  expect(watched.toSorted()).toEqual([...new Set(sent)].toSorted());
});
