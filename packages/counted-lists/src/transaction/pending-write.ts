import type { Item, Key } from '../schema.ts';
import { type Condition, conditionOf, Placeholders } from './conditions.ts';

/** Writes that are staged and not committed yet, and the requests of DynamoDB that they become. */

export type OnConditionFailed = (found: Item | undefined) => Error;

interface Conditional {
  readonly key: Key;
  readonly condition: Condition;
  /** Returns the error for a failed condition. */
  readonly onConditionFailed: OnConditionFailed;
}

export interface PendingPut extends Conditional {
  readonly kind: 'put';
  readonly item: Item;
  /** Whether only this very put can have written an item that was found at its key, also where others have changed that since. */
  readonly isOwn?: ((found: Item) => boolean) | undefined;
}

export interface PendingUpdate extends Conditional {
  readonly kind: 'update';
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
  readonly add: Readonly<Record<string, number | bigint>>;
}

export interface PendingDelete extends Conditional {
  readonly kind: 'delete';
}

export type PendingWrite = PendingPut | PendingUpdate | PendingDelete;

export const putRequest = (tableName: string, { item, condition }: Pick<PendingPut, 'item' | 'condition'>) => ({
  TableName: tableName,
  Item: item as Record<string, unknown>,
  ...conditionOf(condition),
});

/** What an update changes, all of it optional. */
type Change = Partial<Pick<PendingUpdate, 'set' | 'add' | 'remove' | 'condition'>>;

export function updateRequest(
  tableName: string,
  { key, set = {}, add = {}, remove = [], condition = {} }: Pick<PendingUpdate, 'key'> & Change,
) {
  const placeholders = new Placeholders();
  const clause = (keyword: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [`${keyword} ${texts.join(', ')}`];
  const pairs = (values: Readonly<Record<string, unknown>>, between: string): string[] =>
    Object.entries(values).map(([name, value]) => `${placeholders.name(name)}${between}${placeholders.value(value)}`);
  const clauses = [
    ...clause('SET', pairs(set, ' = ')),
    ...clause('ADD', pairs(add, ' ')),
    ...clause(
      'REMOVE',
      remove.map((attribute) => placeholders.name(attribute)),
    ),
  ];
  return {
    TableName: tableName,
    Key: { ...key },
    UpdateExpression: clauses.join(' '),
    ...placeholders.with(condition),
  };
}

/** Returns the item by which a condition fails. */
export const RETURNED = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** A write as a part of a transaction. */
export function transactItem(tableName: string, write: PendingWrite) {
  if (write.kind === 'put') return { Put: { ...putRequest(tableName, write), ...RETURNED } };
  const conditional = { TableName: tableName, Key: { ...write.key }, ...conditionOf(write.condition), ...RETURNED };
  if (write.kind === 'delete') return { Delete: conditional };
  return changesNothing(write)
    ? { ConditionCheck: { ConditionExpression: undefined, ...conditional } }
    : { Update: { ...updateRequest(tableName, write), ...RETURNED } };
}

/** Whether an update is only a condition, such as a reference that must exist. */
const changesNothing = ({ set, add, remove }: PendingUpdate): boolean =>
  Object.keys(set).length + Object.keys(add).length + remove.length === 0;
