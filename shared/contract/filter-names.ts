/** Fields that are lists of texts, each with the name of the filter by one of them. */
const ELEMENTS = { tags: 'tag' } as const;

/** The name of the filter by a field: that of the field, or of an element. */
export type FilterName<F extends string> = F extends keyof typeof ELEMENTS ? (typeof ELEMENTS)[F] : F;

export const isList = (field: string): field is keyof typeof ELEMENTS => Object.hasOwn(ELEMENTS, field);

/** The name of the filter by a field. */
export const nameOf = <F extends string>(field: F): FilterName<F> =>
  (isList(field) ? ELEMENTS[field] : field) as FilterName<F>;
