/** What the records of lists are filtered and sorted by: `#contract/lists`. */

export type { Condition, ListParameter } from './field-filters.ts';
export { conditionsOf, listQueryOf, querySchemaOf } from './list-query.ts';
export { elementOf } from './several-values.ts';
export { MOST_RESIDUAL } from './sizes.ts';
export { isSearchable, ordersOf } from './traits.ts';
