import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnDeletionPolicy, CfnResource } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { Stage } from '../../infra/stacks/stage.ts';
import { assemble, PARTS, STACKS, type SynthesizeOptions, type Templates } from './synthesize.ts';
import { destructiveChanges } from './upgrades/diff.ts';
import { nameOf, textOfName } from './upgrades/names.ts';
import { RECORDED, type ReleaseRecord, recordOf, recordSchema, type StackRecord, textOf } from './upgrades/record.ts';

/** An upgrade from the previous release keeps a stage's data, and needs no name that is taken. */

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'infra/released.json'), 'utf8');
const released: ReleaseRecord = recordSchema.parse(JSON.parse(text));

/** What an upgrade of `before` to these stacks harms, in words. */
const harmOf = (templates: Templates, assembly: string, before: ReleaseRecord): string[] =>
  PARTS.flatMap((part, index) => {
    const record = before.stacks[part];
    // What is recorded alike in both is not harmed.
    if (JSON.stringify(recordOf(templates, '').stacks[part]) === JSON.stringify(record)) return [];
    const { Resources: after } = recordSchema.shape.stacks.shape.data.parse(templates[part].toJSON());
    return [
      ...destructiveChanges(assembly, STACKS[index] ?? '', record),
      ...namesInTheWay(record, after),
      ...Object.entries(record.Resources).flatMap(([id, old]) => {
        const next = after[id];
        return next === undefined ? [] : weakened(old, next).map((harm) => `${id} ${harm}`);
      }),
    ];
  });

type Resources = StackRecord['Resources'];

/** CloudFormation makes what is new before it deletes what is old, so that two of a type never have one name. */
function namesInTheWay({ Resources: before }: StackRecord, after: Resources): string[] {
  const taken = new Map(Object.entries(before).map(([id, each]) => [keyOf(each, before), id]));
  return Object.entries(after).flatMap(([id, each]) => {
    const key = keyOf(each, after);
    const holder = nameOf(each) === undefined ? undefined : taken.get(key);
    return holder === undefined || holder === id ? [] : [`${key} already exists`];
  });
}

const keyOf = (resource: Resources[string], all: Resources): string => `${resource.Type} ${textOfName(resource, all)}`;

/**
 * Properties of a key whose change is refused, and so is no replacement to CloudFormation.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
 */
const FIXED_OF_KEYS = ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'];

const isKept = (policy = 'Delete'): boolean => policy !== 'Delete';

/** What `cdk diff` does not tell of. */
const weakened = (old: Resources[string], next: Resources[string]): string[] => [
  ...(old.Type === 'AWS::KMS::Key' && FIXED_OF_KEYS.some((each) => old.Properties[each] !== next.Properties[each])
    ? ['cannot be changed']
    : []),
  ...((['DeletionPolicy', 'UpdateReplacePolicy'] as const).some((each) => isKept(old[each]) && !isKept(next[each]))
    ? ['is no longer kept']
    : []),
];

const resourceOf = (stage: Stage, id: RegExp): CfnResource => {
  const found = PARTS.flatMap((part) => stage[part].node.findAll())
    .filter((child) => CfnResource.isCfnResource(child))
    .find((child) => id.test(child.stack.resolve(child.logicalId)));
  if (found === undefined) throw new TypeError(`there is no ${id}`);
  return found;
};

/** The present stacks, as a release would record them, and what an upgrade to them harms. */
const present = assemble({ context: RECORDED }, (templates, assembly) => ({
  record: recordOf(templates, ''),
  harm: harmOf(templates, assembly, released),
}));

/** What an upgrade from the present stacks to others harms. */
const harmWith = (options: Pick<SynthesizeOptions, 'change' | 'served'>): string[] =>
  assemble({ context: RECORDED, ...options }, (templates, assembly) => harmOf(templates, assembly, present.record));

it('an upgrade from the last release replaces, deletes and orphans nothing, and meets no name that is taken', () => {
  expect(present.harm).toEqual([]);
});

