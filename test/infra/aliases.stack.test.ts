import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { methodsOf } from '../../shared/contract/traits.ts';
import { bodyIn, operationsIn } from './api-body.ts';
import { resourcesIn, resourcesOf, synthesize } from './synthesize.ts';

/** Whoever calls a function calls its alias: `$LATEST` is the code that is being deployed. */

const PUBLIC = { firstKey: 'true' };
let template: Template;
beforeAll(() => {
  template = synthesize({ context: PUBLIC }).application;
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

/** ARNs of the aliases that a function of the template has, as API Gateway is told them: by their names. */
const aliasArns = (): readonly string[] =>
  resourcesOf(template, 'AWS::Lambda::Alias').map(([, { Properties }]) => {
    const { Ref: id = '' } = Properties.FunctionName as { readonly Ref?: string };
    const name = resourcesIn(template)[id]?.Properties.FunctionName;
    return `arn:aws:lambda:eu-west-1:111122223333:function:${name}:${Properties.Name}`;
  });

const called = (uris: readonly (string | undefined)[]): readonly string[] =>
  uris.map((uri = '') => /functions\/(.*)\/invocations$/.exec(uri)?.[1] ?? uri);

describe('the API calls aliases', () => {
  it('in every integration', () => {
    const integrations = [...operationsIn(bodyIn(template)).values()]
      .map((operation) => operation['x-amazon-apigateway-integration'])
      .filter(({ type }) => type === 'aws_proxy');
    const methods = contracts.flatMap((contract) => Object.values(contract.routes).flatMap(methodsOf));
    expect(integrations).toHaveLength(methods.length);
    for (const arn of called(integrations.map(({ uri }) => uri))) expect(aliasArns()).toContain(arn);
  });

  it('in every authorizer', () => {
    const schemes = Object.values(bodyIn(template).components.securitySchemes);
    expect(schemes).toHaveLength(2);
    const uris = schemes.map((scheme) => scheme['x-amazon-apigateway-authorizer'].authorizerUri);
    for (const arn of called(uris)) expect(aliasArns()).toContain(arn);
  });

  it('and may call nothing else, by one permission for each', () => {
    const permissions = resourcesOf(template, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
    const byFunction = Map.groupBy(permissions, ({ FunctionName }) => JSON.stringify(FunctionName));
    expect(byFunction.size).toBe(contracts.length + 1);
    for (const [name, each] of byFunction) {
      expect(functionsIn(JSON.parse(name)), name).toEqual(['AWS::Lambda::Alias']);
      expect(each, name).toHaveLength(1);
      // Which authorizer: its id is made when the document is imported, and known to nobody before.
      const source = name.includes('authorizer') ? '/authorizers/*' : '/*/*/*';
      expect(JSON.stringify(each[0]?.SourceArn), name).toMatch(
        new RegExp(`"ApiRestApi\\w+"\\},"${source.replaceAll('*', '\\*')}"`),
      );
    }
  });

  it('once they have been shifted and may be called: new routes go live after that', () => {
    const [deployment] = Object.values(template.toJSON().Resources as Record<string, Record<string, unknown>>).filter(
      ({ Type }) => Type === 'AWS::ApiGateway::Deployment',
    );
    const awaited = ['AWS::Lambda::Alias', 'AWS::Lambda::Permission'].flatMap((type) =>
      resourcesOf(template, type).map(([id]) => id),
    );
    expect(awaited).toHaveLength(2 * (contracts.length + 1));
    expect(deployment?.DependsOn).toEqual(expect.arrayContaining(awaited));
  });

  it('and nothing names a function but its alias, its versions and what shows its metrics', () => {
    const naming = Object.values(resourcesIn(template))
      .filter(({ Properties }) => namedIn(Properties).includes('AWS::Lambda::Function'))
      .map(({ Type }) => Type);
    expect([...new Set(naming)].toSorted()).toEqual(['AWS::Lambda::Alias', 'AWS::Lambda::Version']);
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
      resourcesOf(synthesize({ context: { ...PUBLIC, ...context } }).application, 'AWS::Lambda::Version').map(
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
