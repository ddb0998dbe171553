import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSearchable, type Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { validQuery } from '../../shared/http/request/validate.ts';
import { listQueries } from './list-queries.ts';

const lists = contracts
  .flatMap(({ routes }) => Object.entries(routes as Readonly<Record<string, Route>>))
  .filter(([, route]) => isSearchable(route) && route.response.isList);

it.each(lists)('%s takes every query that is generated for it', (_, route) => {
  const [row] = (route.response.example as { readonly data: readonly [Record<string, unknown>] }).data;
  const empty = Object.fromEntries(Object.entries(row).map(([field, value]) => [field, field === 'id' ? value : null]));
  const names = new Set<string>();
  const queries = listQueries(route, [row, { ...empty, id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80' }]);
  fc.assert(
    fc.property(queries, ({ query, matches, compare }) => {
      const given = new URLSearchParams(query);
      const values = Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name)]));
      for (const name of given.keys()) names.add(name);
      validQuery(route, { query: values });
      expect([typeof matches(row), compare(row, row)]).toEqual(['boolean', 0]);
    }),
    { numRuns: 200 },
  );
  expect(names.size).toBeGreaterThan(5);
});
