/** A header or a parameter of a query. */
export type Pair = readonly [name: string, value: string];
