import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { KEYS, TTL_ATTRIBUTE } from '../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/** What the other constructs need of the table, whether the stack makes it or not. */
export type Table = Pick<ITableV2, 'metric' | 'tableArn' | 'tableName'>;

/**
 * The one table, as `shared/table/schema.ts` describes it: on demand, with 35 days of point-in-time recovery. It has no index.
 * A stage that was restored works on the table of that name, and has none of its own (`docs/decisions/0112-restoring.md`).
 */
export class RecordTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { restoredTable } = settings;
    this.table =
      restoredTable === undefined ? this.#make(settings) : TableV2.fromTableName(this, 'Restored', restoredTable);
  }

  #make({ deletionProtection }: Settings): TableV2 {
    return new TableV2(this, 'Table', {
      partitionKey: { name: KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: KEYS.sort, type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection,
      // Protected as it is, a rollback could not delete it and would fail: an empty table is left instead.
      removalPolicy: deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
