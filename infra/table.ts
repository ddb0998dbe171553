import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  type ITableV2,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { KEYS, TTL_ATTRIBUTE } from '#lists';
import { administration, PENDING_WINDOW } from './key-administration.ts';
import { retention } from './retention.ts';
import type { Settings } from './settings.ts';
import { prefixOf } from './stacks/stage-stack.ts';

/** What the other constructs need of the table, whether the stack makes it or not. */
export type TableReference = Pick<ITableV2, 'metric' | 'tableArn' | 'tableName'>;

/**
 * The one table, as `shared/lists/schema.ts` describes it: on demand, with 35 days of point-in-time recovery. It has no index.
 * A stage that was restored works on the table of that name, and has none of its own (`docs/decisions/0112-restoring.md`).
 */
export class RecordTable extends Construct {
  readonly table: TableReference;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { restoredTable, tableKey } = settings;
    const key = tableKey === 'customer' ? this.#key(settings) : undefined;
    this.table =
      restoredTable === undefined ? this.#make(settings, key) : TableV2.fromTableName(this, 'Restored', restoredTable);
  }

  #make({ deletionProtection }: Settings, key: Key | undefined): TableV2 {
    const table = new TableV2(this, 'Table', {
      partitionKey: { name: KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: KEYS.sort, type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      deletionProtection,
      // Protected as it is, a rollback could not delete it and would fail: an empty table is left instead.
      removalPolicy: deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (key !== undefined) encryptWith(key, table);
    return table;
  }

  /**
   * Used by everybody of the account who may use the table, and only through DynamoDB, as the key that AWS manages is: who reads what is for
   * their rights on the table to say.
   * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
   */
  #key(settings: Settings): Key {
    const { account, region, urlSuffix } = Stack.of(this);
    const throughDynamoDb = new PolicyStatement({
      principals: [new AnyPrincipal()],
      actions: [
        'Encrypt',
        'Decrypt',
        'ReEncryptFrom',
        'ReEncryptTo',
        'GenerateDataKey',
        'DescribeKey',
        'CreateGrant',
      ].map((action) => `kms:${action}`),
      resources: ['*'],
      conditions: {
        StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': `dynamodb.${region}.${urlSuffix}` },
      },
    });
    const key = new Key(this, 'Key', {
      removalPolicy: retention(settings),
      pendingWindow: PENDING_WINDOW,
      description: `${prefixOf(this)}: encrypts the table`,
      enableKeyRotation: true,
      policy: new PolicyDocument({ statements: [administration(), throughDynamoDb] }),
    });
    const comment = 'Whoever may use the table uses its key, within the account and through DynamoDB alone.';
    (key.node.defaultChild as CfnKey).addMetadata('checkov', { skip: [{ id: 'CKV_AWS_33', comment }] });
    return key;
  }
}

/** CDK's own way is only for a stack that says in which region it is. */
function encryptWith(key: Key, table: TableV2): void {
  const [resource] = table.node.children.filter((child) => child instanceof CfnGlobalTable);
  resource?.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  resource?.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
}
