import { schema } from '@custodia/counted-lists';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  type ITableV2,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { administration, PENDING_WINDOW } from './key-administration.ts';
import type { Settings } from './settings.ts';
import { prefixOf, retention } from './stacks/stage-stack.ts';

/** What the other constructs need to know of the table, whether or not the stack makes it. */
export interface TableReference extends Pick<ITableV2, 'metric' | 'tableArn' | 'tableName'> {
  readonly tableStreamArn?: string | undefined;
}

/**
 * The one table, as `packages/counted-lists/src/schema.ts` describes it: on demand, with 35 days of point-in-time
 * recovery. It has no index. Its stream has keys alone: it only says that there is something to deliver. A restored
 * stage works on the table that its settings name, and makes none (`docs/decisions/0112-restoring.md`); AWS restores no
 * stream.
 */
export class RecordTable extends Construct {
  readonly table: TableReference;
  /** Encrypts what the stage stores, where it has a key of its own for that. */
  readonly key: Key | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { restoredTable, restoredTableStreamArn, tableKey } = settings;
    this.key = tableKey === 'customer' ? this.#key(settings) : undefined;
    this.table =
      restoredTable === undefined
        ? this.#make(settings, this.key)
        : TableV2.fromTableAttributes(this, 'Restored', {
            tableName: restoredTable,
            ...(restoredTableStreamArn === undefined ? {} : { tableStreamArn: restoredTableStreamArn }),
          });
  }

  #make({ deletionProtection, warmThroughput }: Settings, key: Key | undefined): TableV2 {
    const table = new TableV2(this, 'Table', {
      partitionKey: { name: schema.KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: schema.KEYS.sort, type: AttributeType.STRING },
      timeToLiveAttribute: schema.TTL,
      dynamoStream: StreamViewType.KEYS_ONLY,
      billing: Billing.onDemand(),
      ...(warmThroughput === undefined ? {} : { warmThroughput }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      deletionProtection,
      // Deletion protection would make a rollback fail, so a rollback leaves an empty table.
      removalPolicy: deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (key !== undefined) encryptWith(key, table);
    return table;
  }

  /**
   * Everybody of the account may use the key, but only through DynamoDB and S3, as with AWS's managed keys: rights on
   * the table and the bucket decide who reads what.
   * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
   */
  #key(settings: Settings): Key {
    const { account, region, urlSuffix } = Stack.of(this);
    const throughServices = new PolicyStatement({
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
        StringEquals: {
          'kms:CallerAccount': account,
          'kms:ViaService': ['dynamodb', 's3'].map((service) => `${service}.${region}.${urlSuffix}`),
        },
      },
    });
    const key = new Key(this, 'Key', {
      removalPolicy: retention(settings),
      pendingWindow: PENDING_WINDOW,
      description: `${prefixOf(this)}: encrypts the table and the bucket`,
      enableKeyRotation: true,
      policy: new PolicyDocument({ statements: [administration(), throughServices] }),
    });
    const comment =
      'Whoever may use table and bucket uses their key, within the account and through these services alone.';
    (key.node.defaultChild as CfnKey).addMetadata('checkov', { skip: [{ id: 'CKV_AWS_33', comment }] });
    return key;
  }
}

/** CDK's own property works only in a stack with an explicit region. */
function encryptWith(key: Key, table: TableV2): void {
  const [resource] = table.node.children.filter((child) => child instanceof CfnGlobalTable);
  resource?.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  resource?.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
}
