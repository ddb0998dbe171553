import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { CloudFormation, nameOf, type StackToDeploy, stackIn } from './account/cloudformation.ts';
import { assemble } from './synthesize.ts';

/** A stage is deployed more than once: after a failure, after it was destroyed, with other domains. */

function synthesized(context: Readonly<Record<string, unknown>> = {}, served?: readonly Contract[]): StackToDeploy {
  const options = { context: { alarmEmail: 'ops@example.com', ...context }, ...(served && { served }) };
  return assemble(options, (_, directory) => stackIn(directory, 'custodia-test'));
}

let stack: StackToDeploy;
let unprotected: StackToDeploy;
beforeAll(() => {
  stack = synthesized();
  unprotected = synthesized({ deletionProtection: 'false' });
});

const typesOf = ({ orphans }: CloudFormation): string[] =>
  orphans.map(({ declared }) => declared.Type.replace('AWS::', '')).toSorted();

describe('what outlives its stack', () => {
  it('is the table, the key of secrets and logs, also where they are replaced, and nothing else', () => {
    const holding = ({ Type, Properties }: { readonly Type: string; readonly Properties: object }): boolean =>
      Type === 'AWS::DynamoDB::GlobalTable' ||
      Type === 'AWS::Logs::LogGroup' ||
      (Type === 'AWS::KMS::Key' && !('KeySpec' in Properties));
    for (const [id, each] of stack.resources) {
      const policies = [each.DeletionPolicy, each.UpdateReplacePolicy];
      if (holding(each)) expect(policies, id).not.toContain('Delete');
      else expect(policies, id).toEqual(['Delete', 'Delete']);
    }
    expect([...stack.resources.values()].filter(holding).length).toBeGreaterThan(15);
  });

  it('has no name of its own choosing, but with a part that is new with each deployment', () => {
    const kept = [...stack.resources].filter(
      ([, each]) => each.DeletionPolicy !== 'Delete' || each.UpdateReplacePolicy !== 'Delete',
    );
    expect(kept.length).toBeGreaterThan(15);
    for (const [id, declared] of kept) {
      const name = nameOf(declared);
      if (name !== undefined) expect(JSON.stringify(name), id).toMatch(/"Fn::GetAtt":\["\w+","Id"\]/);
    }
  });

  it('is nothing on a stage that is not protected', () => {
    const account = new CloudFormation();
    account.deploy(unprotected);
    account.destroy(unprotected.name);
    expect(account.orphans).toEqual([]);
  });
});

describe('a stage is deployed again', () => {
  it('after a first deployment that failed, wherever it did', () => {
    for (const failingAt of stack.resources.keys()) {
      const account = new CloudFormation();
      account.deploy(stack, { failingAt });
      account.deploy(stack);
      expect([[], ['DynamoDB::GlobalTable']], failingAt).toContainEqual(typesOf(account));
    }
  });

  it('after it was destroyed, as often as one likes', () => {
    const account = new CloudFormation();
    for (const round of [1, 2, 3]) {
      account.deploy(stack);
      account.destroy(stack.name);
      expect(typesOf(account).filter((type) => type === 'DynamoDB::GlobalTable')).toHaveLength(round);
    }
  });

  it('without a domain, and with it once more', () => {
    const fewer = synthesized({}, contracts.slice(1));
    const account = new CloudFormation();
    for (const each of [stack, fewer, stack, fewer, stack]) account.deploy(each);
    const logGroups = stack.resources.values().filter(({ Type }) => Type === 'AWS::Logs::LogGroup');
    const others = fewer.resources.values().filter(({ Type }) => Type === 'AWS::Logs::LogGroup');
    expect(typesOf(account)).toEqual(Array(2 * ([...logGroups].length - [...others].length)).fill('Logs::LogGroup'));
  });

  it('from step to step of a rotation of the tokens’ key, of which no step leaves a key behind', () => {
    const account = new CloudFormation();
    for (const tokenKeys of ['1', '1,2', '2,1', '2']) account.deploy(synthesized({ tokenKeys }));
    expect(account.orphans).toEqual([]);
    account.destroy(stack.name);
    expect(typesOf(account).filter((type) => type === 'KMS::Key')).toHaveLength(1);
  });

  it('but is not destroyed once its termination protection is on', () => {
    const account = new CloudFormation();
    account.deploy(synthesized({ terminationProtection: 'true' }));
    expect(() => account.destroy(stack.name)).toThrow(/termination protection/);
  });
});

describe('the simulated account', () => {
  const logs = (name: string, policy: string): StackToDeploy => ({
    name: 'logs',
    terminationProtection: false,
    resources: new Map([
      [
        'Logs',
        {
          Type: 'AWS::Logs::LogGroup',
          Properties: { LogGroupName: name },
          DeletionPolicy: policy as 'Retain',
          UpdateReplacePolicy: 'Retain',
        },
      ],
    ]),
  });

  it('refuses a name that is taken', () => {
    const account = new CloudFormation();
    account.deploy(logs('/requests', 'RetainExceptOnCreate'));
    account.deploy(logs('/requests', 'RetainExceptOnCreate'));
    account.destroy('logs');
    expect(() => account.deploy(logs('/requests', 'RetainExceptOnCreate'))).toThrow(/\/requests already exists/);
    account.deploy(logs('/other', 'Delete'));
  });

  it('cannot clear away a failed deployment that is protected against its end', () => {
    const account = new CloudFormation();
    account.deploy({ ...stack, terminationProtection: true }, { failingAt: [...stack.resources.keys()].at(-1) ?? '' });
    expect(() => account.deploy(stack)).toThrow(/termination protection/);
  });

  it('cannot roll back a table that is protected against deletion', () => {
    const [[id, table] = ['', undefined]] = [...stack.resources].filter(
      ([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable',
    );
    const resources = new Map(stack.resources);
    if (table !== undefined) resources.set(id, { ...table, DeletionPolicy: 'RetainExceptOnCreate' });
    const failingAt = [...resources.keys()].at(-1) ?? '';
    expect(() => new CloudFormation().deploy({ ...stack, resources }, { failingAt })).toThrow(/protected/);
  });
});
