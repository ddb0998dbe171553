import { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { PLATFORM, recordsPartition } from '../shared/table/keys.ts';
import { auditEventEntity } from '../shared/table/repository/audit-events.ts';
import { ANY_APP, allowItems, denyChanges } from './item-policy.ts';
import type { Keys } from './keys.ts';

/**
 * The role of `bin/operator.ts`: makes integrations of the platform, which nobody else can make without one, and can do nothing else. It
 * reads no organization's data and opens no secret. Who of the account may assume it is for the account to say, by IAM.
 */
export class OperatorRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableV2, keys: Keys) {
    super(scope, id);
    const { account } = Stack.of(this);
    this.role = new Role(this, 'Role', {
      description: 'Makes integrations of the platform (bin/operator.ts)',
      assumedBy: new AccountPrincipal(account),
    });
    const platform = recordsPartition(PLATFORM, '*');
    this.role.addToPolicy(allowItems(table, ['GetItem', 'PutItem', 'UpdateItem'], [platform, ANY_APP]));
    this.role.addToPolicy(denyChanges(table, [recordsPartition(PLATFORM, auditEventEntity.name)]));
    keys.allowSealingForPlatform(this.role);
  }
}
