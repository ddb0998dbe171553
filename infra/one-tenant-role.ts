import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { operators } from './operators.ts';
import { type KeyPurpose, rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import { TAGGED_WITH_TENANT } from './tenant-role.ts';

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
