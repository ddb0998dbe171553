import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnDeletionPolicy, CfnResource } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { Stage } from '../../infra/stacks/stage.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { CloudFormation, stackOf } from './account/cloudformation.ts';
import { assemble, PARTS, STACKS, STAGE, type SynthesizeOptions, synthesize } from './synthesize.ts';
import { destructiveChanges } from './upgrades/diff.ts';
import { RECORDED, type ReleaseRecord, recordOf, recordSchema, type StackRecord, textOf } from './upgrades/record.ts';

/** The stack over a stage of the release before: what it holds must be there afterwards, and no name may be in its way. */

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'infra/released.json'), 'utf8');
const released: ReleaseRecord = recordSchema.parse(JSON.parse(text));

/** What an upgrade of `before` to the stacks as they would be with these options harms, in words. */
function harmOf(options: Pick<SynthesizeOptions, 'change' | 'served'> = {}, before = present()): string[] {
  return assemble({ context: RECORDED, ...options }, (templates, assembly) =>
    PARTS.flatMap((part, index) => {
      const template = templates[part].toJSON();
      const released = before.stacks[part];
      // What is recorded alike in both is not harmed.
      if (JSON.stringify(recordOf(templates, '').stacks[part]) === JSON.stringify(released)) return [];
      return [
        ...destructiveChanges(assembly, STACKS[index] ?? '', released),
        ...namesInTheWay(released, template),
        ...whatFails(released, template),
        ...whatIsNotKept(released, template),
      ];
    }),
  );
}

/** As a release of the present stacks would record them. */
const present = (): ReleaseRecord => recordOf(synthesize({ context: RECORDED }), '');

/** CloudFormation makes what is new before it deletes what is old. */
function namesInTheWay(before: StackRecord, template: unknown): string[] {
  const account = new CloudFormation();
  account.deploy(stackOf(before, STAGE));
  try {
    account.deploy(stackOf(template, STAGE));
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

const resourcesBoth = ({ Resources }: StackRecord, template: unknown) =>
  Object.entries(Resources).flatMap(([id, before]) => {
    const after = recordSchema.shape.stacks.shape.data.parse(template).Resources[id];
    return after === undefined ? [] : [{ id, before, after }];
  });

const whatFails = (released: StackRecord, template: unknown): string[] =>
  resourcesBoth(released, template).flatMap(({ id, before, after }) =>
    before.Type === 'AWS::KMS::Key' && FIXED_OF_KEYS.some((each) => before.Properties[each] !== after.Properties[each])
      ? [`${id} cannot be changed`]
      : [],
  );

const isKept = (policy = 'Delete'): boolean => policy !== 'Delete';

const whatIsNotKept = (released: StackRecord, template: unknown): string[] =>
  resourcesBoth(released, template).flatMap(({ id, before, after }) =>
    (['DeletionPolicy', 'UpdateReplacePolicy'] as const).some((each) => isKept(before[each]) && !isKept(after[each]))
      ? [`${id} is no longer kept`]
      : [],
  );

const resourceOf = (stage: Stage, id: RegExp): CfnResource => {
  const found = PARTS.flatMap((part) => stage[part].node.findAll())
    .filter((child) => CfnResource.isCfnResource(child))
    .find((child) => id.test(child.stack.resolve(child.logicalId)));
  if (found === undefined) throw new TypeError(`there is no ${id}`);
  return found;
};

it('an upgrade from the last release replaces, deletes and orphans nothing, and meets no name that is taken', () => {
  expect(harmOf({}, released)).toEqual([]);
});

describe('an upgrade is found out that', () => {
  it('makes something anew that cannot be had back, or that others know', () => {
    const change = (stage: Stage): void => {
      resourceOf(stage, /^RecordsTable/).overrideLogicalId('Moved');
      resourceOf(stage, /^KeysSecrets/).overrideLogicalId('MovedKey');
      resourceOf(stage, /^ApiAccessLogs/).overrideLogicalId('MovedLogs');
      resourceOf(stage, /^ApiRestApi\w{8}$/).overrideLogicalId('MovedApi');
      resourceOf(stage, /^AlarmsTopicTopic\w{8}$|^AlarmsTopic\w{8}$/).overrideLogicalId('MovedTopic');
      resourceOf(stage, /^OperatorRole\w{8}$/).overrideLogicalId('MovedRole');
    };
    const found = harmOf({ change }).join('\n');
    for (const type of ['GlobalTable', 'KMS::Key', 'LogGroup', 'RestApi', 'SNS::Topic', 'IAM::Role'])
      expect(found).toMatch(new RegExp(`${type} .*will be (destroyed|orphaned)`));
  });

  it('changes a property that a resource cannot change', () => {
    const change = (stage: Stage): void => {
      resourceOf(stage, /^RecordsTable/).addPropertyOverride('KeySchema.0.AttributeName', 'Key');
      resourceOf(stage, /^ApiCustomDomain\w{8}$/).addPropertyOverride('DomainName', 'other.example.com');
      resourceOf(stage, /^FunctionsclientsFunction\w{8}$/).addPropertyOverride('FunctionName', 'clients');
      resourceOf(stage, /^KeysToken1Key/).addPropertyOverride('KeySpec', 'ECC_NIST_P256');
    };
    const found = harmOf({ change }).join('\n');
    for (const type of ['GlobalTable', 'DomainName', 'Lambda::Function'])
      expect(found).toMatch(new RegExp(`${type} .*will be replaced`));
    expect(found).toMatch(/^KeysToken1Key\w+ cannot be changed$/m);
  });

  it.each([
    ['function', /^FunctionsclientsFunction\w{8}$/, /AWS::Lambda::Function custodia-dev-clients already exists/],
    ['alias', /^FunctionsclientsLiveAlias\w{8}$/, /AWS::Lambda::Alias custodia-dev-clients:live already exists/],
    ['alarm', /^AlarmsApiapislow/, /AWS::CloudWatch::Alarm custodia-dev-api-slow already exists/],
  ])('moves a %s, whose name is taken by the one that goes', (_, id, harm) => {
    const found = harmOf({ change: (stage) => resourceOf(stage, id).overrideLogicalId('Moved') });
    expect(found.join('\n')).toMatch(harm);
  });

  it('no longer keeps what was kept', () => {
    const change = (stage: Stage): void => {
      resourceOf(stage, /^ApiAccessLogs/).cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    };
    expect(harmOf({ change }).join('\n')).toMatch(/^ApiAccessLogs\w+ is no longer kept$/m);
  });

  it('takes a domain away, of which the logs stay behind', () => {
    const fewer: readonly Contract[] = contracts.filter(({ name }) => name !== 'tickets');
    expect(harmOf({ served: fewer })).toEqual([expect.stringMatching(/LogGroup .*tickets.* will be orphaned/)]);
  });

  it('and no upgrade that only adds', () => {
    const change = (stage: Stage): void => {
      new Key(stage.data, 'Another', { keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY });
    };
    expect(harmOf({ change })).toEqual([]);
  });
});

describe('infra/released.json', () => {
  it('is of the version in package.json: a release records itself', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect(released.release).toBe(version);
  });

  it('has all that holds something, and whatever is named', () => {
    const types = Object.values(released.stacks).flatMap(({ Resources }) =>
      Object.values(Resources).map(({ Type }) => Type),
    );
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
