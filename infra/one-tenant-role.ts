import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type KeyPurpose, rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import { TAGGED_WITH_TENANT } from './tenant-role.ts';

/**
 * A role for people of the account, whose sessions are for the one tenant that they are tagged with. Who may assume it, and for which tenants, is for
 * the account to say, by IAM (`docs/decisions/0092-operator-verify.md`).
 */
export const oneTenantRole = (scope: Construct, description: string, key: KeyPurpose = 'no-key'): Role =>
  new RoleWithRights(scope, 'Role', {
    description,
    path: rolePath(scope, key, 'operator'),
    assumedBy: new AccountPrincipal(Stack.of(scope).account).withConditions(TAGGED_WITH_TENANT).withSessionTags(),
  });
