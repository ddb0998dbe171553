import { Tags } from 'aws-cdk-lib';
import { AccountRootPrincipal, type Conditions, PolicyDocument, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { ENDPOINT_SECRETS } from '#auth';
import { PLATFORM } from '#table';
import { administration, PENDING_WINDOW } from './key-administration.ts';
import { type KeyPurpose, rolesFor } from './roles/role.ts';
import { TENANT } from './roles/tenant-role.ts';
import type { Settings } from './settings.ts';
import { prefixOf, retention } from './stacks/stage-stack.ts';

/**
 * The KMS keys. A key's own policy says which paths of roles may use it, and for what; a role needs a statement of its
 * own too, so that the right to grant roles rights alone grants none on keys. Policies name no role: KMS may not yet
 * know a role that was created seconds before, and a key must not depend on the application
 * (`docs/decisions/0050-tenant-sessions.md`). The account may administer a key, but neither use it nor pass on its use
 * (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html).
 */
export class Keys extends Construct {
  /**
   * Keys that sign tokens: Ed25519, which JWS calls EdDSA. The first one signs; tokens of all of them are accepted
   * (`docs/decisions/0010-access-tokens.md`).
   */
  readonly tokens: readonly [signing: Key, ...others: Key[]];
  /** Encrypts the data keys of secrets. */
  readonly secrets: IKey;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const name = prefixOf(this);
    const tokenKey = (generation: string): Key => {
      const key = new Key(this, `Token${generation}Key`, {
        // Keeps a generation that was dropped from the settings: the application uses it until it is deployed itself,
        // and again if that is rolled back.
        removalPolicy: retention(settings),
        pendingWindow: PENDING_WINDOW,
        description: `${name}: signs access tokens, generation ${generation}`,
        keySpec: KeySpec.ECC_NIST_EDWARDS25519,
        keyUsage: KeyUsage.SIGN_VERIFY,
        // All of them may sign: while a canary deployment shifts the login, its previous version signs with the
        // previous key.
        policy: this.#policy([
          [SIGN, ['sign']],
          [VERIFY, ['sign', 'verify']],
        ]),
      });
      // Identifies a dropped key for its deletion.
      Tags.of(key).add('token-key', generation);
      return key;
    };
    const [signing, ...others] = settings.tokenKeys;
    this.tokens = [tokenKey(signing), ...others.map(tokenKey)];
    const { secretsKeyArn } = settings;
    this.secrets =
      secretsKeyArn === undefined ? this.#secretsKey(settings) : Key.fromKeyArn(this, 'ExistingSecrets', secretsKeyArn);
  }

  #secretsKey(settings: Settings): Key {
    return new Key(this, 'Secrets', {
      removalPolicy: retention(settings),
      pendingWindow: PENDING_WINDOW,
      description: `${prefixOf(this)}: encrypts the data keys of integration secrets and credentials`,
      enableKeyRotation: true,
      // Can never be changed. With a replica, the stage can continue in another region if it loses its own.
      multiRegion: true,
      policy: this.#policy([
        [OPEN_OF_TENANT, ['secrets']],
        [OPEN_OF_ENDPOINTS, ['endpoint-secrets']],
        [ENCRYPT_OF_PLATFORM, ['platform-secrets']],
      ]),
    });
  }

  /** All keys: while a canary deployment shifts the login, its previous version signs with the previous key. */
  allowSigning(role: Role): void {
    role.addToPolicy(use(SIGN, this.tokens));
  }

  allowVerifying(role: Role): void {
    role.addToPolicy(use(VERIFY, this.tokens));
  }

  /**
   * Grants a tenant role the use of the key for its session's tenant, which the encryption context must name. A
   * function with a bug cannot decrypt another tenant's secrets (`docs/decisions/0050`).
   */
  allowSecretsOfTenant(role: Role): void {
    role.addToPolicy(use(OPEN_OF_TENANT, [this.secrets]));
  }

  /**
   * Grants a tenant role to decrypt the secrets of the tenant's webhook endpoints and nothing else: the encryption
   * context must name their purpose too.
   */
  allowEndpointSecrets(role: Role): void {
    role.addToPolicy(use(OPEN_OF_ENDPOINTS, [this.secrets]));
  }

  /** Grants the encryption of the platform's own secrets, but no decryption. */
  allowEncryptionForPlatform(role: Role): void {
    role.addToPolicy(use(ENCRYPT_OF_PLATFORM, [this.secrets]));
  }

  /** In a key's policy, `*` means the key itself. */
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

/** Actions on a key with their conditions, the same in the key's policy and the role's. */
interface Use {
  readonly actions: readonly string[];
  readonly conditions?: Conditions;
}

const ofTenant = (tenant: string, purpose?: typeof ENDPOINT_SECRETS): Conditions => ({
  StringEquals: {
    'kms:EncryptionContext:tenant': tenant,
    ...(purpose !== undefined && { 'kms:EncryptionContext:purpose': purpose }),
  },
});

const SIGN: Use = { actions: ['kms:Sign'] };
const VERIFY: Use = { actions: ['kms:GetPublicKey'] };
const OPEN_OF_TENANT: Use = { actions: ['kms:GenerateDataKey', 'kms:Decrypt'], conditions: ofTenant(TENANT) };
const OPEN_OF_ENDPOINTS: Use = { actions: ['kms:Decrypt'], conditions: ofTenant(TENANT, ENDPOINT_SECRETS) };
const ENCRYPT_OF_PLATFORM: Use = { actions: ['kms:GenerateDataKey'], conditions: ofTenant(PLATFORM) };

const use = ({ actions, conditions }: Use, keys: readonly IKey[]): PolicyStatement =>
  new PolicyStatement({
    actions: [...actions],
    resources: keys.map(({ keyArn }) => keyArn),
    ...(conditions && { conditions }),
  });
