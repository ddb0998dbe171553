import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ALL_ACTIONS, allowItems, CHANGES, denyAllBut, denyItems } from './item-policy.ts';
import type { Keys } from './keys.ts';
import { oneTenantRole } from './operators.ts';
import type { TableReference } from './table.ts';
import { AUDIT_EVENTS, CREDENTIALS_PARTITION, JOURNAL, OF_TENANT } from './tenant-role.ts';

/**
 * The role of the operator's `webhooks replay`: has the rights of the function that receives webhooks, for one tenant,
 * and decrypts the tenant's secrets, because the data of events is encrypted (`docs/decisions/0061-webhooks.md`).
 */
export class ReplayRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference, keys: Keys) {
    super(scope, id);
    this.role = oneTenantRole(
      this,
      'Applies webhook events of the tenant that its session is tagged with (bin/operator.ts)',
      'secrets',
    );
    this.role.addToPolicy(allowItems(table, ALL_ACTIONS, [OF_TENANT]));
    // An event is applied with the permissions that its integration has now.
    this.role.addToPolicy(denyAllBut(table, ['GetItem', 'ConditionCheckItem'], [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(denyItems(table, CHANGES, [AUDIT_EVENTS, JOURNAL]));
    keys.allowSecretsOfTenant(this.role);
  }
}
