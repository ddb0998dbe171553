import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { referredBy, resourcesOf, synthesize } from './synthesize.ts';

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
    SSESpecification: { SSEEnabled: true },
  });
  template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});

test('tokens are signed with Ed25519, secrets under a key that is renewed every year', () => {
  template.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });
  template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
});

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
