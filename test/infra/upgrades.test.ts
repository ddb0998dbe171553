import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnDeletionPolicy, CfnResource } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { CustodiaStack } from '../../infra/stack.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { CloudFormation, stackOf } from './account/cloudformation.ts';
import { assemble, type SynthesizeOptions } from './synthesize.ts';
import { destructiveChanges } from './upgrades/diff.ts';
import { RECORDED, type ReleaseRecord, recordSchema, STACK, textOf } from './upgrades/record.ts';

/** The stack over a stage of the release before: what it holds must be there afterwards, and no name may be in its way. */

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'infra/released.json'), 'utf8');
const released: ReleaseRecord = recordSchema.parse(JSON.parse(text));

/** What an upgrade to the stack as it would be with these options harms, in words. */
function harmOf(options: Pick<SynthesizeOptions, 'change' | 'served'> = {}): string[] {
  return assemble({ context: RECORDED, ...options }, (template, assembly) => [
    ...destructiveChanges(assembly, released),
    ...namesInTheWay(template.toJSON()),
    ...whatFails(template.toJSON()),
    ...whatIsNotKept(template.toJSON()),
  ]);
}

/** CloudFormation makes what is new before it deletes what is old. */
function namesInTheWay(template: unknown): string[] {
  const account = new CloudFormation();
  account.deploy(stackOf(released, STACK));
  try {
    account.deploy(stackOf(template, STACK));
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Properties of a key whose change is refused, and so is no replacement to CloudFormation.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
 */
const FIXED_OF_KEYS = ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'];

const resourcesBoth = (template: unknown) =>
  Object.entries(released.Resources).flatMap(([id, before]) => {
    const after = recordSchema.shape.Resources.parse((template as { Resources: unknown }).Resources)[id];
    return after === undefined ? [] : [{ id, before, after }];
  });

const whatFails = (template: unknown): string[] =>
  resourcesBoth(template).flatMap(({ id, before, after }) =>
    before.Type === 'AWS::KMS::Key' && FIXED_OF_KEYS.some((each) => before.Properties[each] !== after.Properties[each])
      ? [`${id} cannot be changed`]
      : [],
  );

const isKept = (policy = 'Delete'): boolean => policy !== 'Delete';

const whatIsNotKept = (template: unknown): string[] =>
  resourcesBoth(template).flatMap(({ id, before, after }) =>
    (['DeletionPolicy', 'UpdateReplacePolicy'] as const).some((each) => isKept(before[each]) && !isKept(after[each]))
      ? [`${id} is no longer kept`]
      : [],
  );

const resourceOf = (stack: CustodiaStack, id: RegExp): CfnResource => {
  const found = stack.node
    .findAll()
    .find((child): child is CfnResource => CfnResource.isCfnResource(child) && id.test(stack.resolve(child.logicalId)));
  if (found === undefined) throw new TypeError(`there is no ${id}`);
  return found;
};

it('an upgrade from the last release replaces, deletes and orphans nothing, and meets no name that is taken', () => {
  expect(harmOf()).toEqual([]);
});

describe('an upgrade is found out that', () => {
  it('makes something anew that cannot be had back, or that others know', () => {
    const change = (stack: CustodiaStack): void => {
      resourceOf(stack, /^RecordsTable/).overrideLogicalId('Moved');
      resourceOf(stack, /^KeysSecrets/).overrideLogicalId('MovedKey');
      resourceOf(stack, /^ApiAccessLogs/).overrideLogicalId('MovedLogs');
      resourceOf(stack, /^ApiRestApi\w{8}$/).overrideLogicalId('MovedApi');
      resourceOf(stack, /^AlarmsTopicTopic\w{8}$|^AlarmsTopic\w{8}$/).overrideLogicalId('MovedTopic');
      resourceOf(stack, /^OperatorRole\w{8}$/).overrideLogicalId('MovedRole');
    };
    const found = harmOf({ change }).join('\n');
    for (const type of ['GlobalTable', 'KMS::Key', 'LogGroup', 'RestApi', 'SNS::Topic', 'IAM::Role'])
      expect(found).toMatch(new RegExp(`${type} .*will be (destroyed|orphaned)`));
  });

  it('changes a property that a resource cannot change', () => {
    const change = (stack: CustodiaStack): void => {
      resourceOf(stack, /^RecordsTable/).addPropertyOverride('KeySchema.0.AttributeName', 'Key');
      resourceOf(stack, /^ApiCustomDomain\w{8}$/).addPropertyOverride('DomainName', 'other.example.com');
      resourceOf(stack, /^FunctionsclientsFunction\w{8}$/).addPropertyOverride('FunctionName', 'clients');
      resourceOf(stack, /^KeysToken1Key/).addPropertyOverride('KeySpec', 'ECC_NIST_P256');
    };
    const found = harmOf({ change }).join('\n');
    for (const type of ['GlobalTable', 'DomainName', 'Lambda::Function'])
      expect(found).toMatch(new RegExp(`${type} .*will be replaced`));
    expect(found).toMatch(/^KeysToken1Key\w+ cannot be changed$/m);
  });

  it.each([
    ['function', /^FunctionsclientsFunction\w{8}$/, /AWS::Lambda::Function custodia-test-clients already exists/],
    ['alias', /^FunctionsclientsLiveAlias\w{8}$/, /AWS::Lambda::Alias custodia-test-clients:live already exists/],
    ['alarm', /^AlarmsApiapi5xx/, /AWS::CloudWatch::Alarm custodia-test-api-5xx already exists/],
  ])('moves a %s, whose name is taken by the one that goes', (_, id, harm) => {
    const found = harmOf({ change: (stack) => resourceOf(stack, id).overrideLogicalId('Moved') });
    expect(found.join('\n')).toMatch(harm);
  });

  it('no longer keeps what was kept', () => {
    const change = (stack: CustodiaStack): void => {
      resourceOf(stack, /^ApiAccessLogs/).cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    };
    expect(harmOf({ change }).join('\n')).toMatch(/^ApiAccessLogs\w+ is no longer kept$/m);
  });

  it('takes a domain away, of which the logs stay behind', () => {
    const fewer: readonly Contract[] = contracts.filter(({ name }) => name !== 'tickets');
    expect(harmOf({ served: fewer })).toEqual([expect.stringMatching(/LogGroup .*tickets.* will be orphaned/)]);
  });

  it('and no upgrade that only adds', () => {
    const change = (stack: CustodiaStack): void => {
      new Key(stack, 'Another', { keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY });
    };
    expect(harmOf({ change })).toEqual([]);
  });
});

describe('infra/released.json', () => {
  it('is of the version in package.json: a release records itself', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect(released.Metadata.release).toBe(version);
  });

  it('has all that holds something, and whatever is named', () => {
    const types = Object.values(released.Resources).map(({ Type }) => Type);
    for (const type of ['DynamoDB::GlobalTable', 'ApiGateway::RestApi', 'ApiGateway::Stage', 'ApiGateway::DomainName'])
      expect(types.filter((each) => each === `AWS::${type}`)).toHaveLength(1);
    for (const type of [
      'KMS::Key',
      'SNS::Topic',
      'SNS::Subscription',
      'IAM::Role',
      'Lambda::Function',
      'Lambda::Alias',
    ])
      expect(types).toContain(`AWS::${type}`);
    expect(types.filter((each) => each === 'AWS::Logs::LogGroup').length).toBeGreaterThan(15);
  });

  it('is as `npm run release-record` writes it, and small', () => {
    expect(textOf(released)).toBe(text);
    expect(text.length).toBeLessThan(40_000);
  });
});
