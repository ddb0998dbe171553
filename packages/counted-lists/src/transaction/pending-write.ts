import { isDeepStrictEqual } from 'node:util';
import { type Item, type Key, TTL } from '../schema.ts';

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
  /** Whether only this put can have written the item that is found at its key, even if others have changed it since. */
  readonly isOwn?: ((found: Item) => boolean) | undefined;
}

export interface PendingUpdate extends Conditional {
  readonly kind: 'update';
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
  readonly add: Readonly<Record<string, number | bigint>>;
}

interface PendingDelete extends Conditional {
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

/** The request of an update by itself. @example new UpdateCommand(updateRequest('records', { key, set: { name } })) */
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

/**
 * A condition on an item. Attributes are named, or a member of an element of a list: `secrets[0].id`.
 * @example { exists: true, equals: { status: 'active', deleted_at: undefined }, atMost: { USED: 9 } }
 */
export interface Condition {
  readonly exists?: boolean;
  /** Undefined: the attribute is absent. */
  readonly equals?: Readonly<Record<string, unknown>>;
  /** Like `equals`, but the attribute may be absent. */
  readonly equalsOrAbsent?: Readonly<Record<string, unknown>>;
  /** Numbers that are at most this, or absent. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Numbers that are present and more than this. */
  readonly moreThan?: Readonly<Record<string, number>>;
  /** Lists that contain at least one value of each of these groups; null contains every value. */
  readonly holds?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** With `exists: false`: an item that expired before this time, in epoch seconds, counts as absent (TTL is lazy). */
  readonly expiredBefore?: number;
  /** Further conditions. */
  readonly and?: readonly Condition[];
  /** At least one of these must hold too. */
  readonly anyOf?: readonly Condition[];
}

/** A member of an element of a list, such as `secrets[0].id`. */
const ELEMENT_PATH = /^(\w+)\[(\d+)\]\.(\w+)$/;

export const Condition = {
  /**
   * Whether an item meets a condition, by the same rules as DynamoDB evaluates its expression. For items that were
   * read, or returned with a failed condition.
   */
  isMet,
};

function isMet(condition: Condition, item: Item | undefined): boolean {
  const every = <T>(wanted: Readonly<Record<string, T>> | undefined, isMetBy: (found: unknown, of: T) => boolean) =>
    Object.entries(wanted ?? {}).every(([attribute, of]) => isMetBy(valueAt(item, attribute), of));
  return (
    isPresenceMet(condition, item) &&
    every(condition.equals, isDeepStrictEqual) &&
    every(condition.equalsOrAbsent, (found, wanted) => found === undefined || isDeepStrictEqual(found, wanted)) &&
    every(condition.atMost, (found, most) => found === undefined || (typeof found === 'number' && found <= most)) &&
    every(condition.moreThan, (found, than) => typeof found === 'number' && found > than) &&
    every(condition.holds, (found, wanted) => found === null || holdsAll(found, wanted)) &&
    (condition.and ?? []).every((further) => isMet(further, item)) &&
    (condition.anyOf?.some((one) => isMet(one, item)) ?? true)
  );
}

function valueAt(item: Item | undefined, attribute: string): unknown {
  const [, list = '', index = '', member = ''] = ELEMENT_PATH.exec(attribute) ?? [];
  if (list === '') return item?.[attribute];
  const elements = item?.[list];
  return Array.isArray(elements) ? elements[Number(index)]?.[member] : undefined;
}

function isPresenceMet({ exists, expiredBefore }: Condition, item: Item | undefined): boolean {
  if (exists === undefined) return true;
  if (exists) return item !== undefined;
  return item === undefined || (expiredBefore !== undefined && Number(item[TTL]) < expiredBefore);
}

const holdsAll = (found: unknown, wanted: readonly (readonly string[])[]): boolean =>
  wanted.length === 0
    ? found !== undefined
    : Array.isArray(found) && wanted.every((group) => group.some((each) => found.includes(each)));

/** The names and values of expressions. */
class Placeholders {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, unknown> = {};

