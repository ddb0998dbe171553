import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccountRootPrincipal, type Conditions, PolicyDocument, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { PLATFORM } from '../shared/table/keys.ts';
import { retention } from './retention.ts';
import { type KeyPurpose, rolesFor } from './role-path.ts';
import type { Settings } from './settings.ts';
import { prefixOf } from './stacks/stage-stack.ts';
import { TENANT } from './tenant-role.ts';

/**
 * The KMS keys. A key's own policy says which paths of roles may use it, and for what; a role there needs a statement of its own too, so that who
 * may only give roles rights gives none on keys. Policies name no role: one made seconds before may not be known to KMS yet, and a key does not
 * depend on the application (`docs/decisions/0050-tenant-sessions.md`). The account may administer a key but not use it, and cannot hand its use on
 * (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html).
 */
export class Keys extends Construct {
  /** Sign tokens: Ed25519, which JWS calls EdDSA. The first signs now; the tokens of all are taken (`docs/decisions/0052-key-rotation.md`). */
  readonly tokens: readonly [signing: Key, ...others: Key[]];
  /** Encrypts the data keys of secrets. */
  readonly secrets: Key;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const name = prefixOf(this);
    const tokenKey = (generation: string): Key =>
      new Key(this, `Token${generation}Key`, {
        // A generation that is dropped is of no use an hour later. KMS deletes it after as many days, in which it can be had back.
        removalPolicy: RemovalPolicy.DESTROY,
        pendingWindow: PENDING_WINDOW,
        description: `${name}: signs access tokens, generation ${generation}`,
        keySpec: KeySpec.ECC_NIST_EDWARDS25519,
        keyUsage: KeyUsage.SIGN_VERIFY,
        // All of them sign: while a canary shifts the login, its version before still signs with the key before.
        policy: this.#policy([
          [SIGN, ['sign']],
          [VERIFY, ['sign', 'verify']],
        ]),
      });
    const [signing, ...others] = settings.tokenKeys;
    this.tokens = [tokenKey(signing), ...others.map(tokenKey)];
    this.secrets = new Key(this, 'Secrets', {
      removalPolicy: retention(settings),
      pendingWindow: PENDING_WINDOW,
      description: `${name}: encrypts the data keys of integration secrets and credentials`,
      enableKeyRotation: true,
      policy: this.#policy([
        [OPEN_OF_TENANT, ['secrets']],
        [ENCRYPT_OF_PLATFORM, ['platform-secrets']],
      ]),
    });
  }

  /** With all of them: while a canary shifts the login, its version before still signs with the key before. */
  allowSigning(role: Role): void {
    role.addToPolicy(use(SIGN, this.tokens));
  }

  allowVerifying(role: Role): void {
    role.addToPolicy(use(VERIFY, this.tokens));
  }

  /**
   * To a tenant role: only for the tenant that its session is tagged with, which the encryption context must name. A function with a bug opens no
   * other tenant's secrets (`docs/decisions/0050`).
   */
  allowSecretsOfTenant(role: Role): void {
    role.addToPolicy(use(OPEN_OF_TENANT, [this.secrets]));
  }

  /** To encrypt the platform's own secrets, and to open none. */
  allowEncryptionForPlatform(role: Role): void {
    role.addToPolicy(use(ENCRYPT_OF_PLATFORM, [this.secrets]));
  }

  /** In a key's policy `*` is the key itself. */
  #policy(uses: readonly (readonly [Use, readonly KeyPurpose[]])[]): PolicyDocument {
    const principals = [new AccountRootPrincipal()];
    const allowed = uses.map(
      ([{ actions, conditions }, purposes]) =>
        new PolicyStatement({
          principals,
          actions: [...actions],
          resources: ['*'],
          conditions: { ...conditions, ArnLike: { 'aws:PrincipalArn': purposes.map((each) => rolesFor(this, each)) } },
        }),
    );
    return new PolicyDocument({ statements: [administration(), ...allowed] });
  }
}

/** What is done with a key, and under which conditions: a key's policy and a role's say it alike. */
interface Use {
  readonly actions: readonly string[];
  readonly conditions?: Conditions;
}

const ofTenant = (tenant: string): Conditions => ({ StringEquals: { 'kms:EncryptionContext:tenant': tenant } });

const SIGN: Use = { actions: ['kms:Sign'] };
const VERIFY: Use = { actions: ['kms:GetPublicKey'] };
const OPEN_OF_TENANT: Use = { actions: ['kms:GenerateDataKey', 'kms:Decrypt'], conditions: ofTenant(TENANT) };
const ENCRYPT_OF_PLATFORM: Use = { actions: ['kms:GenerateDataKey'], conditions: ofTenant(PLATFORM) };

const use = ({ actions, conditions }: Use, keys: readonly Key[]): PolicyStatement =>
  new PolicyStatement({
    actions: [...actions],
    resources: keys.map(({ keyArn }) => keyArn),
    ...(conditions && { conditions }),
  });

/** How long a key that is to be deleted waits: the longest that KMS offers. */
const PENDING_WINDOW = Duration.days(30);

const administration = (): PolicyStatement =>
  new PolicyStatement({
    principals: [new AccountRootPrincipal()],
    actions: ADMINISTRATION.map((action) => `kms:${action}`),
    resources: ['*'],
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
