import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVERYTHING, referredBy, resourcesIn, resourcesOf, statementsIn, synthesize } from './synthesize.ts';

let template: Template;
beforeAll(() => {
  template = synthesize().data;
});

test('the table is on demand, protected, recoverable, and forgets what has expired', () => {
  template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'TTL', Enabled: true },
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: Match.absent(),
    Replicas: [
      {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    ],
    // The key that AWS owns: it is not charged by the caller, as the one that it manages in the account is.
    SSESpecification: { SSEEnabled: false },
  });
  template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});

test('tokens are signed with Ed25519, secrets under a key that is renewed every year and may have replicas in other regions', () => {
  template.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });
  template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true, MultiRegion: true });
});

test('the data depends on nothing of the application: it refers to no other stack, and has no function and no role of its', () => {
  const { data, operations, application } = synthesize({ context: EVERYTHING });
  expect(JSON.stringify(data.toJSON())).not.toContain('Fn::GetStackOutput');
  expect(resourcesOf(data, 'AWS::Lambda::Function')).toEqual([]);
  expect(resourcesOf(data, 'AWS::IAM::Role').map(([id]) => id)).toEqual([expect.stringMatching(/^BackupRole/)]);
  for (const each of [data, application, operations])
    expect(JSON.stringify(each.toJSON())).not.toMatch(/"Export"|Fn::ImportValue/);
  expect(JSON.stringify(application.toJSON())).not.toContain('custodia-dev-ops');
  // So that nothing is lost with the others.
  for (const { Type } of [application, operations].flatMap((each) => Object.values(resourcesIn(each))))
    expect(Type).not.toMatch(/::(DynamoDB|KMS|Backup)::/);
});

test('a stage may encrypt its table with a key of its own, which is used through DynamoDB alone', () => {
  const own = synthesize({ context: EVERYTHING }).data;
  const [[id] = ['']] = resourcesOf(own, 'AWS::KMS::Key').filter(([each]) => each.startsWith('Records'));
  own.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    Replicas: [{ SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [id, 'Arn'] } } }],
  });
  const uses = statementsIn(own).filter(({ of, Action }) => of === id && Action.includes('kms:Decrypt'));
  expect(uses.map(({ Condition }) => Condition)).toEqual([
    { StringEquals: { 'kms:CallerAccount': { Ref: 'AWS::AccountId' }, 'kms:ViaService': expect.anything() } },
  ]);
  // The table outlives the stack, and is lost without its key.
  expect(own.toJSON().Resources[id]).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { EnableKeyRotation: true },
  });
});

test('a stage may take over the key of secrets that it had before, or its replica', () => {
  const secretsKeyArn = 'arn:aws:kms:eu-central-1:111122223333:key/mrk-0123456789abcdef0123456789abcdef';
  const taken = synthesize({ context: { secretsKeyArn, alarmEmail: 'ops@example.com' } });
  expect(resourcesOf(taken.data, 'AWS::KMS::Key').map(([id]) => id)).toEqual([expect.stringMatching(/^KeysToken1Key/)]);
  expect(taken.data.toJSON().Outputs.SecretsKeyArn.Value).toBe(secretsKeyArn);
  const decrypting = statementsIn(taken).filter(({ Action }) => Action.includes('kms:Decrypt'));
  expect(new Set(decrypting.map(({ Resource }) => Resource))).toEqual(new Set([secretsKeyArn]));
  // Somebody is told when it is disabled.
  taken.operations.hasResourceProperties('AWS::Events::Rule', {
    Name: 'custodia-dev-key-disabled',
    EventPattern: { detail: { resources: { ARN: Match.arrayWith([secretsKeyArn]) } } },
  });
  expect(() => synthesize({ context: { secretsKeyArn, deletionProtection: 'false' } })).toThrow(
    /secretsKeyArn: needs deletionProtection/,
  );
});

test.each(['custodia-prod-data', 'prod-ops', 'a-data', 'prod-github'])(
  'no stage is called %s, whose stack would be that of another',
  (stage) => {
    expect(() => synthesize({ context: { stage } })).toThrow(/stage: /);
  },
);

describe('the keys of tokens', () => {
  const keysWith = (tokenKeys: unknown) => {
    const rotating = synthesize({ context: { tokenKeys } });
    const variables = new Map(
      resourcesOf(rotating, 'AWS::Lambda::Function').map(([, { Properties }]) => [
        String(Properties.FunctionName).replace('custodia-dev-', ''),
        (Properties.Environment as { Variables: Record<string, unknown> }).Variables,
      ]),
    );
    const users = (action: string) =>
      resourcesOf(rotating, 'AWS::KMS::Key')
        .filter(([, { Properties }]) => JSON.stringify(Properties.KeyPolicy).includes(action))
        .map(([id]) => id.replace(/^KeysToken(\d+)Key.*/, '$1'));
    return { rotating, variables, users };
  };

  test('are two during a rotation: the first signs, both are read and published', () => {
    const { rotating, variables, users } = keysWith('2,1');
    // The login's version before signs with the first until all calls have come to the one that signs with the second.
    expect([users('kms:Sign'), users('kms:GetPublicKey')]).toEqual([
      ['2', '1'],
      ['2', '1'],
    ]);
    for (const name of ['authorizer', 'well-known']) {
      const { SIGNING_KEY_ID, VERIFICATION_KEY_IDS } = variables.get(name) ?? {};
      expect(referredBy(SIGNING_KEY_ID, rotating)).toMatch(/^KeysToken2Key/);
      expect(referredBy(VERIFICATION_KEY_IDS, rotating)).toMatch(/^KeysToken1Key/);
    }
    expect(Object.keys(variables.get('clients') ?? {}).filter((name) => name.includes('KEY_ID'))).toEqual([
      'SECRETS_KEY_ID',
    ]);
  });

  test('keep their identity from step to step', () => {
    expect(keysWith('1,2').users('kms:Sign')).toEqual(['1', '2']);
    expect(keysWith(2).users('kms:GetPublicKey')).toEqual(['2']);
    expect(() => keysWith('1,1')).toThrow(/tokenKeys: the same number twice/);
    expect(() => keysWith('a')).toThrow(/tokenKeys: /);
  });
});
