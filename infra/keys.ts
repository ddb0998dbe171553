import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, type IRole, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { PLATFORM } from '../shared/table/keys.ts';
import { retention } from './retention.ts';
import type { Settings } from './settings.ts';
import { TENANT } from './tenant-role.ts';

/**
 * The KMS keys. Their own policies say who may use them, and nothing else can: the account may administer a key but not use it,
 * and cannot hand its use on (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html).
 */
export class Keys extends Construct {
  /** Sign tokens: Ed25519, which JWS calls EdDSA. The first signs now; the tokens of all are taken (`docs/decisions/0052-key-rotation.md`). */
  readonly tokens: readonly [signing: Key, ...others: Key[]];
  /** Encrypts the data keys of secrets. */
  readonly secrets: Key;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const name = Stack.of(this).stackName;
    const tokenKey = (generation: string): Key =>
      new Key(this, `Token${generation}Key`, {
        // A generation that is dropped is of no use an hour later. KMS deletes it after as many days, in which it can be had back.
        removalPolicy: RemovalPolicy.DESTROY,
        pendingWindow: PENDING_WINDOW,
        description: `${name}: signs access tokens, generation ${generation}`,
        keySpec: KeySpec.ECC_NIST_EDWARDS25519,
        keyUsage: KeyUsage.SIGN_VERIFY,
        policy: administeredByAccount(),
      });
    const [signing, ...others] = settings.tokenKeys;
    this.tokens = [tokenKey(signing), ...others.map(tokenKey)];
    this.secrets = new Key(this, 'Secrets', {
      removalPolicy: retention(settings),
      pendingWindow: PENDING_WINDOW,
      description: `${name}: encrypts the data keys of integration secrets and credentials`,
      enableKeyRotation: true,
      policy: administeredByAccount(),
    });
  }

  /** With all of them: while a canary shifts the login, its version before still signs with the key before. */
  allowSigning(role: IRole): void {
    for (const key of this.tokens) key.addToResourcePolicy(usedBy(role, ['kms:Sign']));
  }

  allowVerifying(role: IRole): void {
    for (const key of this.tokens) key.addToResourcePolicy(usedBy(role, ['kms:GetPublicKey']));
  }

  /**
   * To a tenant role: only for the tenant that its session is tagged with, which the encryption context must name. A function with a bug opens no
   * other tenant's secrets (`docs/decisions/0050`).
   */
  allowSecretsOfTenant(role: IRole): void {
    const statement = usedBy(role, ['kms:GenerateDataKey', 'kms:Decrypt']);
    statement.addCondition('StringEquals', { 'kms:EncryptionContext:tenant': TENANT });
    this.secrets.addToResourcePolicy(statement);
  }

  /** To encrypt the platform's own secrets, and to open none. */
  allowEncryptionForPlatform(role: IRole): void {
    const statement = usedBy(role, ['kms:GenerateDataKey']);
    statement.addCondition('StringEquals', { 'kms:EncryptionContext:tenant': PLATFORM });
    this.secrets.addToResourcePolicy(statement);
  }
}

/** How long a key that is to be deleted waits: the longest that KMS offers. */
const PENDING_WINDOW = Duration.days(30);

/** In a key's policy `*` is the key itself. */
const usedBy = (role: IRole, actions: string[]): PolicyStatement =>
  new PolicyStatement({ principals: [role.grantPrincipal], actions, resources: ['*'] });

const administeredByAccount = (): PolicyDocument =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        principals: [new AccountRootPrincipal()],
        actions: ADMINISTRATION.map((action) => `kms:${action}`),
        resources: ['*'],
      }),
    ],
  });

/** All that keeps a key, nothing that uses it; no grants either, which would hand its use on. */
const ADMINISTRATION = [
  'DescribeKey',
  'GetKeyPolicy',
  'PutKeyPolicy',
  'ListKeyPolicies',
  'ListResourceTags',
  'TagResource',
  'UntagResource',
  'EnableKey',
  'DisableKey',
  'GetKeyRotationStatus',
  'ListKeyRotations',
  'EnableKeyRotation',
  'DisableKeyRotation',
  'RotateKeyOnDemand',
  'UpdateKeyDescription',
  'ScheduleKeyDeletion',
  'CancelKeyDeletion',
  'ListGrants',
  'RevokeGrant',
];
