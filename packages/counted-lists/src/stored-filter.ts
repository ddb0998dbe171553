import type { Scalar } from './indexes/where.ts';
import type { Query } from './queries.ts';
import type { Condition } from './query.ts';

/**
 * Has DynamoDB leave records out of a query's result that lack a value as it is stored. They cost the same read units, but no CPU time. This is all that a
 * filter sees: of defaults, flags and words only `matches` knows, and it decides in any case.
 */

/** Most operands of `IN` (AWS, "Comparison operator and function reference"). */
const MOST_OPERANDS = 100;

/** A number may be stored with more digits than it is read with, and broken text cannot be sent. */
const isPlain = (value: Scalar): boolean =>
  typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number';

export function filteredBy(query: Query, conditions: readonly Condition[]): Query {
  const stored = conditions.flatMap(({ field, stored: values }) => (values?.every(isPlain) ? [{ field, values }] : []));
  const operands = stored.flatMap(({ values }) => values);
  if (operands.length === 0 || operands.length > MOST_OPERANDS) return query;
  const filters = stored.map(({ field, values }, index) => {
    const name = `#f${index}`;
    const isAbsent = values.includes(null) ? `attribute_not_exists(${name}) OR ` : '';
    const named = values.map((value, at) => [`:f${index}v${at}`, value] as const);
    const expression = `(${isAbsent}${name} IN (${named.map(([operand]) => operand).join()}))`;
    return { expression, name: [name, field] as const, named };
  });
  return {
    ...query,
    FilterExpression: filters.map(({ expression }) => expression).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(filters.map(({ name }) => name)),
    ExpressionAttributeValues: {
      ...query.ExpressionAttributeValues,
      ...Object.fromEntries(filters.flatMap(({ named }) => named)),
    },
  };
}
