import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { auditEventEntity, journalEntity } from '#table';
import { PLATFORM, recordsPartition } from '#table/keys';
import { ANY_APP, ANY_SUSPENSION, allowItems, CHANGES, denyItems } from './item-policy.ts';
import type { Keys } from './keys.ts';
import { operators } from './operators.ts';
import { rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import type { TableReference } from './table.ts';

const EVENTS = [auditEventEntity, journalEntity].map(({ name }) => recordsPartition(PLATFORM, name));
const LISTED: readonly string[] = ['INTEGRATION', 'ORG'].map((kind) => recordsPartition(PLATFORM, kind));

/**
 * The role of `create-platform-key`, `platform-keys` and `organizations list`: creates, changes and lists integrations
 * of the platform, lists the organizations, and can do nothing else. It reads no organization's data and decrypts no
 * secret.
 */
export class OperatorRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference, keys: Keys) {
    super(scope, id);
    this.role = new RoleWithRights(this, 'Role', {
      description: 'Makes and changes integrations of the platform, and lists the organizations (bin/operator.ts)',
      path: rolePath(this, 'platform-secrets', 'operator'),
      assumedBy: operators(this),
    });
    const platform = recordsPartition(PLATFORM, '*');
    this.role.addToPolicy(allowItems(table, ['GetItem', 'PutItem', 'UpdateItem'], [platform]));
    // To claim the app codes of new ones, which must be unused.
    this.role.addToPolicy(allowItems(table, ['PutItem'], [ANY_APP]));
    // The lists of the platform's integrations and of all organizations, and suspensions.
    this.role.addToPolicy(allowItems(table, ['Query'], LISTED));
    this.role.addToPolicy(allowItems(table, ['GetItem'], [ANY_SUSPENSION]));
    this.role.addToPolicy(denyItems(table, CHANGES, EVENTS));
    keys.allowEncryptionForPlatform(this.role);
  }
}
