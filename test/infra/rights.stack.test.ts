import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  EVERYTHING,
  resourcesIn,
  resourcesOf,
  type Statement,
  statementsIn,
  synthesize,
  type Templates,
} from './synthesize.ts';

let templates: Templates;
let statements: readonly Statement[];
beforeAll(() => {
  templates = synthesize();
  statements = statementsIn(templates);
});

const allowing = (action: string) =>
  statements.filter(({ Effect, Action }) => Effect === 'Allow' && Action.includes(action));

/** Logical ids of the functions' roles, by function name. */
const roleOf = (name: string): string => {
  const found = resourcesOf(templates, 'AWS::Lambda::Function').find(
    ([, { Properties }]) => Properties.FunctionName === `custodia-dev-${name}`,
  );
  return /"(\w+)","Arn"/.exec(JSON.stringify(found?.[1].Properties.Role))?.[1] ?? '';
};

/** A statement of a role's rights is about resources, one of whom it trusts is not. */
const isRight = ({ of, Resource }: Statement): boolean =>
  typeOf(templates, of) === 'AWS::IAM::Role' && Resource !== undefined;

/** What a function's role is allowed by its own policy. */
const ownActions = (name: string): readonly string[] =>
  statements
    .filter((each) => each.of === roleOf(name) && isRight(each))
    .flatMap(({ Action }) => Action)
    .toSorted();

const functionNames = () =>
  resourcesOf(templates, 'AWS::Lambda::Function').map(([, { Properties }]) =>
    String(Properties.FunctionName).replace('custodia-dev-', ''),
  );

const RECORD_ROLES = ['PlainTenant', 'Tenant', 'AuditedRecords', 'Grants', 'Organizations', 'Integrations'];

const LOGGING = ['logs:CreateLogStream', 'logs:PutLogEvents'];

const typeOf = (within: Templates, id: string): string | undefined => resourcesIn(within)[id]?.Type;

describe('no policy', () => {
  test('has a wildcard in an action', () => {
    expect(statements.length).toBeGreaterThan(20);
    for (const { Action, of } of statements) {
      for (const action of Action) expect(action, of).not.toContain('*');
    }
  });

  test('allows a scan, or PartiQL, which can be one', () => {
    for (const { Action } of statements) {
      for (const action of Action) expect(action).not.toMatch(/Scan|PartiQL/i);
    }
  });

  test('allows actions on all resources, but in a key policy, where that is the key, and those that know no others', () => {
    const largest = synthesize({ context: EVERYTHING });
    const onAll = statementsIn(largest).filter(
      ({ Resource, of }) => Resource === '*' && typeOf(largest, of) !== 'AWS::KMS::Key',
    );
    expect(new Set(onAll.flatMap(({ Action }) => Action))).toEqual(
      new Set([
        'cloudwatch:DescribeAlarms',
        ...['logs:GetQueryResults', 'backup:ListBackupJobs', 'backup:ListCopyJobs'],
        ...['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
      ]),
    );
  });

  test('touches an item without looking at its partition key', () => {
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    // What tells of a table touches none of its items.
    const touches = (action: string): boolean =>
      action.startsWith('dynamodb:') && !action.startsWith('dynamodb:Describe');
    for (const statement of allowed.filter(({ Action }) => Action.some(touches))) {
      expect(statement.Condition).toMatchObject({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.any(Array) },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      });
    }
  });
});

