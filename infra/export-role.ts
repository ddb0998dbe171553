import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { allowItems, denyAllBut } from './item-policy.ts';
import { oneTenantRole } from './operators.ts';
import type { TableReference } from './table.ts';
import { CREDENTIALS_PARTITION, OF_TENANT } from './tenant-role.ts';

/**
 * The role of the operator's `export`: reads the tenant's items, writes nothing and decrypts no secret
 * (`docs/decisions/0096-suspending-exporting-erasing.md`).
 */
export class ExportRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference) {
    super(scope, id);
    this.role = oneTenantRole(
      this,
      'Reads the records of the tenant that its session is tagged with (bin/operator.ts)',
    );
    this.role.addToPolicy(allowItems(table, ['GetItem', 'Query'], [OF_TENANT]));
    this.role.addToPolicy(denyAllBut(table, [], [CREDENTIALS_PARTITION]));
  }
}
