import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { storedSets } from '#lists';
import { recordsPartition } from '#table/keys';
import { organizationEntity } from '#tenancy';
import { quotaKey } from '#tenancy/keys';
import { allowItems } from './item-policy.ts';
import { oneTenantRole } from './operators.ts';
import type { TableReference } from './table.ts';
import {
  AUDIT_EVENTS,
  CREDENTIALS_PARTITION,
  JOURNAL,
  SETS_OF_AUDIT_EVENTS,
  SETS_OF_JOURNAL,
  TENANT,
} from './tenant-role.ts';

const INTEGRATIONS = recordsPartition(TENANT, 'INTEGRATION');

/**
 * The role of the operator's `integrations list` and `disable`: lists the integrations of its session's tenant, and
 * changes them with their credentials, one by one. It creates and deletes none, decrypts no secret and sees no other
 * record. IAM cannot distinguish the end of a key from other changes of its credentials; the audit event does.
 */
export class CutOffRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference) {
    super(scope, id);
    this.role = oneTenantRole(
      this,
      'Lists and cuts off integrations of the tenant that its session is tagged with (bin/operator.ts)',
    );
    this.role.addToPolicy(allowItems(table, ['GetItem'], [recordsPartition(TENANT, organizationEntity.name)]));
    this.role.addToPolicy(allowItems(table, ['GetItem', 'Query', 'UpdateItem'], [INTEGRATIONS]));
    this.role.addToPolicy(
      allowItems(table, ['UpdateItem'], [storedSets.partitionOf(`${INTEGRATIONS}*`), quotaKey(TENANT, '').PK]),
    );
    this.role.addToPolicy(allowItems(table, ['GetItem', 'UpdateItem'], [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(allowItems(table, ['PutItem'], [AUDIT_EVENTS, JOURNAL]));
    this.role.addToPolicy(allowItems(table, ['UpdateItem'], [SETS_OF_AUDIT_EVENTS, SETS_OF_JOURNAL]));
  }
}
