import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { alarmsIn } from './alarms/alarms-in.ts';
import { resourcesIn, resourcesOf, statementsIn, synthesize } from './synthesize.ts';

/** How a new version of a function takes over. */

const STACK = 'custodia-dev';

let template: Template;
beforeAll(() => {
  template = synthesize({ context: { deployment: 'canary' } }).application;
});

interface Group {
  readonly ApplicationName: unknown;
  readonly AlarmConfiguration: { readonly Enabled: boolean; readonly Alarms: readonly { readonly Name: unknown }[] };
}

const groups = () => new Map(resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup'));
const raw = () => template.toJSON().Resources as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const refOf = (value: unknown): string => (value as { readonly Ref: string }).Ref;

/** By the name of the function whose alias it shifts. */
const groupOf = (name: string): Group => {
  const [, alias] = Object.entries(raw()).find(([id]) => id.startsWith(`Functions${name}LiveAlias`)) ?? [];
  const policy = alias?.UpdatePolicy as { readonly CodeDeployLambdaAliasUpdate: Readonly<Record<string, unknown>> };
  const group = groups().get(refOf(policy.CodeDeployLambdaAliasUpdate.DeploymentGroupName))?.Properties;
  expect(policy.CodeDeployLambdaAliasUpdate.ApplicationName).toEqual(group?.ApplicationName);
  return group as unknown as Group;
};

const alarmsOf = (name: string): string[] =>
  groupOf(name).AlarmConfiguration.Alarms.map(({ Name }) =>
    String(resourcesIn(template)[refOf(Name)]?.Properties.AlarmName).replace(`${STACK}-`, ''),
  );

const functions = () =>
  resourcesOf(template, 'AWS::Lambda::Alias').map(([id]) => /^Functions(\w+)LiveAlias/.exec(id)?.[1] ?? '');

describe('a canary', () => {
  it('shifts every alias by a group of its own, a tenth for five minutes, and goes back when it fails or an alarm is raised', () => {
    expect(groups().size).toBe(contracts.length + 1);
    expect(new Set(functions().map((name) => JSON.stringify(groupOf(name)))).size).toBe(groups().size);
    for (const { Properties } of groups().values()) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
        AlarmConfiguration: { Enabled: true },
      });
    }
    template.resourceCountIs('AWS::CodeDeploy::Application', 1);
  });

  it('looks at the API and at its own function', () => {
    for (const name of functions().filter((each) => each !== 'authorizer')) {
      const [api, own, ...others] = alarmsOf(name);
      expect([api, own?.replaceAll('-', ''), others]).toEqual(['rollback-api', `rollback${name}`, []]);
    }
  });

  it('of the authorizer looks at the API alone: anybody can send a token that it refuses, which is an error to Lambda', () => {
    expect(alarmsOf('authorizer')).toEqual(['rollback-api']);
  });

  it('looks at the new version behind the alias, for which there is no value before it is called', () => {
    const alarms = alarmsIn(template, STACK);
    for (const { name } of contracts) {
      const alarm = alarms.get(`rollback-${name}`);
      for (const { Metric } of alarm?.metrics ?? []) {
        const values = Object.fromEntries(Metric.Dimensions.map(({ Name, Value }) => [Name, Value]));
        const [version = ''] = (values.ExecutedVersion as { readonly 'Fn::GetAtt': string[] })['Fn::GetAtt'];
        const { FunctionName } = values;
        expect(resourcesIn(template)[version]).toMatchObject({
          Type: 'AWS::Lambda::Version',
          Properties: { FunctionName },
        });
        expect(values.Resource).toEqual({ 'Fn::Join': ['', [FunctionName, ':live']] });
      }
      expect(alarm?.metrics).toHaveLength(2);
    }
  });

  it('is watched by the minute: it lasts five', () => {
    const watching = [...alarmsIn(template, STACK)].filter(([name]) => name.startsWith('rollback-'));
    expect(watching).toHaveLength(contracts.length + 1);
    for (const [name, alarm] of watching) {
      expect(new Set(alarm.metrics.map(({ Period }) => Period)), name).toEqual(new Set([60]));
      expect(alarm.EvaluationPeriods, name).toBeLessThan(5);
    }
  });
});

describe('the role that shifts', () => {
  const roleId = () => resourcesOf(template, 'AWS::IAM::Role').find(([id]) => id.startsWith('CanaryRole'))?.[0] ?? '';

  it('moves the aliases of this stack’s functions, and reads alarms; it has no policy of AWS’s', () => {
    expect(resourcesIn(template)[roleId()]?.Properties).not.toHaveProperty('ManagedPolicyArns');
    const statements = statementsIn(template).filter(({ of, Resource }) => of === roleId() && Resource !== undefined);
    expect(statements.map(({ Action }) => Action)).toEqual([
      ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      ['cloudwatch:DescribeAlarms'],
    ]);
    const ids = resourcesOf(template, 'AWS::Lambda::Function').map(([id]) => id);
    const arns = ids.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const aliases = arns.map((arn) => ({ 'Fn::Join': ['', [arn, ':live']] }));
    expect(statements[0]?.Resource).toHaveLength(arns.length + aliases.length);
    expect(statements[0]?.Resource).toEqual(expect.arrayContaining([...arns, ...aliases]));
  });

  it('has its rights before any alias is shifted, and waits for none', () => {
    for (const id of groups().keys()) expect(raw()[id]?.DependsOn).toContain(roleId());
    expect(JSON.stringify(raw()[roleId()])).not.toMatch(/LiveAlias/);
  });
});

describe('the setting', () => {
  const groupsWith = (context: Readonly<Record<string, string>>): number =>
    resourcesOf(synthesize({ context }).application, 'AWS::CodeDeploy::DeploymentGroup').length;

  it('is all at once for dev, and a canary for every other stage', () => {
    expect([groupsWith({}), groupsWith({ stage: 'dev' })]).toEqual([0, 0]);
    expect([groupsWith({ stage: 'prod' }), groupsWith({ stage: 'test' })]).toEqual([groups().size, groups().size]);
    expect([groupsWith({ stage: 'prod', deployment: 'all-at-once' })]).toEqual([0]);
  });

  it('takes no other value', () => {
    expect(() => synthesize({ context: { deployment: 'linear' } }).application).toThrow(/deployment: /);
  });

  it('of all at once leaves the aliases to CloudFormation, and nothing of CodeDeploy', () => {
    const text = JSON.stringify(synthesize().application.toJSON());
    expect(text).not.toMatch(/CodeDeploy|rollback-/);
    expect(text).toMatch(/AWS::Lambda::Alias/);
  });
});
