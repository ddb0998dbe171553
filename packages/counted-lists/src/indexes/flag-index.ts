import type { Item } from '../schema.ts';
import { type ListIndex, namesIn } from './list-index.ts';

/**
 * When a flag is true: by the record's own fields, or where one of its counters is more than 0. Counters change without being read, and their flags
 * with them.
 */
type FlagRule = ((item: never) => boolean) | { readonly counter: string };

export interface FlagIndex extends ListIndex {
  /** The counter that it follows. */
  readonly counter?: string;
}

/** The only value that has a set: the other records are all without these. */
const TRUE = 'true';

/** A flag as it is stored. */
export const storedFlag = (isTrue: boolean): true | null => isTrue || null;

/**
 * The records of which a rule is true, as "over its threshold" is. They are stored with it, so that a number is in the set of what is stored, also
 * after a release that does not know the flag.
 */
export function flagIndex(field: string, rule: FlagRule): FlagIndex {
  const counter = typeof rule === 'function' ? undefined : rule.counter;
  const isTrue = (item: Item): boolean =>
    typeof rule === 'function' ? rule(item as never) : Number(item[rule.counter] ?? 0) > 0;
  return {
    name: field,
    field,
    ...(counter === undefined ? {} : { counter }),
    movable: counter === undefined ? [field] : [field, counter],
    entriesOf: (item) => (item[field] === true ? [{ field, value: TRUE }] : []),
    notesOf: (item, by) => {
      if (by === 'verification' && counter !== undefined && namesIn(item).includes(field)) return {};
      const flag = storedFlag(isTrue(item));
      return flag === (item[field] ?? null) ? {} : { [field]: flag };
    },
    answerTo: (where) => {
      if ('words' in where || where.field !== field || !('anyOf' in where) || new Set(where.anyOf).size > 1)
        return undefined;
      return { sets: [{ field, anyOf: [TRUE], isExcluded: where.anyOf[0] !== true }] };
    },
    shownIn: isTrue,
    matcherOf: (where) => (item) => 'anyOf' in where && where.anyOf.includes(isTrue(item)),
  };
}