describe('every function', () => {
  test('has a role of its own', () => {
    const roles = functionNames().map(roleOf);
    expect(new Set(roles).size).toBe(roles.length);
  });

  test('has no right on the table but through a tenant role, or to find an integration', () => {
    // Whose an app code is, its credentials, whether it is suspended, and how often its secret was guessed at.
    const finding = [...Array(4).fill('dynamodb:GetItem'), 'dynamodb:UpdateItem', 'sts:AssumeRole', 'sts:TagSession'];
    for (const name of functionNames()) {
      const beyond = ownActions(name).filter((action) => !LOGGING.includes(action) && !action.startsWith('kms:'));
      const mayHave = /^(auth|webhooks)$/.test(name)
        ? [finding.join()]
        : ['', 'dynamodb:GetItem', 'sts:AssumeRole,sts:TagSession'];
      expect(mayHave, name).toContain(beyond.join());
    }
    expect(ownActions('clients')).toEqual([...LOGGING, 'sts:AssumeRole', 'sts:TagSession']);
    expect(ownActions('authorizer')).toEqual(['dynamodb:GetItem', 'kms:GetPublicKey', ...LOGGING]);
  });

  test('that reads without a tenant reads app codes, credentials and who is suspended alone, and the health check a key of its own', () => {
    const readers = allowing('dynamodb:GetItem').filter(
      ({ of, Action }) => /^Functions\w+Role/.test(of) && Action.length === 1,
    );
    const read = readers.map(({ Condition, of }) => [
      of.replace(/^Functions(.*?)(Role)+\w{8}$/, '$1'),
      Condition?.['ForAllValues:StringLike'],
    ]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's
    const ofTenant = { 'dynamodb:LeadingKeys': ['SUSPENDED#${aws:PrincipalTag/tenant}'] };
    const credentials = {
      'dynamodb:LeadingKeys': ['ORG#????????-????-????-????-????????????#CREDENTIALS', 'ORG#PLATFORM#CREDENTIALS'],
    };
    expect(read).toEqual([
      ['authorizer', credentials],
      ...['auth', 'webhooks'].flatMap((name) => [
        [name, { 'dynamodb:LeadingKeys': ['APP#*'] }],
        [name, credentials],
        [name, { 'dynamodb:LeadingKeys': ['SUSPENDED#*'] }],
      ]),
      ['health', { 'dynamodb:LeadingKeys': ['HEALTH'] }],
      ...RECORD_ROLES.map((name) => [name, ofTenant]),
    ]);
  });
});

test('login and webhooks count failed guesses and change nothing else of the table on their own', () => {
  const writers = allowing('dynamodb:UpdateItem').filter(isRight);
  const counting = writers.filter(
    ({ Action, of }) => Action.join() === 'dynamodb:GetItem,dynamodb:UpdateItem' && !isOfOperator(of),
  );
  expect(counting.map(({ Condition }) => Condition?.['ForAllValues:StringLike'])).toEqual([
    { 'dynamodb:LeadingKeys': ['LOGIN_FAILURE#*'] },
    { 'dynamodb:LeadingKeys': ['LOGIN_FAILURE#*'] },
  ]);
});

/** What the tenant roles' policies allow, and what nobody else may: a query is what tells them from the operator's. */
/** Roles of the operator whose sessions are for one tenant, as tenant roles' are; what they may is tested in `isolation.stack.test.ts`. */
const isOfOperator = (id: string): boolean => /^(Maintenance|Export|Erasure|Replay|CutOff)/.test(id);

const allowedToTenants = () =>
  allowing('dynamodb:PutItem').filter(({ Action, of }) => Action.includes('dynamodb:Query') && !isOfOperator(of));

describe('a tenant role', () => {
  const tenantRoles = () =>
    resourcesOf(templates, 'AWS::IAM::Role').filter(
      ([id, { Properties }]) =>
        JSON.stringify(Properties.AssumeRolePolicyDocument).includes('sts:TagSession') && !isOfOperator(id),
    );

  test('opens sessions for one tenant only', () => {
    expect(tenantRoles().length).toBeGreaterThan(0);
    for (const [id] of tenantRoles()) {
      const [trust, ...more] = statements.filter((each) => each.of === id && !isRight(each));
      expect(more).toEqual([]);
      expect(trust?.Condition).toMatchObject({
        ArnLike: { 'aws:PrincipalArn': expect.anything() },
        StringLike: { 'aws:RequestTag/tenant': ['????????-????-????-????-????????????', 'PLATFORM'] },
      });
    }
  });

  test('works on keys of the tenant in its tag', () => {
    expect(allowedToTenants()).toHaveLength(RECORD_ROLES.length);
    for (const { Condition } of allowedToTenants()) {
      const keys = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as readonly string[];
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's
      expect(keys).toContain('ORG#${aws:PrincipalTag/tenant}#*');
      expect(keys.filter((key) => !key.startsWith('ORG#$'))).toEqual([]);
    }
  });

  test('is allowed what the storage code sends, and nothing else', () => {
    const sent = new Set(
      globSync(join(import.meta.dirname, '../../{shared,functions}/**/*.ts'))
        // The operator's.
        .filter((file) => !file.includes('shared/table/erase/'))
        .flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(/new (\w+)Command\(/g), ([, name]) => name))
        .flatMap((name) => ACTIONS_OF[name ?? ''] ?? []),
    );
    // Batches delete what belonged to deleted records, which not all have.
    const always = [...sent].filter((action) => action !== 'BatchWriteItem').toSorted();
    for (const { Action } of allowedToTenants()) {
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
  const inKeyPolicies = () => statements.filter(({ of }) => typeOf(templates, of) === 'AWS::KMS::Key');
  const inRoles = (action: string) => allowing(action).filter(isRight);

  test('name no role: the account alone, and paths of roles', () => {
    expect(inKeyPolicies().length).toBeGreaterThan(5);
    for (const { Principal } of inKeyPolicies()) expect(JSON.stringify(Principal)).toMatch(/":root"\]\]\}\}$/);
    const keyPolicies = resourcesOf(templates, 'AWS::KMS::Key').map(([, { Properties }]) => Properties.KeyPolicy);
    expect(JSON.stringify(keyPolicies)).not.toMatch(/Fn::GetAtt|Fn::GetStackOutput|"Ref":"(?!AWS::)/);
  });

  test('are used by nobody outside of the paths: what the account may do is administer them', () => {
    const used = inKeyPolicies().filter(({ Condition }) => Condition === undefined);
    const actions = new Set(used.flatMap(({ Action }) => Action));
    for (const use of ['Sign', 'GetPublicKey', 'Decrypt', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'CreateGrant'])
      expect(actions).not.toContain(`kms:${use}`);
  });

  test('only the login signs tokens', () => {
    expect(inRoles('kms:Sign').map(({ of }) => of)).toEqual([roleOf('auth')]);
  });

  test('secrets are decrypted only for the tenant that a session is tagged with', () => {
    expect(inRoles('kms:Decrypt').length).toBeGreaterThan(0);
    for (const { Condition } of allowing('kms:Decrypt')) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM's
      expect(Condition?.StringEquals).toEqual({ 'kms:EncryptionContext:tenant': '${aws:PrincipalTag/tenant}' });
    }
  });

  test('nobody may hand their use on', () => {
    expect(allowing('kms:CreateGrant')).toEqual([]);
  });
});

