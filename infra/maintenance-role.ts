import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ALL_ACTIONS, allowItems, CHANGES, denyAllBut, denyItems } from './item-policy.ts';
import { oneTenantRole } from './one-tenant-role.ts';
import type { Table } from './table.ts';
import { AUDIT_EVENTS, CREDENTIALS, LIST_OF_ORGANIZATIONS, OF_TENANT, SUSPENSION } from './tenant-role.ts';

/**
 * The role of the operator's `verify`, `organizations suspend`, `resume` and `usage`: works on the records of the one tenant that its session is tagged with, and on the copy of it in the
 * platform's list of organizations. It opens no secret, reaches no credentials, and neither changes nor deletes an audit event. Who of the account
 * may assume it, and for which tenants, is for the account to say, by IAM (`docs/decisions/0092-operator-verify.md`).
 */
export class MaintenanceRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: Table) {
    super(scope, id);
    this.role = oneTenantRole(
      this,
      'Verifies, repairs and suspends the tenant that its session is tagged with (bin/operator.ts)',
    );
    this.role.addToPolicy(allowItems(table, ALL_ACTIONS, [OF_TENANT]));
    // Item by item: no session of an organization lists the others.
    this.role.addToPolicy(
      allowItems(table, ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'], LIST_OF_ORGANIZATIONS),
    );
    this.role.addToPolicy(denyAllBut(table, [], [CREDENTIALS]));
    this.role.addToPolicy(denyItems(table, CHANGES, [AUDIT_EVENTS]));
    // Suspends and resumes.
    this.role.addToPolicy(allowItems(table, ['GetItem', 'PutItem', 'DeleteItem'], [SUSPENSION]));
  }
}
