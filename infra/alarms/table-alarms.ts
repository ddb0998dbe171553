import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { TableReference } from '../table.ts';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

/**
 * The operations of the storage code. DynamoDB publishes `SystemErrors` by table and operation, never by table alone.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
 */
const OPERATIONS: readonly Operation[] = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
  Operation.TRANSACT_GET_ITEMS,
];

interface TableAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly table: TableReference;
  /** Requests of the API, as the measure of load. */
  readonly requests: IMetric;
}

/** Alarms for calls that DynamoDB refuses or fails. The functions retry, so callers do not see all of them. */
export class TableAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, table, requests }: TableAlarmsProps) {
    super(scope, id, topics);
    const count = (name: string): IMetric => table.metric(name, { statistic: 'Sum' });
    const of = (operation: Operation, name: string, statistic: string): IMetric =>
      table.metric(name, { statistic, dimensionsMap: { TableName: table.tableName, Operation: operation } });
    this.alarm('table-throttled', {
      ...rate({
        part: { reads: count('ReadThrottleEvents'), writes: count('WriteThrottleEvents') },
        whole: { requests },
        percent: 1,
        atLeast: 10,
      }),
      meaning: 'DynamoDB throttled reads or writes: at least 10, and 1 for 100 requests of the API',
      periods: [2, 3],
    });
    this.alarm('table-failing', {
      ...rate({
        part: Object.fromEntries(OPERATIONS.map((each) => [`of${each}`, of(each, 'SystemErrors', 'Sum')])),
        whole: { requests },
        percent: 1,
        atLeast: 10,
      }),
      meaning: 'DynamoDB itself failed: at least 10 times, and 1 for 100 requests of the API',
      periods: [1, 2],
    });
    this.alarm('table-conflicts', {
      ...rate({
        part: { conflicts: count('TransactionConflict') },
        whole: { committed: of(Operation.TRANSACT_WRITE_ITEMS, 'SuccessfulRequestLatency', 'SampleCount') },
        percent: 10,
        atLeast: 50,
      }),
      meaning: 'writes conflicted with others on the same items: at least 50, and 1 for 10 that were carried out',
      periods: [2, 3],
    });
  }
}
