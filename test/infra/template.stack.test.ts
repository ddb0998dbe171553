import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { SETTINGS } from '../../infra/settings.ts';
import type { Stage } from '../../infra/stacks/stage.ts';
import type { Deployed } from './account/template.ts';
import { bodyWith } from './api-body.ts';
import {
  assemble,
  EVERYTHING,
  PARTS,
  PROFILES,
  resourcesIn,
  resourcesOf,
  STACKS,
  stageOf,
  synthesize,
} from './synthesize.ts';
import { nameOf } from './upgrades/names.ts';

/** Rules that hold for every stage, whatever is set, and the limits of AWS. */

type Resource = Deployed['resources'] extends ReadonlyMap<string, infer R> ? R : never;

/** What holds data, which outlives its stack. */
const HOLDING = /^AWS::(DynamoDB::GlobalTable|KMS::Key|Logs::LogGroup|Backup::BackupVault|S3::Bucket)$/;

const policiesOf = ({ DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete' }: Resource) => [
  DeletionPolicy,
  UpdateReplacePolicy,
];

describe.each(Object.entries(PROFILES))('a stage of the profile %s', (_, context) => {
  const templates = synthesize({ context });
  const stage = stageOf(templates);
  const of = (type: string) => [...stage.resources].filter(([, { Type }]) => Type === `AWS::${type}`);

  it('keeps what holds data when its stack goes, and nothing else', () => {
    for (const [id, resource] of stage.resources) {
      // A table that is protected could not be rolled back, so that an empty one stays.
      const kept = [resource.Type === 'AWS::DynamoDB::GlobalTable' ? 'Retain' : 'RetainExceptOnCreate', 'Retain'];
      expect(policiesOf(resource), id).toEqual(HOLDING.test(resource.Type) ? kept : ['Delete', 'Delete']);
    }
  });

  it('names nothing that stays, but with a part that is new each time: it can be deployed again', () => {
    for (const [id, declared] of Object.entries(resourcesIn(templates)).filter(([, { Type }]) => HOLDING.test(Type)))
      expect(JSON.stringify(nameOf(declared) ?? ['"Fn::GetAtt"', 'RoleId']), id).toMatch(/"?Fn::GetAtt.*Id"/);
  });

  it('has what serves the API and delivers its events, and nothing on the side', () => {
    const others = /^Custom::|^AWS::(IAM::(Policy|ManagedPolicy|User|AccessKey)|Lambda::(Url|LayerVersion))/;
    expect([...stage.resources.values()].filter(({ Type }) => others.test(Type))).toEqual([]);
    expect(resourcesOf(templates.application, 'AWS::Lambda::Function')).toHaveLength(functionNames(contracts).length);
  });

  it('has its data in a stack that depends on no other, so that the others can be made anew', () => {
    const { data: _, ...others } = templates;
    const texts = PARTS.map((part) => JSON.stringify(templates[part].toJSON()));
    for (const [index, text] of texts.entries()) {
      const referred = Array.from(
        text.matchAll(/"Fn::GetStackOutput":\{"StackName":"([\w-]+)"/g),
        ([, name = '']) => name,
      );
      expect(STACKS.slice(0, index)).toEqual(expect.arrayContaining(referred));
      expect(text).not.toMatch(/"Export"|Fn::ImportValue/);
    }
    for (const { Type } of Object.values(others).flatMap((each) => Object.values(resourcesIn(each))))
      expect(Type).not.toMatch(/::(DynamoDB|KMS|Backup|S3)::/);
  });

  it('imports the API as one document, as it is made from the contracts (`routes.test.ts`)', () => {
    const [[, api] = []] = of('ApiGateway::RestApi');
    expect(api?.Properties.Body).toEqual(bodyWith(context));
  });
});

it('a stage that is not protected leaves nothing behind, and one whose stack is protected says so', () => {
  let isProtected: boolean | undefined;
  const change = ({ data }: { readonly data: { readonly terminationProtection?: boolean } }): void => {
    isProtected = data.terminationProtection;
  };
  const context = { deletionProtection: 'false', terminationProtection: 'true' };
  const templates = synthesize({ context, change });
  for (const [id, resource] of stageOf(templates).resources)
    expect(policiesOf(resource), id).toEqual(['Delete', 'Delete']);
  expect(JSON.stringify(templates.data.toJSON())).not.toContain('"DeletionProtectionEnabled":true');
  expect(isProtected).toBe(true);
});

test('the access log is JSON whatever was asked: what a caller writes, and messages that may quote it, are not in it', () => {
  // Numbers, ids and closed sets of words, of AWS and of our authorizer.
  const harmless = new Set([
    ...['requestTimeEpoch', 'requestId', 'status', 'responseLength', 'responseLatency', 'waf.status'],
    ...['identity.sourceIp', 'domainName', 'httpMethod', 'resourcePath', 'error.responseType'],
    ...['integration.latency', 'integration.status', 'integration.requestId'],
    ...['requestId', 'latency', 'status', 'integration_id', 'user_id', 'org_id'].map((name) => `authorizer.${name}`),
  ]);
  const [[, stage] = []] = resourcesOf(synthesize().api, 'AWS::ApiGateway::Stage');
  const { Format = '' } = (stage?.Properties.AccessLogSetting ?? {}) as { readonly Format?: string };
  const line = Format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => (harmless.has(name) ? '-' : '"\\'));
  expect(() => JSON.parse(line), line).not.toThrow();
  expect(new Set(Object.values(JSON.parse(line)))).toEqual(new Set(['-']));
});

it('every setting is set in a stage that is tested', () => {
  const set = new Set(Object.values(PROFILES).flatMap(Object.keys));
  const tested = ['deletionProtection', 'terminationProtection', 'gatewayLogRole', 'stage'];
  expect(SETTINGS.filter((name) => !set.has(name)).toSorted()).toEqual(tested.toSorted());
});

/**
 * Every setting, the longest values that there may be of those that make the template large, and what the `cdk` command
 * adds.
 */
const LARGEST = {
  ...EVERYTHING,
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  corsOrigins: Array.from({ length: 20 }, (_, index) => `https://${'a'.repeat(122)}-${index + 10}.example.com`).join(),
  stage: 'a'.repeat(20),
};

describe('the largest stage', () => {
  let ids: readonly (readonly string[])[];
  let functions: readonly (readonly [id: string, resource: Pick<Resource, 'Properties'>])[];
  let sizes: readonly number[];
  beforeAll(() => {
    // CDK warns from 800 KB on.
    const id = 'Annotation::@aws-cdk/core:Stack.templateSize';
    const change = (stage: Stage): void => {
      for (const part of PARTS) Validations.of(stage[part]).acknowledge({ id, reason: 'Its size is tested here.' });
    };
    assemble({ context: LARGEST, change }, ({ application, api, operations }, directory) => {
      ids = [application, api, operations].map((each) => Object.keys(resourcesIn(each)));
      functions = resourcesOf(application, 'AWS::Lambda::Function');
      sizes = globSync(join(directory, '*.template.json')).map((file) => statSync(file).size);
    });
  });

  it('has room for other domains, of about ten resources each', () => {
    expect(ids[0]?.length, 'see docs/decisions/0162').toBeLessThanOrEqual(265);
    const [serving, routing, watching] = ids.map((all) => all.filter((id) => /tickets/i.test(id)));
    expect(serving?.length).toBeGreaterThan(5);
    expect(serving?.length, serving?.join()).toBeLessThanOrEqual(7);
    expect(routing).toHaveLength(1);
    expect(watching?.length, watching?.join()).toBeLessThanOrEqual(3);
  });

  it('has no template near the 1 MB that CloudFormation takes', () => {
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes), 'see docs/decisions/0162').toBeLessThanOrEqual(615_000);
  });

  it('has no function with more variables than the 4 KB that Lambda takes', () => {
    // What a reference becomes, the ARN of a key or of a role, is shorter.
    const sizeOf = (value: unknown): number => (typeof value === 'string' ? value.length : 200);
    expect(functions.length).toBeGreaterThan(contracts.length);
    for (const [id, { Properties }] of functions) {
      const { Variables } = Properties.Environment as { readonly Variables: Readonly<Record<string, unknown>> };
      const all = Object.entries(Variables).map(([name, value]) => name.length + sizeOf(value));
      expect(
        all.reduce((sum, size) => sum + size),
        id,
      ).toBeLessThan(4_096);
    }
  });
});
