import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ANY_APP, allowItems, denyAllBut, REGISTER } from './item-policy.ts';
import { oneTenantRole } from './operators.ts';
import type { TableReference } from './table.ts';
import {
  AUDIT_EVENTS,
  CREDENTIALS_PARTITION,
  LIST_OF_ORGANIZATIONS,
  OF_TENANT,
  SETS_OF_AUDIT_EVENTS,
  SUSPENSION,
} from './tenant-role.ts';

/**
 * The role of the operator's `erase`: suspends the organization of its session, removes it from the platform's list,
 * and deletes all items of the tenant, including audit events, which no other role can delete. It deletes app codes one
 * by one: IAM cannot see whose they are, so the condition of each deletion checks it
 * (`docs/decisions/0096-suspending-exporting-erasing.md`). It deletes entries of the register of webhook endpoints.
 */
export class ErasureRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference) {
    super(scope, id);
    this.role = oneTenantRole(this, 'Erases the tenant that its session is tagged with (bin/operator.ts)');
    const [organizations = '', sets = ''] = LIST_OF_ORGANIZATIONS;
    this.role.addToPolicy(allowItems(table, ['GetItem', 'Query', 'DeleteItem'], [OF_TENANT]));
    this.role.addToPolicy(denyAllBut(table, ['DeleteItem'], [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(allowItems(table, ['PutItem', 'UpdateItem'], [AUDIT_EVENTS, SETS_OF_AUDIT_EVENTS]));
    this.role.addToPolicy(allowItems(table, ['GetItem', 'PutItem'], [SUSPENSION]));
    this.role.addToPolicy(allowItems(table, ['GetItem', 'DeleteItem'], [organizations]));
    this.role.addToPolicy(allowItems(table, ['UpdateItem'], [sets]));
    this.role.addToPolicy(allowItems(table, ['DeleteItem'], [ANY_APP]));
    // It finds the tenant's entries by their sort keys, which IAM does not see.
    this.role.addToPolicy(allowItems(table, ['Query', 'DeleteItem'], [REGISTER]));
  }
}
