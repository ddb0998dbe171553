import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { methodsOf } from '../../shared/contract/traits.ts';
import { resourcesIn, resourcesOf, synthesize } from './synthesize.ts';

/** Whoever calls a function calls its alias: `$LATEST` is the code that is being deployed. */

const PUBLIC = { firstKey: 'true' };
let template: Template;
beforeAll(() => {
  template = synthesize({ context: PUBLIC });
});

/** Types of the resources that a part of the template names. */
function namedIn(value: unknown): string[] {
  const names = Array.from(
    JSON.stringify(value).matchAll(/\{"(?:Ref":|Fn::GetAtt":\[)"([\w:]+)"/g),
    ([, id = '']) => id,
  );
  return names.flatMap((id) => resourcesIn(template)[id]?.Type ?? []);
}

const LAMBDA = /^AWS::Lambda::/;
const functionsIn = (value: unknown): string[] => [...new Set(namedIn(value).filter((type) => LAMBDA.test(type)))];

describe('the API calls aliases', () => {
  it('in every integration', () => {
    const integrations = resourcesOf(template, 'AWS::ApiGateway::Method')
      .map(([, { Properties }]) => Properties.Integration as { readonly Type: string; readonly Uri: unknown })
      .filter(({ Type }) => Type === 'AWS_PROXY');
    const methods = contracts.flatMap((contract) => Object.values(contract.routes).flatMap(methodsOf));
    expect(integrations).toHaveLength(methods.length);
    for (const { Uri } of integrations) expect(functionsIn(Uri)).toEqual(['AWS::Lambda::Alias']);
  });

  it('in every authorizer', () => {
    const authorizers = resourcesOf(template, 'AWS::ApiGateway::Authorizer');
    expect(authorizers).toHaveLength(2);
    for (const [, { Properties }] of authorizers)
      expect(functionsIn(Properties.AuthorizerUri)).toEqual(['AWS::Lambda::Alias']);
  });

  it('and may call nothing else, by few permissions for each', () => {
    const permissions = resourcesOf(template, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
    const byFunction = Map.groupBy(permissions, ({ FunctionName }) => JSON.stringify(FunctionName));
    expect(byFunction.size).toBe(contracts.length + 1);
    for (const [name, each] of byFunction) {
      expect(functionsIn(JSON.parse(name)), name).toEqual(['AWS::Lambda::Alias']);
      // A policy of 20 KB has room for some sixty; one for each method would grow with the contract.
      expect(each.length, name).toBeLessThanOrEqual(2);
    }
  });

  it('and nothing names a function but its alias, its versions and what shows its metrics', () => {
    const naming = Object.values(resourcesIn(template))
      .filter(({ Properties }) => namedIn(Properties).includes('AWS::Lambda::Function'))
      .map(({ Type }) => Type);
    expect([...new Set(naming)].toSorted()).toEqual([
      // Metrics go by the function's name.
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Version',
    ]);
  });
});

describe('an alias', () => {
  it('is at the one version of its function that the template has', () => {
    const aliases = resourcesOf(template, 'AWS::Lambda::Alias').map(([, { Properties }]) => Properties);
    const versions = new Map(resourcesOf(template, 'AWS::Lambda::Version'));
    expect([aliases.length, versions.size]).toEqual([contracts.length + 1, contracts.length + 1]);
    for (const { FunctionName, FunctionVersion, Name } of aliases) {
      const [version = '', attribute] = (FunctionVersion as { readonly 'Fn::GetAtt': string[] })['Fn::GetAtt'];
      expect([Name, attribute, versions.get(version)?.Properties.FunctionName]).toEqual([
        'live',
        'Version',
        FunctionName,
      ]);
    }
  });

  it('is left by a version that goes with its release, and that has no description, which would be a new version of old code', () => {
    const versions = Object.values(template.toJSON().Resources as Record<string, Record<string, unknown>>).filter(
      ({ Type }) => Type === 'AWS::Lambda::Version',
    );
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions) {
      expect(version).not.toHaveProperty('DeletionPolicy');
      expect(Object.keys(version.Properties as object)).toEqual(['FunctionName']);
    }
  });
});

describe('a new version is made', () => {
  const versionsWith = (context: Readonly<Record<string, string>>) =>
    new Map(
      resourcesOf(synthesize({ context: { ...PUBLIC, ...context } }), 'AWS::Lambda::Version').map(
        ([id, { Properties }]) => [JSON.stringify(Properties.FunctionName), id],
      ),
    );
  let before: ReturnType<typeof versionsWith>;
  beforeAll(() => {
    before = versionsWith({});
  });
  /** The functions with other versions than before. */
  const changedBy = (context: Readonly<Record<string, string>>): string[] => {
    const after = versionsWith(context);
    expect([...after.keys()]).toEqual([...before.keys()]);
    return [...after].flatMap(([name, id]) =>
      before.get(name) === id ? [] : [/Functions(\w+)Function/.exec(name)?.[1] ?? ''],
    );
  };
  const all = contracts.length + 1;

  it('of every function, when its environment changes', () => {
    expect(changedBy({ rateLimit: '7' })).toHaveLength(all);
  });

  it('when a variable changes that is added after the function was made', () => {
    const domain = {
      domainName: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/x',
    };
    expect(changedBy(domain)).toEqual(['openapi']);
    expect(changedBy({ tokenKeys: '2' })).toEqual(expect.arrayContaining(['authorizer', 'auth']));
  });

  it('when its memory changes, or it is traced', () => {
    expect(changedBy({ memory: '512' })).toHaveLength(all);
    expect(changedBy({ tracing: 'true' })).toHaveLength(all);
  });

  it('and not of code and configuration that are what they were, which Lambda refuses', () => {
    const others = { alarmEmail: 'x@example.com', logRetentionDays: '30', reservedConcurrency: 'authorizer:5' };
    expect(changedBy({ ...others, deployment: 'canary' })).toEqual([]);
    expect(changedBy({ ...others, provisionedConcurrency: 'clients:1' })).toEqual([]);
  });
});
