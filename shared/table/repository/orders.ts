import { filterNames } from '#contract/derived';
import type { Item, ListSource } from '#lists';
import { indexedValuesIn, orderEntriesOf, orderIndexOf } from './list-indexes.ts';

/** Lists by a time of their records: in its order, and those with a time in a range (`entity.ts`, `orders`). */

/** Times as they are stored: from `after` on, and earlier than `before`. */
export interface TimeRange {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Ranges by field. */
export type TimeRanges = Readonly<Record<string, TimeRange>>;

/** Most records in a range: 1 MB of an order, 275 read units. */
const MOST_IN_RANGE = 10_000;

/** The first and the last text of a range. Records without a time, whose text is empty, are in none. */
const textsOf = ({ after = '0', before }: TimeRange) => ({
  from: after,
  to: before === undefined ? '~' : new Date(Date.parse(before) - 1).toISOString(),
});

const isGiven = ({ after, before }: TimeRange): boolean => after !== undefined || before !== undefined;

/** The ranges that a request gives. */
const givenIn = (ranges: TimeRanges): readonly (readonly [field: string, range: TimeRange])[] =>
  Object.entries(ranges).filter(([, range]) => isGiven(range));

/** The lookups of ranges. */
export const lookupsOf = (ranges: TimeRanges): ListSource['lookups'] =>
  givenIn(ranges).map(([field, range]) => {
    const [index, names] = [orderIndexOf(field), filterNames.rangeNames(field)];
    return {
      name: range.after === undefined ? names.before : names.after,
      ranges: [{ in: { index: orderEntriesOf(field) }, texts: textsOf(range) }],
      most: MOST_IN_RANGE,
      indexes: [index],
      byRecord: (record) => isIn(record, field, range),
    };
  });

/** Whether a record is in all of these ranges. */
export const isInAll = (item: Item, ranges: TimeRanges): boolean =>
  givenIn(ranges).every(([field, range]) => isIn(item, field, range));

function isIn(item: Item, field: string, range: TimeRange): boolean {
  const { from, to } = textsOf(range);
  const text = textIn(item, field);
  return from <= text && text <= to;
}

/** The order by a field. */
export const orderOf = (field: string, ranges: TimeRanges): NonNullable<ListSource['order']> => ({
  index: orderIndexOf(field),
  entries: orderEntriesOf(field),
  textOf: (item) => textIn(item, field),
  texts: givenIn(ranges).flatMap(([given, range]) => (given === field ? [textsOf(range)] : []))[0],
});

const textIn = (item: Item, field: string): string => indexedValuesIn(item, orderIndexOf(field))[0] ?? '';
