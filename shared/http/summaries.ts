import { declaredValues } from '#contract';
import type { Entity, PageQuery } from '#table';
import type { BearerInput, Filtered } from './operation.ts';
import { flagsFor, type Momentary, servedBy } from './pages.ts';

/** Operations that count the records of a list by a field. */

type Where = NonNullable<PageQuery['where']>[number];

interface CountInput extends BearerInput {
  readonly query: { readonly group_by: string; readonly where: readonly Where[] };
}

interface Tally {
  readonly data: { value: string | null; count: number }[];
  readonly total: number;
}

interface Counts {
  readonly body: Tally;
  readonly residualUnits?: number;
}

/**
 * An operation that counts an entity's records: `summarizeTickets: countsOf(ticketEntity)`. Where the field has a
 * closed set of values, and sets answer the filters, these are counted at any size. Each count is exact at one moment:
 * a record whose value changes meanwhile may count for both values, or for none. Else the records are read.
 * @throws TooManyMatches where that takes more than 500 read units
 */
export const countsOf = <T extends object>(
  entity: Entity<T>,
  momentary?: Momentary,
): ((input: CountInput) => Promise<Counts>) & Filtered => {
  const count = async (input: CountInput): Promise<Counts> => {
    const { tenant, query } = input;
    const { group_by: field, where } = query;
    const records = tenant.records(entity);
    const values = declaredValues(entity.record?.fieldOf(field));
    if (Array.isArray(values) && hasSet(entity, field) && where.every((each) => isOfSets(entity, each))) {
      return { body: tally(await records.countEach(where, field, values)) };
    }
    const flags = await flagsFor([...where, { field }], input, momentary);
    const { items, units } = await records.matching(where, field, flags);
    return { body: tally(items.map((item) => [item[field], 1])), residualUnits: units };
  };
  return Object.assign(count, { filters: servedBy(entity) });
};

/** How often each value is there in all, with the most frequent one first, and null last of equally frequent ones. */
export function tally(counts: readonly (readonly [value: unknown, count: number])[]): Tally {
  const totalOf = (some: typeof counts): number => some.reduce((sum, [, count]) => sum + count, 0);
  const groups = Map.groupBy(counts, ([value]) => (value === undefined || value === null ? null : String(value)));
  const data = Array.from(groups, ([value, some]) => ({ value, count: totalOf(some) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count || compare(one.value, other.value));
  return { data, total: totalOf(counts) };
}

const compare = (one: string | null, other: string | null): number =>
  one === null || other === null ? Number(one === null) - Number(other === null) : one < other ? -1 : 1;

const hasSet = ({ indexes }: Pick<Entity, 'indexes'>, name: string): boolean =>
  indexes.some(({ kind, fields: [field] }) => field === name && (kind === 'set' || kind === 'flag'));

/** Whether sets answer a condition, or the time of creation does, which narrows lists of any size. */
function isOfSets(entity: Pick<Entity, 'indexes' | 'createdAt'>, where: Where): boolean {
  if ('words' in where) return false;
  if ('anyOf' in where || 'allOf' in where)
    return hasSet(entity, where.field) && !('anyOf' in where && where.anyOf.includes(null));
  return where.field === entity.createdAt;
}
