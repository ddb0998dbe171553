import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { CloudFormation, nameOf, type StackToDeploy, stackIn } from './account/cloudformation.ts';
import { assemble, STACKS } from './synthesize.ts';

/** A stage is deployed more than once: after a failure, after it was destroyed, with other domains. */

type Stacks = readonly [data: StackToDeploy, application: StackToDeploy, operations: StackToDeploy];

function synthesized(context: Readonly<Record<string, unknown>> = {}, served?: readonly Contract[]): Stacks {
  const options = { context: { alarmEmail: 'ops@example.com', ...context }, ...(served && { served }) };
  return assemble(options, (_, directory) => STACKS.map((name) => stackIn(directory, name)) as unknown as Stacks);
}

/** In order, until the resource that cannot be created. */
function deploy(account: CloudFormation, stacks: Stacks, failingAt?: string): void {
  for (const stack of stacks) {
    const fails = failingAt !== undefined && stack.resources.has(failingAt);
    account.deploy(stack, fails ? { failingAt } : {});
    if (fails) return;
  }
}

/** The last one first, as `cdk destroy` does it. */
const destroy = (account: CloudFormation, stacks: readonly StackToDeploy[]): void => {
  for (const { name } of stacks.toReversed()) account.destroy(name);
};

const resourcesOf = (stacks: readonly StackToDeploy[]) => stacks.flatMap(({ resources }) => [...resources]);

let stacks: Stacks;
let unprotected: Stacks;
beforeAll(() => {
  stacks = synthesized();
  unprotected = synthesized({ deletionProtection: 'false' });
});

const typesOf = ({ orphans }: CloudFormation): string[] =>
  orphans.map(({ declared }) => declared.Type.replace('AWS::', '')).toSorted();

describe('what outlives its stack', () => {
  it('is the table, the keys and logs, also where they are replaced, and nothing else', () => {
    const holding = ({ Type }: { readonly Type: string }): boolean =>
      Type === 'AWS::DynamoDB::GlobalTable' || Type === 'AWS::Logs::LogGroup' || Type === 'AWS::KMS::Key';
    for (const [id, each] of resourcesOf(stacks)) {
      const policies = [each.DeletionPolicy, each.UpdateReplacePolicy];
      if (holding(each)) expect(policies, id).not.toContain('Delete');
      else expect(policies, id).toEqual(['Delete', 'Delete']);
    }
    expect(resourcesOf(stacks).filter(([, each]) => holding(each)).length).toBeGreaterThan(15);
  });

  it('has no name of its own choosing, but with a part that is new with each deployment', () => {
    const kept = resourcesOf(stacks).filter(
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
    deploy(account, unprotected);
    destroy(account, unprotected);
    expect(account.orphans).toEqual([]);
  });
});

describe('a stage is deployed again', () => {
  it('after a first deployment that failed, wherever it did', () => {
    for (const [failingAt] of resourcesOf(stacks)) {
      const account = new CloudFormation();
      deploy(account, stacks, failingAt);
      deploy(account, stacks);
      expect([[], ['DynamoDB::GlobalTable']], failingAt).toContainEqual(typesOf(account));
    }
  });

  it('after it was destroyed, as often as one likes', () => {
    const account = new CloudFormation();
    for (const round of [1, 2, 3]) {
      deploy(account, stacks);
      destroy(account, stacks);
      expect(typesOf(account).filter((type) => type === 'DynamoDB::GlobalTable')).toHaveLength(round);
    }
  });

  it('without a domain, and with it once more', () => {
    const fewer = synthesized({}, contracts.slice(1));
    const account = new CloudFormation();
    for (const each of [stacks, fewer, stacks, fewer, stacks]) deploy(account, each);
    const logGroups = (of: Stacks) => resourcesOf(of).filter(([, { Type }]) => Type === 'AWS::Logs::LogGroup').length;
    expect(typesOf(account)).toEqual(Array(2 * (logGroups(stacks) - logGroups(fewer))).fill('Logs::LogGroup'));
  });

  it('from step to step of a rotation of the tokens’ key, of which the one that was dropped is left behind', () => {
    const account = new CloudFormation();
    for (const tokenKeys of ['1', '1,2', '2,1', '2']) deploy(account, synthesized({ tokenKeys }));
    expect(typesOf(account)).toEqual(['KMS::Key']);
  });

  it('without its application and operations, and with them once more: the data is not touched', () => {
    const [, ...others] = stacks;
    const account = new CloudFormation();
    for (const _ of [1, 2]) {
      deploy(account, stacks);
      destroy(account, others);
    }
    deploy(account, stacks);
    expect(new Set(typesOf(account))).toEqual(new Set(['Logs::LogGroup']));
  });

  it('but its data is not destroyed once its termination protection is on', () => {
    const [data, ...others] = synthesized({ terminationProtection: 'true' });
    const account = new CloudFormation();
    for (const each of [data, ...others]) account.deploy(each);
    expect(() => account.destroy(data.name)).toThrow(/termination protection/);
    destroy(account, others);
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
    const [data] = stacks;
    account.deploy({ ...data, terminationProtection: true }, { failingAt: [...data.resources.keys()].at(-1) ?? '' });
    expect(() => account.deploy(data)).toThrow(/termination protection/);
  });

  it('cannot roll back a table that is protected against deletion', () => {
    const [data] = stacks;
    const [[id, table] = ['', undefined]] = [...data.resources].filter(
      ([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable',
    );
    const resources = new Map(data.resources);
    if (table !== undefined) resources.set(id, { ...table, DeletionPolicy: 'RetainExceptOnCreate' });
    const failingAt = [...resources.keys()].at(-1) ?? '';
    expect(() => new CloudFormation().deploy({ ...data, resources }, { failingAt })).toThrow(/protected/);
  });
});
