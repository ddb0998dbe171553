import { expect, it } from 'vitest';
import { pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { listErrors } from '#lists';
import { problemOf } from '../../shared/http/problems.ts';

/** The refusal of what only small lists are filtered or sorted by. */

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
  const { type, status, detail, errors } = refusal(['size', 'name'], query);
  expect([type, status]).toEqual(['too-many-matches', 400]);
  expect(detail).toContain('No index answers size and name: 2001 records or more');
  expect(detail).toContain('500 read units');
  expect(detail).toContain('Ask with one of the filters q, or in the order of creation.');
  expect(errors.map(({ pointer }) => pointer)).toEqual(['#/size_min', '#/sort']);
});

it('too many matches are told of words', () => {
  const { detail, errors } = refusal(['q'], { q: ['a'] });
  expect(detail).toContain('Ask with longer words, or with one of the filters city.');
  expect(errors.map(({ pointer }) => pointer)).toEqual(['#/q']);
});
