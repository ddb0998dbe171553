import type { Route } from '#contract';
import { conditionsOf, isSearchable, listQueryOf, MOST_SCANNED } from '#contract/lists';
import { WORDS } from '#contract/parameter';
import { Problem, pointer } from '#contract/problem';
import type { listErrors } from '#lists';
import type { HttpRequest } from './request/http-request.ts';

export interface Asked {
  readonly matched?: { readonly route: Route };
  readonly request?: Pick<HttpRequest, 'query'>;
}

/** The problem of a list that is too long for its filters or its order. It names these, and the filters that would narrow the list. */
export function tooManyMatches(cause: listErrors.TooManyMatches, { matched, request }: Asked): Problem {
  const { candidates, fields } = cause;
  const { query = {} } = request ?? {};
  const indexed = matched === undefined ? [] : [...conditionsOf(matched.route).keys()];
  const isAbout = (name: string): boolean => fields.includes(name) || fields.includes(fieldOf(name, matched?.route));
  const isSorted = fields.includes('sort') || keysIn(query).some((key) => fields.includes(key));
  const names = [
    ...Object.keys(query).filter((name) => name !== 'sort' && isAbout(name)),
    ...(isSorted ? ['sort'] : []),
  ];
  const narrowing = indexed.filter((name) => !Object.hasOwn(query, name));
  const remedies = [
    ...(fields.includes(WORDS) ? ['with longer words'] : []),
    ...(narrowing.length === 0 ? [] : [`with one of the filters ${narrowing.join(', ')}`]),
    ...(isSorted ? ['in the order of creation'] : []),
  ];
  const bound = `at most ${MOST_SCANNED} read units of them are`;
  const remedy = remedies.length === 0 ? '' : ` Ask ${remedies.join(', or ')}.`;
  return new Problem('too-many-matches', {
    detail: `No index answers ${fields.join(' and ')}: ${candidates} records or more would have to be read, and ${bound}.${remedy}`,
    errors: names.map((name) => ({
      in: 'query',
      pointer: pointer([name]),
      detail: 'works only where few records are left to read',
    })),
    cause,
  });
}

/** The field that a filter is about. */
function fieldOf(name: string, route: Route | undefined): string {
  if (route === undefined || !isSearchable(route)) return name;
  return (conditionsOf(route).get(name) ?? listQueryOf(route).filters.get(name))?.field ?? name;
}

const keysIn = ({ sort: [sort = ''] = [] }: HttpRequest['query']): readonly string[] =>
  sort.split(',').map((key) => key.replace(/^-/, ''));
