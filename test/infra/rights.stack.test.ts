import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessIn } from './access.ts';
import {
  EVERYTHING,
  PROFILES,
  resourcesIn,
  resourcesOf,
  type Statement,
  stageOf,
  statementsIn,
  synthesize,
} from './synthesize.ts';

/**
 * Rules for every policy of a stage. `snapshots/access.txt` lists the rights of each role, to be reviewed with the
 * change that causes it: `npx vitest run rights --update` writes it.
 */

const templates = synthesize();
const statements = statementsIn(templates);
const largest = synthesize({ context: PROFILES.everything });

const typeOf = (id: string, within = templates): string | undefined => resourcesIn(within)[id]?.Type;

it('who may do what, by the policies of all roles', async () => {
  await expect(accessIn(stageOf(templates))).toMatchFileSnapshot('snapshots/access.txt');
});

/** A statement of a role's rights is about resources, one of whom it trusts is not. */
const isRight = ({ of, Resource }: Statement): boolean => typeOf(of) === 'AWS::IAM::Role' && Resource !== undefined;
const rightsTo = (action: string): readonly Statement[] =>
  statements.filter((each) => each.Effect === 'Allow' && each.Action.includes(action) && isRight(each));

describe('no policy', () => {
  it('has a wildcard in an action, or allows a scan, or PartiQL, which can be one', () => {
    expect(statements.length).toBeGreaterThan(20);
    for (const { Action, of } of statementsIn(largest).filter(({ Effect }) => Effect === 'Allow'))
      for (const action of Action) expect(action, of).not.toMatch(/\*|Scan|PartiQL/i);
  });

  it('allows actions on all resources, but in a key policy, where that is the key, and those that know no others', () => {
    const onAll = statementsIn(largest).filter(
      ({ Resource, of }) => Resource === '*' && typeOf(of, largest) !== 'AWS::KMS::Key',
    );
    expect(new Set(onAll.flatMap(({ Action }) => Action))).toEqual(
      new Set([
        'cloudwatch:DescribeAlarms',
        ...['logs:GetQueryResults', 'backup:ListBackupJobs', 'backup:ListCopyJobs'],
      ]),
    );
  });

  it('lets anybody touch an item without looking at its partition key', () => {
    // Descriptions of a table touch none of its items, and a stream has keys alone.
    const touches = (action: string): boolean =>
      action.startsWith('dynamodb:') && !action.startsWith('dynamodb:Describe');
    const touching = statements.filter(
      ({ Effect, Action, Resource }) =>
        Effect === 'Allow' && Action.some(touches) && !JSON.stringify(Resource).includes('StreamArn'),
    );
    expect(touching.length).toBeGreaterThan(20);
    for (const { Condition } of touching)
      expect(Condition).toMatchObject({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.any(Array) },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      });
  });
});

it('every function has a role of its own', () => {
  const roles = resourcesOf(templates, 'AWS::Lambda::Function').map(([, { Properties }]) =>
    JSON.stringify(Properties.Role),
  );
  expect(new Set(roles).size).toBe(roles.length);
});

describe('a role for tenants', () => {
  it('is allowed what the storage code sends, and nothing else', () => {
    const sent = new Set(
      globSync(join(import.meta.dirname, '../../{packages/counted-lists/src,shared,functions}/**/*.ts'))
        .flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(/new (\w+)Command\(/g), ([, name]) => name))
        .flatMap((name) => ACTIONS_OF[name ?? ''] ?? []),
    );
    // A query is what tells them from others.
    const allowed = rightsTo('dynamodb:PutItem').filter(
      ({ of, Action }) => of.startsWith('Functions') && Action.includes('dynamodb:Query'),
    );
    expect(allowed).toHaveLength(11);
    // Batches delete what belonged to deleted records, which not all have.
    const always = [...sent].filter((action) => action !== 'BatchWriteItem').toSorted();
    for (const { Action } of allowed) {
      const actions = Action.map((action) => action.replace('dynamodb:', ''));
      expect(actions.filter((action) => action !== 'BatchWriteItem').toSorted()).toEqual(always);
    }
    expect(sent).toContain('BatchWriteItem');
  });
});

const ACTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  Get: ['GetItem'],
  Query: ['Query'],
  Scan: ['Scan'],
  Put: ['PutItem'],
  Update: ['UpdateItem'],
  Delete: ['DeleteItem'],
  BatchGet: ['BatchGetItem'],
  BatchWrite: ['BatchWriteItem'],
  TransactGet: ['GetItem'],
  TransactWrite: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
};

describe('keys', () => {
  const inKeyPolicies = statements.filter(({ of }) => typeOf(of) === 'AWS::KMS::Key');

  it('name no role: the account alone, and paths of roles', () => {
    expect(inKeyPolicies.length).toBeGreaterThan(5);
    for (const { Principal } of inKeyPolicies) expect(JSON.stringify(Principal)).toMatch(/":root"\]\]\}\}$/);
    const keyPolicies = resourcesOf(templates, 'AWS::KMS::Key').map(([, { Properties }]) => Properties.KeyPolicy);
    expect(JSON.stringify(keyPolicies)).not.toMatch(/Fn::GetAtt|Fn::GetStackOutput|"Ref":"(?!AWS::)/);
  });

  it('are used by nobody outside of the paths: what the account may do is administer them', () => {
    const actions = new Set(
      inKeyPolicies.filter(({ Condition }) => Condition === undefined).flatMap(({ Action }) => Action),
    );
    for (const use of ['Sign', 'GetPublicKey', 'Decrypt', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'CreateGrant'])
      expect(actions).not.toContain(`kms:${use}`);
  });

  it('sign for the login alone, decrypt for the tenant that a session is tagged with, and are handed on by nobody', () => {
    expect(rightsTo('kms:Sign').map(({ of }) => of)).toEqual([expect.stringMatching(/^FunctionsauthRole/)]);
    expect(rightsTo('kms:Decrypt').length).toBeGreaterThan(0);
    for (const { Condition } of rightsTo('kms:Decrypt')) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's
      expect(Condition?.StringEquals).toMatchObject({ 'kms:EncryptionContext:tenant': '${aws:PrincipalTag/tenant}' });
    }
    expect(rightsTo('kms:CreateGrant')).toEqual([]);
  });
});

it('the roles of operators are for those whom a stage names, of whichever account, and with a second factor where it asks for one', () => {
  const named = String(EVERYTHING.operatorPrincipals).split(',');
  const roles = resourcesOf(largest, 'AWS::IAM::Role').filter(([, { Properties }]) =>
    JSON.stringify(Properties.Path ?? '').includes('/operator/'),
  );
  expect(roles.length).toBeGreaterThan(4);
  for (const [id] of roles) {
    const trusted = statementsIn(largest).filter((each) => each.of === id && each.Resource === undefined);
    expect(trusted.map(({ Principal }) => JSON.stringify(Principal)).join(), id).toMatch(
      /::111122223333:root.*::444455556666:root/,
    );
    for (const { Condition } of trusted)
      expect(Condition, id).toMatchObject({
        ArnLike: { 'aws:PrincipalArn': named },
        Bool: { 'aws:MultiFactorAuthPresent': 'true' },
      });
    // The tenant of a session is still asked for.
    const text = JSON.stringify(trusted);
    expect(text.includes('aws:RequestTag/tenant'), id).toBe(text.includes('sts:TagSession'));
  }
});
