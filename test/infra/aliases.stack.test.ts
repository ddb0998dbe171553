import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { BACKGROUND } from '../../infra/rights.ts';
import { assemble, resourcesIn, resourcesOf, STACKS, synthesize } from './synthesize.ts';
import { textOfName } from './upgrades/names.ts';

/**
 * What is deployed takes over: functions are called by their aliases, and a new version or a new deployment of the API,
 * which CloudFormation makes only under another logical id, is made when there is something new in it and only then.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-deploy-api.html
 */

/** Types of the resources that a part of the template names. */
const namedIn = (value: unknown, ids: Readonly<Record<string, { readonly Type: string }>>): string[] =>
  Array.from(JSON.stringify(value).matchAll(/\{"(?:Ref":|Fn::GetAtt":\[)"([\w:]+)"/g), ([, id = '']) => id).flatMap(
    (id) => ids[id]?.Type ?? [],
  );

it('nothing names a function but its alias, its versions and what shows its metrics: `$LATEST` is the code that is being deployed', () => {
  const resources = resourcesIn(synthesize().application);
  const naming = Object.values(resources)
    .filter(({ Properties }) => namedIn(Properties, resources).includes('AWS::Lambda::Function'))
    .map(({ Type }) => Type);
  expect([...new Set(naming)].toSorted()).toEqual(['AWS::Lambda::Alias', 'AWS::Lambda::Version']);
});

it('the API names aliases of the application, each of which it may call', () => {
  const { application, api } = synthesize();
  const body = JSON.stringify(resourcesOf(api, 'AWS::ApiGateway::RestApi')[0]?.[1].Properties.Body);
  const called = Array.from(body.matchAll(/:function:([^/]+)\/invocations/g), ([, name]) => name);
  const allowed = resourcesOf(api, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties.FunctionName);
  const functions = resourcesIn(application);
  const aliases = resourcesOf(application, 'AWS::Lambda::Alias').map(([, alias]) => textOfName(alias, functions));
  expect(allowed.toSorted()).toEqual(aliases.filter((name) => !IN_BACKGROUND.test(name)).toSorted());
  expect(new Set(called)).toEqual(new Set(allowed));
});

/** No route calls them. */
const IN_BACKGROUND = new RegExp(`^custodia-dev-(${BACKGROUND.join('|')}):live$`);

it('new routes go live after all aliases, and may call them', () => {
  assemble({}, ({ api }, directory) => {
    const [deployment] = Object.values(api.findResources('AWS::ApiGateway::Deployment'));
    const permissions = resourcesOf(api, 'AWS::Lambda::Permission').map(([id]) => id);
    expect(permissions).toHaveLength(contracts.length + 1);
    expect(deployment?.DependsOn).toEqual(expect.arrayContaining(permissions));
    const { artifacts } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    for (const [index, stack] of STACKS.slice(1).entries())
      expect(artifacts[stack].dependencies).toContain(STACKS[index]);
  });
});

it('has at most five canaries, or mappings of events, made at once, which AWS refuses in numbers', () => {
  const { application } = synthesize({ context: { deployment: 'canary' } });
  for (const [type, count] of [
    ['AWS::CodeDeploy::DeploymentGroup', functionNames(contracts).length],
    ['AWS::Lambda::EventSourceMapping', 2],
  ] as const) {
    const ids = resourcesOf(application, type).map(([id]) => id);
    expect(ids).toHaveLength(count);
    const found = application.findResources(type);
    const awaited = ids.map((id) => [found[id]?.DependsOn ?? []].flat().filter((other) => ids.includes(other)));
    expect(awaited.filter((others) => others.length === 0)).toHaveLength(Math.min(count, 5));
    // Chains that do not meet: no more of them go on than have begun.
    expect(new Set(awaited.flat()).size).toBe(Math.max(count - 5, 0));
    expect(awaited.every((others) => others.length <= 1)).toBe(true);
  }
});

describe('a change of', () => {
  /** Logical ids of the API's deployment, and of each function's version. */
  const releasedWith = (context: Readonly<Record<string, string>>) => {
    const { application, api } = synthesize({ context });
    const versions = resourcesOf(application, 'AWS::Lambda::Version').map(([id, { Properties }]) => {
      const [, name = ''] = /Functions(\w+)Function/.exec(JSON.stringify(Properties.FunctionName)) ?? [];
      return [name, id] as const;
    });
    return { versions, deployment: resourcesOf(api, 'AWS::ApiGateway::Deployment')[0]?.[0] };
  };
  const changedBy = (context: Readonly<Record<string, string>>) => {
    const [before, after] = [releasedWith({}), releasedWith(context)];
    const ids = new Map(before.versions);
    return {
      functions: after.versions.flatMap(([name, id]) => (ids.get(name) === id ? [] : [name])),
      api: after.deployment !== before.deployment,
    };
  };

  it('the environment of functions makes new versions of them', () => {
    const { functions, api } = changedBy({ rateLimit: '7' });
    expect([functions.length, api]).toEqual([functionNames(contracts).length, false]);
  });

  it('the API makes a new deployment, and a variable that is added after its function was made a new version', () => {
    expect(changedBy({ authorizerCacheSeconds: '30' })).toEqual({ functions: ['authorizer'], api: true });
  });

  it('neither makes neither: Lambda refuses a version of code and configuration that are what they were', () => {
    const others = { alarmEmail: 'x@example.com', logRetentionDays: '30' };
    expect(changedBy({ ...others, deployment: 'canary' })).toEqual({ functions: [], api: false });
  });
});
