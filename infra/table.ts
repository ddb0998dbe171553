import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { KEYS, TTL_ATTRIBUTE } from '../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/** The one table, as `shared/table/schema.ts` describes it: on demand, with 35 days of point-in-time recovery. It has no index. */
export class RecordTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: KEYS.sort, type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: settings.deletionProtection,
      // Protected as it is, a rollback could not delete it and would fail: an empty table is left instead.
      removalPolicy: settings.deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
