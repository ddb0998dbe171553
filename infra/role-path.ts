import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TenantRights } from './rights.ts';
import { prefixOf } from './stacks/stage-stack.ts';

/**
 * What a role may do with keys:
 * - `sign`: signs tokens, and reads their public keys;
 * - `verify`: reads the public keys of tokens;
 * - `secrets`: encrypts and decrypts the secrets of the tenant that its session is tagged with;
 * - `platform-secrets`: encrypts the platform's;
 * - `no-key`: nothing.
 */
export type KeyPurpose = 'sign' | 'verify' | 'secrets' | 'platform-secrets' | 'no-key';

/** What functions may do with keys themselves. Their secrets are the tenant roles'. */
const OF_FUNCTIONS: readonly KeyPurpose[] = ['sign', 'verify', 'no-key'];

/** Who works under a role: functions, by the tenant role that they may assume; sessions for one tenant; or people. */
export type RoleHolder = TenantRights | 'no-tenants' | 'tenant' | 'operator';

/**
 * IAM path of roles: by it keys and tenant roles know whom they let in, and never by a role's name. Roles are the account's, so it names the
 * stage and the region. Each part is a whole segment, and all paths have as many: none begins like another.
 */
export function rolePath(scope: Construct, key: KeyPurpose, holder: RoleHolder): string {
  return `${stagePath(scope)}${key}/${holder}/`;
}

/** Patterns of the ARNs of all roles with this purpose. */
export const rolesFor = (scope: Construct, key: KeyPurpose): string => arnOf(scope, `${stagePath(scope)}${key}/*`);

/** Patterns of the ARNs of the functions that work under a tenant role of this kind. */
export const functionsWith = (scope: Construct, tenants: TenantRights): string[] =>
  OF_FUNCTIONS.map((key) => arnOf(scope, `${rolePath(scope, key, tenants)}*`));

const stagePath = (scope: Construct): string => `/${prefixOf(scope)}/${Stack.of(scope).region}/`;

const arnOf = (scope: Construct, resourceName: string): string =>
  Stack.of(scope).formatArn({ service: 'iam', region: '', resource: 'role', resourceName: resourceName.slice(1) });
