import { beforeText, upToText, WITH_TEXT } from './entry.ts';
import type { ListIndex } from './list-index.ts';
import { textsOf } from './where.ts';

const MARK = '>';

/** Most records in a range: 1 MB of an order, 275 read units. */
const MOST_IN_RANGE = 10_000;

/** All records by a time or date, by which their list is sorted and cut to a range. Another record may move it without a new version. */
export function orderIndex(field: string): ListIndex {
  const items = `${field}#ORDER`;
  const textOf = (item: Readonly<Record<string, unknown>>): string => textsOf(item[field])[0] ?? '';
  return {
    name: `${field}${MARK}`,
    field,
    items: [items],
    isInAdvance: true,
    movable: [field],
    order: { field, items, textOf },
    entriesOf: (item) => [{ items, text: textOf(item) }],
    answerTo: (where) => {
      if ('words' in where || where.field !== field || 'anyOf' in where || 'allOf' in where) return undefined;
      const { from, before, upTo } = where;
      const end = before === undefined ? upTo && upToText(String(upTo)) : beforeText(String(before));
      const keys = { from: String(from ?? WITH_TEXT.from), to: String(end ?? WITH_TEXT.to) };
      return { lookups: [{ ranges: [{ items, keys }], most: MOST_IN_RANGE }] };
    },
  };
}

/** The index of another release. */
export const orderNamed = (name: string): ListIndex | undefined =>
  name.endsWith(MARK) ? orderIndex(name.slice(0, -MARK.length)) : undefined;
