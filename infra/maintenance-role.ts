import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { arnPattern } from './arn-pattern.ts';
import { ALL_ACTIONS, allowItems, CHANGES, denyAllBut, denyItems, REGISTER } from './item-policy.ts';
import { oneTenantRole } from './operators.ts';
import { prefixOf } from './stacks/stage-stack.ts';
import type { TableReference } from './table.ts';
import {
  AUDIT_EVENTS,
  CREDENTIALS_PARTITION,
  JOURNAL,
  LIST_OF_ORGANIZATIONS,
  OF_TENANT,
  SUSPENSION,
} from './tenant-role.ts';

/**
 * The role of the operator's `verify`, `restore-tenant`, `webhooks endpoints`, `organizations suspend`, `resume` and
 * `usage`: works on the records of its session's tenant, and on the tenant's copy in the platform's list of organizations; reads its records
 * in restored copies of the table (`docs/decisions/0112-restoring.md`). It decrypts no secret, reaches no credentials,
 * and neither changes nor deletes an event, audited or journaled. The account decides by IAM who may assume it, and for which tenants
 * (`docs/decisions/0098-command-line.md`).
 */
export class MaintenanceRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference) {
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
    this.role.addToPolicy(denyAllBut(table, [], [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(denyItems(table, CHANGES, [AUDIT_EVENTS, JOURNAL]));
    this.#allowCopies();
    // An endpoint that goes on from another place may have become active: an entry that names another tenant's does nothing.
    this.role.addToPolicy(allowItems(table, ['PutItem'], [REGISTER]));
    // To suspend and resume.
    this.role.addToPolicy(allowItems(table, ['GetItem', 'PutItem', 'DeleteItem'], [SUSPENSION]));
  }

  /** Tables restored for `restore-tenant` are named after the stage, with a dot, which no stack's name contains. */
  #allowCopies(): void {
    const tableArn = arnPattern(this.role, {
      service: 'dynamodb',
      resource: `table/${prefixOf(this)}.*`,
      reason: 'A table is restored under a new name each time, and only the keys of the tenant are read of it.',
    });
    const copies = { tableArn };
    this.role.addToPolicy(allowItems(copies, ['GetItem', 'Query'], [OF_TENANT]));
    this.role.addToPolicy(denyItems(copies, ['GetItem', 'Query'], [CREDENTIALS_PARTITION]));
  }
}
