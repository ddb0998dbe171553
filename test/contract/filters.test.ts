import { describe, expect, expectTypeOf, it } from 'vitest';
import { reference } from '../../shared/contract/constraints.ts';
import { name, uuid, word } from '../../shared/contract/fields.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import { type RecordOf, readOnly, record } from '../../shared/contract/record.ts';
import { contract, ok, pageOf, route } from '../../shared/contract/route.ts';
import { answerRecord, type Operations } from '../../shared/http/operation.ts';
import { pagesOf } from '../../shared/http/pages.ts';
import { pipeline } from '../../shared/http/pipeline.ts';
import { type Entity, entity } from '../../shared/table/repository/entity.ts';
import type { Repository } from '../../shared/table/repository/repository.ts';

/** A filter that a contract offers and storage cannot serve: found by the compiler, and when the function loads. */

const shop = record('Shop', () => ({ id: readOnly(uuid()), city: word(), status: word(), name: name(20) }));

const shops = contract({
  name: 'shops',
  tag: 'Shops',
  description: 'x',
  routes: {
    listShops: route('GET', '/api/v1/shops', {
      summary: 'x',
      permission: 'shops:read',
      query: () => ({ ...pageParameters(), city: word().optional(), status: word().optional() }),
      response: pageOf(shop, 'x', {}),
    }),
    getShop: route('GET', '/api/v1/shops/{id}', {
      summary: 'x',
      permission: 'shops:read',
      params: () => ({ id: reference('Shop') }),
      response: ok(shop, 'x', {}),
    }),
  },
});

const whole = entity('SHOP', shop, { filters: ['city', 'status'] });
const partial = entity('SHOP', shop, { filters: ['status'] });
const {
  getShop,
}: Pick<Operations<typeof shops>, 'getShop'> = {
  getShop: async ({ params, tenant, getOrThrow }) => answerRecord(await getOrThrow(tenant.records(whole), params.id)),
};

describe('a filter that the entity has', () => {
  it('is served', () => {
    expect(() => pipeline(shops, { listShops: pagesOf(whole), getShop })).not.toThrow();
  });
});

describe('a filter that the entity does not have', () => {
  it('is told when the function loads, with what to do about it', () => {
    const operations: Operations<typeof shops> = {
      // @ts-expect-error: Property 'city' is missing
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

  it('is told of an operation that says nothing of its filters', () => {
    const operations: Operations<typeof shops> = {
      // @ts-expect-error: Property 'filters' is missing
      listShops: async ({ query: { page, page_size } }) => ({ body: { data: [], page, page_size, total: 0 } }),
      getShop,
    };
    expect(() => pipeline(shops, operations)).toThrow(
      'takes `city` and `status`, by which its records cannot be listed. Make the operation with `listShops: pagesOf(entity)`',
    );
  });

  it('cannot be asked of its records', () => {
    type Asked = NonNullable<Parameters<Repository<RecordOf<typeof shop>, 'status'>['page']>[0]['filter']>;
    expectTypeOf<keyof Asked>().toEqualTypeOf<'status'>();
    expectTypeOf(partial).toEqualTypeOf<Entity<RecordOf<typeof shop>, 'status'>>();
    // @ts-expect-error: no field of the record
    expect(entity('SHOP', shop, { filters: ['town'] }).filters).toEqual(['town']);
  });
});
