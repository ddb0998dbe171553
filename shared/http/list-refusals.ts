import type { listErrors } from '@custodia/counted-lists';
import { filteredField, filtersOf, isSearchable, MOST_RESIDUAL, Problem, pointer, type Route } from '#contract';
import * as parameter from '#contract/parameter';
import type { HttpRequest } from './request/http-request.ts';

export interface Asked {
  readonly matched?: { readonly route: Route };
  readonly request?: Pick<HttpRequest, 'query'>;
}

/**
 * The problem of a list that is too long for its filters or its order. It names these, and the filters that would
 * narrow the list.
 */
export function tooManyMatches(cause: listErrors.TooManyMatches, asked: Asked): Problem {
  const { candidates, fields } = cause;
  const { query = {} } = asked.request ?? {};
  const order = orderOf(asked);
  const indexed = asked.matched === undefined ? [] : filtersOf(asked.matched.route);
  const names = parametersAbout(fields, asked);
  const narrowing = indexed.filter((name) => !Object.hasOwn(query, name));
  const remedies = [
    ...(fields.includes(parameter.WORDS) ? ['with longer words'] : []),
    ...(narrowing.length === 0 ? [] : [`with one of the filters ${narrowing.join(', ')}`]),
    ...(names.includes('sort') ? ['in the order of creation'] : []),
  ];
  const bound = `at most ${MOST_RESIDUAL} read units of them are`;
  const remedy = remedies.length === 0 ? '' : ` Ask ${remedies.join(', or ')}.`;
  return new Problem('too-many-matches', {
    detail:
      `No index answers ${fields.join(' and ').replaceAll(SORT, `${order}=`)}: ${candidates} records or more would ` +
      `have to be read, and ${bound}.${remedy}`,
    errors: names.map((name) => ({
      in: 'query',
      pointer: pointer([name]),
      detail: 'works only where few records are left to read',
    })),
    cause,
  });
}

/**
 * The problem of an index that lacks older records. A searchable list is too long to be read without it; other lists
 * are refused at any length. The operator's repair of all organizations takes a while, so callers need not ask every
 * few seconds.
 */
export function listBeingBuilt(cause: listErrors.ListNotBuilt, asked: Asked): Problem {
  const names = parametersAbout(cause.fields, asked);
  const indexed = new Set(cause.fields.map((field) => field.replace(SORT, '')));
  const isReadWithout = asked.matched !== undefined && isSearchable(asked.matched.route);
  const remedy = isReadWithout
    ? 'Until then it works where few records are left to read: ask with further filters, or without ' +
      `${names.join(' and ')}.`
    : 'Ask again later.';
  return new Problem('list-being-built', {
    detail: `The index of ${[...indexed].join(' and ')} is still being built, and lacks older records. ${remedy}`,
    headers: { 'Retry-After': '3600' },
    errors: names.map((name) => ({ in: 'query', pointer: pointer([name]), detail: 'cannot be used here yet' })),
    cause,
  });
}

/** Before a field by which a list is sorted (`packages/counted-lists/src/residual.ts`). */
const SORT = 'sort=';

/** The parameter with such a field. */
const orderOf = ({ matched }: Asked): string => (matched?.route.response.counted === undefined ? 'sort' : 'group_by');

/** The parameters of a request that are about these fields. */
function parametersAbout(fields: readonly string[], asked: Asked): readonly string[] {
  const { matched, request: { query = {} } = {} } = asked;
  const order = orderOf(asked);
  const fieldOf = (name: string) => (matched === undefined ? name : filteredField(matched.route, name));
  const isAbout = (name: string): boolean => fields.includes(name) || fields.includes(fieldOf(name));
  const isSorted = fields.some((field) => field.startsWith(SORT));
  return [...Object.keys(query).filter((name) => name !== order && isAbout(name)), ...(isSorted ? [order] : [])];
}
