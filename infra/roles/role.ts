import { Stack, Validations } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { TenantRights } from '../rights.ts';
import { prefixOf } from '../stacks/stage-stack.ts';

/**
 * A role with inline rights. The CDK's own makes a separate policy, which is one more of the 500 resources of a stack
 * (`docs/decisions/0162-stacks.md`). It needs at least one right: IAM refuses an empty policy.
 */
export class RoleWithRights extends Role {
  readonly #rights: PolicyDocument;

  constructor(scope: Construct, id: string, props: Omit<RoleProps, 'inlinePolicies'>) {
    const rights = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Rights: rights } });
    this.#rights = rights;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

/**
 * The rights of a role on keys:
 * - `sign`: signs tokens, and reads their public keys;
 * - `verify`: reads the public keys of tokens;
 * - `secrets`: encrypts and decrypts the secrets of its session's tenant;
 * - `endpoint-secrets`: decrypts the secrets of its session's tenant's webhook endpoints, and no others;
 * - `platform-secrets`: encrypts the platform's secrets;
 * - `no-key`: nothing.
 */
export type KeyPurpose = 'sign' | 'verify' | 'secrets' | 'endpoint-secrets' | 'platform-secrets' | 'no-key';

/** The functions' own rights on keys. Only tenant roles have rights on secrets. */
const OF_FUNCTIONS: readonly KeyPurpose[] = ['sign', 'verify', 'no-key'];

/** Who holds a role: functions, by the tenant role that they may assume; sessions of one tenant; or people. */
export type RoleHolder = TenantRights | 'no-tenants' | 'tenant' | 'operator';

/**
 * IAM path of roles. The policies of keys and tenant roles name paths, never names of roles. Roles belong to the
 * account, so the path contains stage and region. Each part is a whole segment, and all paths have the same number of
 * segments, so that none is a prefix of another.
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

/**
 * The ARN of resources of this account and region by a pattern of their names, such as `table/custodia-prod.*`, for a
 * right of this role.
 * @param reason why a pattern: the exception from cdk-nag's rule
 */
export function arnPattern(role: Role, service: string, resource: string, reason: string): string {
  const { partition, region, account } = Stack.of(role);
  // cdk-nag's spelling of values that are known only at deployment.
  const spelled = `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}`;
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${spelled}]`, reason });
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
