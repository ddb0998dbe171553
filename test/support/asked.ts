import type { SortKey, Where } from '@custodia/counted-lists';

/** What is asked of a list, by the names of fields. Of several values any, of `tags` all. */
export interface Asked {
  readonly page?: number;
  readonly page_size?: number;
  /** `-created_at`. */
  readonly sort?: string;
  readonly filter?: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly q?: string | undefined;
  readonly values?: Readonly<Record<string, string | undefined>>;
  readonly ranges?: Readonly<
    Record<string, { readonly after?: string | undefined; readonly before?: string | undefined }>
  >;
  readonly where?: readonly Where[];
}

/** The same as a repository takes it. */
export function asked({ page = 1, page_size = 100, sort = 'created_at', ...given }: Asked = {}) {
  const { filter = {}, q, values = {}, ranges = {}, where = [] } = given;
  const ofFields = Object.entries({ ...filter, ...values }).flatMap(([field, value]): Where[] => {
    if (value === undefined) return [];
    return [field === 'tags' ? { field, allOf: [value].flat() as string[] } : { field, anyOf: [value].flat() }];
  });
  const ofRanges = Object.entries(ranges).flatMap(([field, { after, before }]): Where[] =>
    after === undefined && before === undefined ? [] : [{ field, from: after, before }],
  );
  const ofWords: readonly Where[] = q === undefined ? [] : [{ words: q }];
  return { page, page_size, sort: sortedBy(sort), where: [...ofFields, ...ofWords, ...ofRanges, ...where] };
}

export const sortedBy = (sort: string): readonly SortKey[] => [
  { field: sort.replace('-', ''), descending: sort.startsWith('-') },
];
