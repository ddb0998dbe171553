import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, CompositePrincipal, type PrincipalBase, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type KeyPurpose, rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import { settingsOf } from './stacks/stage-stack.ts';
import { TAGGED_WITH_TENANT } from './tenant-role.ts';

/**
 * Who may assume the roles of operators: everybody of the account whom IAM allows to, or only those whom the stage
 * names, with a second factor where the stage requires one (`docs/decisions/0098-command-line.md`). A condition names
 * them: a principal that does not exist would fail the deployment, and nobody knows the names of IAM Identity Center's
 * roles beforehand.
 */
export function operators(scope: Construct): PrincipalBase {
  const { operatorPrincipals, requireMfa } = settingsOf(scope);
  const named = operatorPrincipals.map((arn) => arn.split(':')[4] ?? '');
  const accounts = named.length === 0 ? [Stack.of(scope).account] : [...new Set(named)];
  return new CompositePrincipal(...accounts.map((account) => new AccountPrincipal(account))).withConditions({
    ...(named.length === 0 ? {} : { ArnLike: { 'aws:PrincipalArn': operatorPrincipals } }),
    ...(requireMfa ? { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } : {}),
  });
}

/**
 * A role for people whose sessions are tagged with one tenant. The account decides by IAM for which tenants they may
 * assume it (`docs/decisions/0098-command-line.md`).
 */
export const oneTenantRole = (scope: Construct, description: string, key: KeyPurpose = 'no-key'): Role =>
  new RoleWithRights(scope, 'Role', {
    description,
    path: rolePath(scope, key, 'operator'),
    assumedBy: operators(scope).withConditions(TAGGED_WITH_TENANT).withSessionTags(),
  });
