import { listErrors } from '@custodia/counted-lists';
import { expect, it } from 'vitest';
import { pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { problemOf } from '../../shared/http/problems.ts';

/** The refusals of filters and orders that no index answers, or that one lacking older records does not. */

const shop = record('Shop', () => ({
  id: readOnly(field.uuid()),
  name: field.name(9),
  city: field.word(),
  size: field.whole(0, 9),
}));
const listShops = route('GET', '/shops', {
  summary: 'x',
  permission: null,
  query: () => ({ ...parameter.page(), city: parameter.anyOf(field.word(), 'x'), q: parameter.words('name', 'x') }),
  response: pageOf(shop, 'x', {}),
});
const refusal = (fields: readonly string[], query: Record<string, string[]>) =>
  problemOf(new listErrors.TooManyMatches(2_001, fields), { matched: { route: listShops }, request: { query } });

it('too many matches are told with what causes them, and what would narrow the list', () => {
  const query = { size_min: ['2'], sort: ['-name,created_at'], city: ['porto'] };
  const { type, status, detail, errors } = refusal(['size', 'sort=name'], query);
  expect([type, status]).toEqual(['too-many-matches', 400]);
  expect(detail).toContain('No index answers size and sort=name: 2001 records or more');
  expect(detail).toContain('500 read units');
  expect(detail).toContain('Ask with one of the filters q, or in the order of creation.');
  expect(errors.map(({ pointer }) => pointer)).toEqual(['#/size_min', '#/sort']);
});

it('too many matches are told of words', () => {
  const { detail, errors } = refusal(['q'], { q: ['a'] });
  expect(detail).toContain('Ask with longer words, or with one of the filters city.');
  expect(errors.map(({ pointer }) => pointer)).toEqual(['#/q']);
});

it('an index that lacks older records is told with the parameters that need it', () => {
  const builtLater = (fields: readonly string[], query: Record<string, string[]>) =>
    problemOf(new listErrors.ListNotBuilt('SHOPS', fields), { matched: { route: listShops }, request: { query } });
  const query = { size_min: ['2'], sort: ['-size'], city: ['porto'] };
  const { type, detail, errors, headers } = builtLater(['size', 'sort=size'], query);
  expect([type, headers?.['Retry-After']]).toEqual(['list-being-built', '3600']);
  expect(detail).toContain('The index of size is still being built');
  expect(detail).toContain('ask with further filters, or without size_min and sort.');
  expect(errors.map(({ pointer }) => pointer)).toEqual(['#/size_min', '#/sort']);
  expect(problemOf(new listErrors.ListNotBuilt('SHOPS', ['city'])).detail).toContain('Ask again later.');
});
