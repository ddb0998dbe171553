import { describe, expect, it } from 'vitest';
import { type Contract, contract, ok, pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { type Operations, pagesOf, pipeline } from '#http';
import * as respond from '#http/respond';
import { describedBy } from '#openapi';
import { entity, set } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { filtersOfferedTooEarly, filtersWritten, readReleasedFilters } from '../../generate/released-filters.ts';
import manifest from '../../package.json' with { type: 'json' };
import { validQuery } from '../../shared/http/request/validate.ts';

/** A filter that a contract offers but storage cannot serve is found by the compiler, and when the function loads. */

const shop = record('Shop', () => ({
  id: readOnly(field.uuid()),
  city: field.word(),
  status: field.word(),
  name: field.name(20),
}));

const shops = contract({
  name: 'shops',
  tag: 'Shops',
  description: 'x',
  routes: {
    listShops: route('GET', '/api/v1/shops', {
      summary: 'x',
      permission: 'shops:read',
      query: () => ({ ...parameter.page(), city: field.word().optional(), status: field.word().optional() }),
      response: pageOf(shop, 'x', {}),
    }),
    getShop: route('GET', '/api/v1/shops/{id}', {
      summary: 'x',
      permission: 'shops:read',
      params: () => ({ id: field.reference('Shop') }),
      response: ok(shop, 'x', {}),
    }),
  },
});

const whole = entity('SHOP', shop, { indexes: [set('city'), set('status')] });
const partial = entity('SHOP', shop, { indexes: [set('status')] });
const {
  getShop,
}: Pick<Operations<typeof shops>, 'getShop'> = {
  getShop: async ({ params, tenant, getOrThrow }) => respond.record(await getOrThrow(tenant.records(whole), params.id)),
};

/** The list with `city` written, and not yet offered. */
const writing = contract({
  ...shops,
  routes: {
    listShops: route('GET', '/api/v1/shops', {
      summary: 'x',
      permission: 'shops:read',
      query: () => ({ ...parameter.page(), status: field.word().optional() }),
      notYetOffered: ['city'],
      response: pageOf(shop, 'x', {}),
    }),
  },
});

describe('a filter that is not yet offered', () => {
  it('is written: the entity has it, and the function loads', () => {
    expect(() => pipeline(writing, { listShops: pagesOf(whole) })).not.toThrow();
  });

  it('is one for small lists', () => {
    const query = { status: ['open'], city: ['porto'] };
    const [status, city] = [
      { field: 'status', anyOf: ['open'] },
      { field: 'city', anyOf: ['porto'] },
    ];
    for (const { routes } of [writing, shops]) {
      const asked = validQuery(routes.listShops, { query }) as { where: unknown[] };
      expect(asked.where).toEqual(expect.arrayContaining([status, city]));
    }
    const sizeOf = (each: Contract) => {
      const { parameters = [] } = describedBy([each]).paths['/api/v1/shops']?.get ?? {};
      return parameters.find(({ name }) => name === 'city')?.['x-list-size'];
    };
    expect([sizeOf(shops), sizeOf(writing)]).toEqual(['any', 'small']);
  });

  it('is no filter that is offered, and only of lists', () => {
    const declared = { summary: 'x', permission: 'shops:read', notYetOffered: ['city'] } as const;
    const query = () => ({ city: field.word().optional() });
    const both = route('GET', '/shops', { ...declared, query, response: pageOf(shop, 'x', {}) });
    expect(() => both.query).toThrow('`city` is offered and not yet offered');
    expect(() => route('GET', '/shop', { ...declared, response: ok(shop, 'x', {}) })).toThrow(
      'only lists have filters',
    );
  });
});

describe('a filter that is offered', () => {
  const offering = (released: Contract) => filtersOfferedTooEarly([shops], filtersWritten([released], '1.0.0'));

  it('was written by the release before', () => {
    expect(offering(writing)).toEqual([]);
    const without: Contract = { ...writing, routes: { listShops: { ...writing.routes.listShops, notYetOffered: [] } } };
    expect(offering(without)).toEqual([
      'listShops offers `city`, which release 1.0.0 does not write: declare it as notYetOffered first',
    ]);
    expect(offering({ ...shops, routes: {} }), 'a list that did not exist had no records').toEqual([]);
  });

  it('is so in this release: docs/adding-a-filter.md', () => {
    const released = readReleasedFilters();
    expect(released.release).toBe(manifest.version);
    expect(released.filters.listClients).toContain('q');
    expect(filtersOfferedTooEarly(contracts, released)).toEqual([]);
  });
});

describe('a filter that the entity does not have', () => {
  it('is reported when the function loads, with its remedy', () => {
    const operations: Operations<typeof shops> = {
      listShops: pagesOf(partial),
      getShop,
    };
    expect(() => pipeline(shops, operations)).toThrow(
      new TypeError(
        'shops: GET /api/v1/shops takes `city`, by which its records cannot be listed. ' +
          'Add to the `filters` of its entity in functions/shops/store.ts what is a field of the record, and take out of the route what is not.',
      ),
    );
  });

  it('is reported for an operation that does not declare its filters', () => {
    const operations: Operations<typeof shops> = {
      listShops: async ({ query: { page, page_size } }) => ({ body: { data: [], page, page_size, total: 0 } }),
      getShop,
    };
    expect(() => pipeline(shops, operations)).toThrow(
      'takes `city` and `status`, by which its records cannot be listed. Make the operation with `listShops: pagesOf(entity)`',
    );
  });

  it('is reported also where it is not offered yet', () => {
    const operations: Operations<typeof writing> = {
      listShops: pagesOf(partial),
    };
    expect(() => pipeline(writing, operations)).toThrow('takes `city`, by which its records cannot be listed');
  });

  it('is a compiler error', () => {
    // @ts-expect-error: no field of the record
    expect(entity('SHOP', shop, { indexes: [set('town')] }).indexes).toHaveLength(1);
  });
});
