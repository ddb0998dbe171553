import { describe, expect, it } from 'vitest';
import { contract, ok, pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { type Operations, pagesOf, pipeline, respond } from '#http';
import { entity, set } from '#table';

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

describe('a filter that the entity does not have', () => {
  it('is reported when the function loads, with its remedy', () => {
    const operations: Operations<typeof shops> = {
      listShops: pagesOf(partial),
      getShop,
    };
    expect(() => pipeline(shops, operations)).toThrow(
      new TypeError(
        'shops: GET /api/v1/shops takes `city`, by which its records cannot be listed. ' +
          'Add an index to its entity in functions/shops/store.ts for what is a field of the record, and take out of the route what is not.',
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

  it('is a compiler error', () => {
    // @ts-expect-error: no field of the record
    expect(entity('SHOP', shop, { indexes: [set('town')] }).indexes).toHaveLength(1);
  });
});
