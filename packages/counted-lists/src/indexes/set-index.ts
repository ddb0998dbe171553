import type { ListIndex } from './list-index.ts';
import { textsOf } from './where.ts';

/** A set for each value of a field, or of its elements. Null has none. @param isOpen whether callers choose the values */
export const setIndex = (field: string, isOpen: () => boolean): ListIndex => ({
  name: field,
  field,
  isOpen,
  entriesOf: (item) => textsOf(item[field]).map((value) => ({ field, value })),
  answerTo: (where) => {
    if ('words' in where || where.field !== field) return undefined;
    const setOf = (anyOf: readonly string[]) => ({ field, anyOf, isExcluded: false });
    if ('allOf' in where) return { sets: where.allOf.map((value) => setOf([value])) };
    if (!('anyOf' in where) || where.anyOf.includes(null)) return undefined;
    return { sets: [setOf([...new Set(where.anyOf.map(String))])] };
  },
});