  name(attribute: string): string {
    return placeholderOf(this.#names, '#n', attribute);
  }

  value(value: unknown): string {
    return placeholderOf(this.#values, ':v', value);
  }

  /** The path of an attribute, or of a member of an element of a list. */
  path(attribute: string): string {
    const [, list = '', index, member = ''] = ELEMENT_PATH.exec(attribute) ?? [];
    return list === '' ? this.name(attribute) : `${this.name(list)}[${index}].${this.name(member)}`;
  }

  /** What a request has of them, and of a condition. DynamoDB refuses empty maps and conditions. */
  with(condition: Condition) {
    const text = conditionText(condition, this);
    return {
      ...(text === '' ? {} : { ConditionExpression: text }),
      ...(Object.keys(this.#names).length === 0 ? {} : { ExpressionAttributeNames: this.#names }),
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}

function placeholderOf<T>(known: Record<string, T>, prefix: string, of: T): string {
  let count = 0;
  for (const placeholder in known) {
    if (known[placeholder] === of) return placeholder;
    count++;
  }
  known[`${prefix}${count}`] = of;
  return `${prefix}${count}`;
}

/** The condition of a write as an expression, if there is one. */
export const conditionOf = (condition: Condition) => new Placeholders().with(condition);

/** Joins without duplicates, because conditions on one item may come from several places. */
const conditionText = (condition: Condition, placeholders: Placeholders): string =>
  [...new Set(clausesOf(condition, placeholders))].join(' AND ');

/** AND binds more strongly than OR. A single clause has no parentheses, because DynamoDB refuses doubled ones. */
const anyOf = (clauses: readonly string[]): string =>
  clauses.length === 1 ? clauses.join('') : `(${clauses.join(' OR ')})`;

function clausesOf(condition: Condition, placeholders: Placeholders): string[] {
  const { equals, equalsOrAbsent, atMost, moreThan, holds, and, anyOf: alternatives } = condition;
  const clauses = presence(condition, placeholders);
  const name = (attribute: string): string => placeholders.path(attribute);
  const compared = (attribute: string, operator: string, wanted: unknown): string =>
    wanted === undefined
      ? `attribute_not_exists(${name(attribute)})`
      : `${name(attribute)} ${operator} ${placeholders.value(wanted)}`;
  const orAbsent = (attribute: string, clause: string): string =>
    `(attribute_not_exists(${name(attribute)}) OR ${clause})`;
  for (const each in equals) clauses.push(compared(each, '=', equals[each]));
  for (const each in equalsOrAbsent) clauses.push(orAbsent(each, compared(each, '=', equalsOrAbsent[each])));
  for (const each in atMost) clauses.push(orAbsent(each, compared(each, '<=', atMost[each])));
  for (const each in moreThan) clauses.push(compared(each, '>', moreThan[each]));
  for (const each in holds) clauses.push(heldClause(name(each), holds[each] ?? [], placeholders));
  for (const further of and ?? []) clauses.push(...clausesOf(further, placeholders));
  if (alternatives !== undefined) clauses.push(anyOf(alternatives.map((one) => conditionText(one, placeholders))));
  return clauses;
}

function heldClause(name: string, groups: readonly (readonly string[])[], placeholders: Placeholders): string {
  if (groups.length === 0) return `attribute_exists(${name})`;
  const value = (wanted: unknown): string => placeholders.value(wanted);
  const all = groups.map((group) => anyOf(group.map((one) => `contains(${name}, ${value(one)})`)));
  return `(${name} = ${value(null)} OR ${all.join(' AND ')})`;
}

function presence({ exists, expiredBefore }: Condition, placeholders: Placeholders): string[] {
  if (exists === undefined) return [];
  const key = placeholders.name('PK');
  if (exists) return [`attribute_exists(${key})`];
  const expired =
    expiredBefore === undefined ? '' : ` OR ${placeholders.name(TTL)} < ${placeholders.value(expiredBefore)}`;
  return [`(attribute_not_exists(${key})${expired})`];
}
