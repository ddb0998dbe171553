import type { List } from './counter-item.ts';
import { NotOffered } from './errors.ts';
import { numberOf } from './ids.ts';
import type { Indexes } from './indexes/indexes.ts';
import {
  type Answer,
  type ComparedKey,
  type Finder,
  type Flags,
  fieldOf,
  hasWanted,
  isRange,
  type ListIndex,
  type Order,
  type Scalar,
  type SortKey,
  type Where,
} from './indexes/list-index.ts';
import type { Query } from './queries.ts';
import { type Item, KEYS } from './schema.ts';

/** A list as its readers know it, and what is wanted of its records. */
export interface ListSource extends List {
  readonly indexes: Indexes;
  readonly where: readonly Where[];
  /** The field with the time of a record's creation. */
  readonly createdAt: string;
  /** Flags of the moment, which no record has stored. */
  readonly flags?: Flags | undefined;
}

/** A condition, and who answers it. */
export interface Condition {
  readonly field: string;
  /** The name of the index that answers it, where records note that they are in it. */
  readonly index: string | undefined;
  /** Undefined: only the records say who meets it. */
  readonly answer: Answer | undefined;
  readonly isMet: (item: Item) => boolean;
  /** The values of which a record must have one as it is stored, where that decides. */
  readonly stored?: readonly Scalar[] | undefined;
  /** The range of the time of creation, if it is one. */
  readonly time?: TimeRange;
}

/** From a time on, and before another one, in epoch milliseconds. */
interface TimeRange {
  readonly from?: number;
  readonly before?: number;
}

/** A list that is to be read: the records that meet all of some conditions, in an order. */
export interface ListQuery extends List {
  readonly createdAt: string;
  readonly conditions: readonly Condition[];
  /** Whether a record meets all conditions. */
  readonly matches: (item: Item) => boolean;
  /** By number, or by fields. */
  readonly sort: readonly ComparedKey[];
  /** The index that has the order, with its name. */
  readonly order: (Order & { readonly name: string }) | undefined;
}

/** The order of the numbers. Lists whose records name their time of creation otherwise use this name too. */
const CREATED = 'created_at';

/**
 * @throws TypeError for words where no index has any
 * @throws NotOffered for words that a setting of the stage leaves out
 */
export function queryOf(source: ListSource, sort: readonly SortKey[] = []): ListQuery {
  const { indexes, where, createdAt, flags = {}, ...list } = source;
  const finders = [...Object.entries(flags).map(finderOf), ...indexes.finders];
  const implied = where.flatMap((each) => (isWantedTrue(each) ? (flags[each.field]?.implies ?? []) : []));
  const conditions = [...where, ...implied].map((wanted) =>
    conditionOf(finders, withField(wanted, createdAt), createdAt),
  );
  const [first] = sort;
  const isCreated = ({ field }: SortKey): boolean => field === CREATED || field === createdAt;
  const keys =
    first === undefined || isCreated(first)
      ? []
      : sort.map((key) => (isCreated(key) ? { ...key, field: KEYS.sort } : comparedBy(finders, key)));
  const ordering = indexes.declared.find(({ order }) => keys.length === 1 && order?.field === first?.field);
  return {
    ...list,
    createdAt,
    conditions,
    matches: (item) => conditions.every(({ isMet }) => isMet(item)),
    sort: keys,
    order: ordering?.order && { ...ordering.order, name: ordering.name },
  };
}

/** Only the records say what is true of them at the moment. */
const finderOf = ([field, { isTrue }]: readonly [string, Flags[string]]): Finder => ({
  field,
  answerTo: () => undefined,
  shownIn: isTrue,
  matcherOf: (where) => (item) => 'anyOf' in where && where.anyOf.includes(isTrue(item)),
});

const isWantedTrue = (where: Where): where is Where & { readonly field: string } =>
  'anyOf' in where && where.anyOf.length === 1 && where.anyOf[0] === true;

const comparedBy = (finders: readonly Finder[], key: SortKey): ComparedKey => ({
  ...key,
  shownIn: finders.find(({ field }) => field === key.field)?.shownIn,
});

/** The field of the time of creation is the list's own. */
const withField = (where: Where, createdAt: string): Where =>
  'words' in where || where.field !== CREATED ? where : { ...where, field: createdAt };

function conditionOf(finders: readonly Finder[], where: Where, createdAt: string): Condition {
  const isOfNothing = 'anyOf' in where && where.anyOf.length === 0;
  if (isOfNothing) return { field: where.field, index: undefined, answer: NOTHING, isMet: () => false };
  if ('ids' in where) {
    const numbers = Array.from(where.ids, numberOf);
    return { field: where.field, index: undefined, answer: { numbers }, isMet: (item) => hasWanted(item, where) };
  }
  for (const finder of finders) {
    const answer = finder.answerTo(where);
    if (answer === undefined) continue;
    const index = isIndex(finder) ? finder : undefined;
    if (index?.isLeftOut?.() === true) throw new NotOffered(fieldOf(where));
    return { field: fieldOf(where), index: index?.name, answer, ...matcherOf(finder, where) };
  }
  // A field of its own kind, such as a flag, where the index has no answer to this condition.
  const finder = finders.find((each) => each.field === fieldOf(where));
  const time = fieldOf(where) === createdAt ? timeIn(where) : undefined;
  const residual = { field: fieldOf(where), index: undefined, answer: undefined, ...matcherOf(finder, where) };
  return time === undefined ? residual : { ...residual, time };
}

/** What is found by none of a field's values. */
const NOTHING: Answer = { sets: [{ field: '', anyOf: [], isExcluded: false }] };

function timeIn(where: Where): TimeRange | undefined {
  if (!isRange(where) || where.upTo !== undefined) return undefined;
  const [from, before] = [where.from, where.before].map((bound) =>
    typeof bound === 'string' ? Date.parse(bound) : undefined,
  );
  return { ...(from === undefined ? {} : { from }), ...(before === undefined ? {} : { before }) };
}

const isIndex = (finder: Finder): finder is ListIndex => 'name' in finder;

function matcherOf(finder: Finder | undefined, where: Where): Pick<Condition, 'isMet' | 'stored'> {
  if (finder?.matcherOf !== undefined) return { isMet: finder.matcherOf(where) };
  if ('words' in where) throw new TypeError('no index has words');
  return { isMet: (item) => hasWanted(item, where), stored: 'anyOf' in where ? where.anyOf : undefined };
}

/** Whether sets or lookups give its records. Others have all allocated numbers but some. */
export const isBounded = ({ conditions }: Pick<ListQuery, 'conditions'>): boolean =>
  isInSets({ conditions }) || conditions.some(({ answer }) => answer !== undefined && 'lookups' in answer);

/** Whether its records are in sets, which have no number without a record, or are named: then they are read. */
export const isInSets = ({ conditions }: Pick<ListQuery, 'conditions'>): boolean =>
  conditions.some(
    ({ answer }) =>
      answer !== undefined && ('numbers' in answer || ('sets' in answer && answer.sets.some((set) => !set.isExcluded))),
  );

/** Whether it is the list of all records. */
export const isWhole = ({ conditions }: Pick<ListQuery, 'conditions'>): boolean => conditions.length === 0;

/**
 * Has DynamoDB leave records out of a query's result that lack a value as it is stored. They cost the same read units,
 * but no CPU time. This is all that a filter sees: of defaults, flags and words only `matches` knows, and it decides in
 * any case.
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
