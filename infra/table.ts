import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { KEYS, type ListIndex, listIndexes, TTL_ATTRIBUTE } from '../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/**
 * The one table, as `shared/table/schema.ts` describes it: on demand, with 35 days of point-in-time recovery.
 * An index more in the schema is one deployment each: DynamoDB makes one index per update of a table
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html).
 */
export class RecordTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: KEYS.sort, type: AttributeType.STRING },
      globalSecondaryIndexes: listIndexes.map(indexOf),
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: settings.deletionProtection,
      removalPolicy: settings.deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

const indexOf = (index: ListIndex): GlobalSecondaryIndexPropsV2 => ({
  indexName: index.name,
  partitionKey: { name: index.partition, type: AttributeType.STRING },
  sortKey: { name: index.sort, type: AttributeType.NUMBER },
  projectionType: ProjectionType.ALL,
});