describe('the roles of operators', () => {
  /** Whom each trusts, by its logical id. */
  const trustIn = (of: Templates) =>
    resourcesOf(of, 'AWS::IAM::Role')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Path ?? '').includes('/operator/'))
      .map(([id]) => [id, statementsIn(of).filter((each) => each.of === id && each.Resource === undefined)] as const);
  const accountsIn = ({ Principal }: Statement) => JSON.stringify(Principal);

  test('are for whomever the account allows to, unless a stage says more', () => {
    expect(trustIn(templates).length).toBeGreaterThan(4);
    for (const [id, [trust, ...more]] of trustIn(templates)) {
      expect([accountsIn(trust as Statement).includes('AWS::AccountId'), more], id).toEqual([true, []]);
      expect(JSON.stringify(trust?.Condition ?? {}), id).not.toMatch(/PrincipalArn|MultiFactor/);
    }
  });

  test('are for those whom a stage names, of whichever account, and with a second factor where it asks for one', () => {
    const named = String(EVERYTHING.operatorPrincipals).split(',');
    const largest = trustIn(synthesize({ context: EVERYTHING }));
    expect(largest).toHaveLength(trustIn(templates).length);
    for (const [id, trusted] of largest) {
      expect(trusted.map(accountsIn).join(), id).toMatch(/::111122223333:root.*::444455556666:root/);
      for (const { Condition } of trusted)
        expect(Condition, id).toMatchObject({
          ArnLike: { 'aws:PrincipalArn': named },
          Bool: { 'aws:MultiFactorAuthPresent': 'true' },
        });
      // The tenant of a session is still asked for.
      const isOfOneTenant = JSON.stringify(trusted).includes('sts:TagSession');
      expect(JSON.stringify(trusted).includes('aws:RequestTag/tenant'), id).toBe(isOfOneTenant);
    }
  });

  test.each([
    ['operatorPrincipals', 'eva'],
    ['operatorPrincipals', 'arn:aws:iam::111122223333:root'],
    ['operatorPrincipals', '*'],
    ['permissionsBoundaryArn', 'boundary'],
  ])('are not made with %s=%s', (setting, value) => {
    expect(() => synthesize({ context: { [setting]: value } })).toThrow(new RegExp(`${setting}: .*ARN`));
  });
});

test('every role of a stage has the boundary that the stage names, and none otherwise', () => {
  const boundaries = (of: Templates) =>
    resourcesOf(of, 'AWS::IAM::Role').map(([, { Properties }]) => Properties.PermissionsBoundary);
  expect(new Set(boundaries(templates))).toEqual(new Set([undefined]));
  const largest = boundaries(synthesize({ context: EVERYTHING }));
  expect(largest.length).toBeGreaterThan(25);
  expect(new Set(largest)).toEqual(new Set([EVERYTHING.permissionsBoundaryArn]));
});
