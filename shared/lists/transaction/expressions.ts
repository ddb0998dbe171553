import { TTL } from '../schema.ts';
import { type Condition, ELEMENT_PATH } from './conditions.ts';
import type { PendingPut, PendingUpdate } from './pending-write.ts';

/** Pending writes as DynamoDB requests: expressions with a placeholder for every name and value. */

interface Expression {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  name(attribute: string): string {
    const known = Object.keys(this.names).find((placeholder) => this.names[placeholder] === attribute);
    const placeholder = known ?? `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  /** The path of an attribute, or of a member of an element of a list. */
  path(attribute: string): string {
    const [, list = '', index, member = ''] = ELEMENT_PATH.exec(attribute) ?? [];
    return list === '' ? this.name(attribute) : `${this.name(list)}[${index}].${this.name(member)}`;
  }

  value(value: unknown): string {
    const known = Object.keys(this.values).find((placeholder) => this.values[placeholder] === value);
    const placeholder = known ?? `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The expression with its placeholders, if any: DynamoDB refuses empty maps. */
  with(expression: Expression): Expression {
    return {
      ...expression,
      ...(Object.keys(this.names).length === 0 ? {} : { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length === 0 ? {} : { ExpressionAttributeValues: this.values }),
    };
  }
}

export const putRequest = (tableName: string, write: Pick<PendingPut, 'item' | 'condition'>) => ({
  TableName: tableName,
  Item: { ...write.item },
  ...conditionOf(write.condition),
});

/** Whether an update is only a condition, such as a reference that must exist. */
export const changesNothing = ({ set, add, remove }: PendingUpdate): boolean =>
  Object.keys(set).length + Object.keys(add).length + remove.length === 0;

/** The `ConditionCheck` of an update that changes nothing. */
export const checkRequest = (tableName: string, write: PendingUpdate) => ({
  TableName: tableName,
  Key: { ...write.key },
  ConditionExpression: undefined,
  ...conditionOf(write.condition),
});

export function updateRequest(tableName: string, write: Omit<PendingUpdate, 'onConditionFailed'>) {
  const placeholders = new Placeholders();
  const set = Object.entries(write.set).map(
    ([attribute, value]) => `${placeholders.name(attribute)} = ${placeholders.value(value)}`,
  );
  const add = Object.entries(write.add).map(
    ([attribute, amount]) => `${placeholders.name(attribute)} ${placeholders.value(amount)}`,
  );
  const remove = write.remove.map((attribute) => placeholders.name(attribute));
  const clauses = [
    ...(set.length === 0 ? [] : [`SET ${set.join(', ')}`]),
    ...(add.length === 0 ? [] : [`ADD ${add.join(', ')}`]),
    ...(remove.length === 0 ? [] : [`REMOVE ${remove.join(', ')}`]),
  ];
  const condition = conditionText(write.condition, placeholders);
  return {
    TableName: tableName,
    Key: { ...write.key },
    UpdateExpression: clauses.join(' '),
    ...placeholders.with(condition === '' ? {} : { ConditionExpression: condition }),
  };
}

/** The condition of a write as an expression, if there is one. */
export function conditionOf(condition: Condition): Expression {
  const placeholders = new Placeholders();
  const text = conditionText(condition, placeholders);
  return text === '' ? {} : placeholders.with({ ConditionExpression: text });
}

/** Joins without duplicates, because conditions on one item may come from several places. */
const conditionText = (condition: Condition, placeholders: Placeholders): string =>
  [...new Set(clausesOf(condition, placeholders))].join(' AND ');

/** AND binds more strongly than OR. A single condition has no parentheses, because DynamoDB refuses doubled ones. */
function anyText(conditions: readonly Condition[], placeholders: Placeholders): string {
  const each = conditions.map((condition) => conditionText(condition, placeholders));
  return each.length === 1 ? each.join('') : `(${each.join(' OR ')})`;
}

function clausesOf(condition: Condition, placeholders: Placeholders): string[] {
  const name = (attribute: string): string => placeholders.path(attribute);
  const value = (wanted: unknown): string => placeholders.value(wanted);
  const compared = (wanted: Condition['equals'], operator: string): string[] =>
    Object.entries(wanted ?? {}).map(([attribute, of]) =>
      of === undefined ? `attribute_not_exists(${name(attribute)})` : `${name(attribute)} ${operator} ${value(of)}`,
    );
  const orAbsent = (wanted: Condition['equals'], operator: string): string[] =>
    Object.keys(wanted ?? {}).map((attribute) => {
      const [clause] = compared({ [attribute]: wanted?.[attribute] }, operator);
      return `(attribute_not_exists(${name(attribute)}) OR ${clause})`;
    });
  // DynamoDB refuses parentheses around parentheses; AND binds more strongly than OR.
  const anyHeld = (attribute: string, group: readonly string[]): string => {
    const each = group.map((one) => `contains(${name(attribute)}, ${value(one)})`);
    return each.length === 1 ? each.join('') : `(${each.join(' OR ')})`;
  };
  const held = Object.entries(condition.holds ?? {}).map(([attribute, groups]) => {
    if (groups.length === 0) return `attribute_exists(${name(attribute)})`;
    const all = groups.map((group) => anyHeld(attribute, group)).join(' AND ');
    return `(${name(attribute)} = ${value(null)} OR ${all})`;
  });
  return [
    ...presence(condition, placeholders),
    ...compared(condition.equals, '='),
    ...orAbsent(condition.equalsOrAbsent, '='),
    ...orAbsent(condition.atMost, '<='),
    ...compared(condition.moreThan, '>'),
    ...held,
    ...(condition.and ?? []).flatMap((further) => clausesOf(further, placeholders)),
    ...(condition.anyOf === undefined ? [] : [anyText(condition.anyOf, placeholders)]),
  ];
}

function presence({ exists, expiredBefore }: Condition, placeholders: Placeholders): string[] {
  if (exists === undefined) return [];
  const key = placeholders.name('PK');
  if (exists) return [`attribute_exists(${key})`];
  const expired =
    expiredBefore === undefined ? '' : ` OR ${placeholders.name(TTL)} < ${placeholders.value(expiredBefore)}`;
  return [`(attribute_not_exists(${key})${expired})`];
}
