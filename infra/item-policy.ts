import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { appKey, loginFailureKey, suspensionKey, type TenantId } from '../shared/table/keys.ts';
import type { Table } from './table.ts';

/** What the storage code does with items. A transaction has no action of its own: each of its writes needs its own. */
export type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';

/** Pattern of the partition keys under which an integration is found by its app code. */
export const ANY_APP = appKey('*').PK;

/** Pattern of the partition keys under which it is noted that an organization is suspended. */
export const ANY_SUSPENSION = suspensionKey('*' as TenantId).PK;

/** Pattern of the partition keys under which failed guesses are counted. */
export const ANY_LOGIN_FAILURE = loginFailureKey('*').PK;

/**
 * Allows these actions on items whose partition keys match. `ForAllValues` is true of a request that names
 * no key at all (Scan), hence the `Null` guard beside it.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const allowItems = (table: Table, actions: readonly ItemAction[], keys: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

/**
 * Takes from a role that it may change or delete items under these partition keys, whatever else allows it. New ones it may put, and IAM
 * cannot tell a new one from one that is there: that is the condition of each put.
 */
export const denyChanges = (table: Table, keys: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: CHANGES.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': keys } },
  });

const CHANGES: readonly ItemAction[] = ['UpdateItem', 'DeleteItem', 'BatchWriteItem'];
