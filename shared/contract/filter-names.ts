/** The order of creation, whatever the field with that time is called. */
export const CREATED = 'created_at';

/** Fields that are lists of texts, each with the name of the filter by one of them. */
const ELEMENTS = { tags: 'tag' } as const;

/** The name of the filter by a field: that of the field, or of an element. */
export type FilterName<F extends string> = F extends keyof typeof ELEMENTS ? (typeof ELEMENTS)[F] : F;

export const isList = (field: string): field is keyof typeof ELEMENTS => Object.hasOwn(ELEMENTS, field);

/** The name of the filter by a field. */
export const filterName = <F extends string>(field: F): FilterName<F> =>
  (isList(field) ? ELEMENTS[field] : field) as FilterName<F>;

/** The list whose elements the filter of this name is about. */
export const listOfElement = (name: string): string | undefined =>
  Object.entries(ELEMENTS).find(([, element]) => element === name)?.[0];

/** The name under which a list declares that it can be sorted by a time: `sort=last_activity_at`. */
export const sortName = <F extends string>(field: F) => `sort=${field}` as const;

/**
 * The names of the filters by a range of a time: `last_activity_at` is between `last_activity_after` and
 * `last_activity_before`.
 */
export const rangeNames = (field: string) => {
  const stem = field.replace(/_at$/, '');
  return { after: `${stem}_after`, before: `${stem}_before` };
};

/**
 * The fields with the time of a record's creation, of which each list has one. Numbers are allocated in its order, so
 * that its ranges and its order work in lists of any size.
 */
export const CREATION_FIELDS: readonly string[] = [CREATED, 'ts', 'occurred_at', 'received_at'];

/** The names of the filters by a range of a number. */
export const boundNames = (field: string) => ({ min: `${field}_min`, max: `${field}_max` });

/** What a list may be filtered and sorted by for a time in an order of its records. */
export type OrderName<Field extends string> = `sort=${Field}` | RangeName<Field>;

type RangeName<Field extends string> = Field extends `${infer Stem}_at` ? `${Stem}_after` | `${Stem}_before` : never;