describe('an upgrade is refused that', () => {
  it('makes something anew, changes what cannot change, takes a name, keeps less, or takes a domain away', () => {
    const served = contracts.filter(({ name }) => name !== 'services');
    const change = (stage: Stage): void => {
      resourceOf(stage, /^KeysSecrets/).overrideLogicalId('MovedKey');
      resourceOf(stage, /^FirewallLogs/).overrideLogicalId('MovedLogs');
      resourceOf(stage, /^ApiRestApi\w{8}$/).overrideLogicalId('MovedApi');
      resourceOf(stage, /^AlarmsTopicTopic\w{8}$|^AlarmsTopic\w{8}$/).overrideLogicalId('MovedTopic');
      resourceOf(stage, /^OperatorRole\w{8}$/).overrideLogicalId('MovedRole');
      resourceOf(stage, /^RecordsTable/).addPropertyOverride('KeySchema.0.AttributeName', 'Key');
      resourceOf(stage, /^ApiCustomDomain\w{8}$/).addPropertyOverride('DomainName', 'other.example.com');
      resourceOf(stage, /^FunctionsclientsFunction\w{8}$/).addPropertyOverride('FunctionName', 'clients');
      resourceOf(stage, /^KeysToken1Key/).addPropertyOverride('KeySpec', 'ECC_NIST_P256');
      resourceOf(stage, /^FunctionsticketsFunction\w{8}$/).overrideLogicalId('MovedFunction');
      resourceOf(stage, /^FunctionsusersLiveAlias\w{8}$/).overrideLogicalId('MovedAlias');
      resourceOf(stage, /^AlarmsApiapislow/).overrideLogicalId('MovedAlarm');
      resourceOf(stage, /^ApiAccessLogs/).cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
      new Key(stage.application, 'Another', { keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY });
    };
    const harm = harmWith({ served, change });
    const found = harm.join('\n');
    for (const type of ['KMS::Key', 'LogGroup', 'RestApi', 'SNS::Topic', 'IAM::Role'])
      expect(found).toMatch(new RegExp(`${type} .*will be (destroyed|orphaned)`));
    for (const type of ['GlobalTable', 'DomainName', 'Lambda::Function'])
      expect(found).toMatch(new RegExp(`${type} .*will be replaced`));
    expect(found).toMatch(/^KeysToken1Key\w+ cannot be changed$/m);
    expect(found).toMatch(/^AWS::Lambda::Function custodia-dev-tickets already exists$/m);
    expect(found).toMatch(/^AWS::Lambda::Alias custodia-dev-users:live already exists$/m);
    expect(found).toMatch(/^AWS::CloudWatch::Alarm custodia-dev-api-slow already exists$/m);
    expect(found).toMatch(/^ApiAccessLogs\w+ is no longer kept$/m);
    // Of a domain that is taken away the logs stay behind; what is added harms nothing.
    expect(harm.filter((each) => /services|Another/.test(each))).toEqual([
      expect.stringMatching(/LogGroup .*services.* will be orphaned/),
    ]);
  });
});

describe('infra/released.json', () => {
  it('is of the version in package.json, as `npm run release-record` writes it, and small', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect(released.release).toBe(version);
    expect(textOf(released)).toBe(text);
    expect(text.length).toBeLessThan(40_000);
  });

  it('has all that holds something, and whatever is named', () => {
    const types = Object.values(released.stacks).flatMap(({ Resources }) =>
      Object.values(Resources).map(({ Type }) => Type),
    );
    const once = ['DynamoDB::GlobalTable', 'ApiGateway::RestApi', 'ApiGateway::Stage', 'ApiGateway::DomainName'];
    for (const type of once) expect(types.filter((each) => each === `AWS::${type}`)).toHaveLength(1);
    const some = ['KMS::Key', 'SNS::Topic', 'SNS::Subscription', 'IAM::Role', 'Lambda::Function', 'Lambda::Alias'];
    for (const type of some) expect(types).toContain(`AWS::${type}`);
    expect(types.filter((each) => each === 'AWS::Logs::LogGroup').length).toBeGreaterThan(15);
  });
});
