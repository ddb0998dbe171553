import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { created, createOnly, optionalOnCreate, record, referencesIn, route, unique, uniqueFieldsOf } from '#contract';
import * as field from '#contract/field';
import { entity } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { referenceOf, uniquenessOf } from '../../shared/contract/constraints.ts';

const shop = record('Shop', () => ({
  slug: unique(field.slug()).nullable().default(null),
  email: unique(field.email(), { comparedAs: 'mail-address' }),
  code: optionalOnCreate(unique(field.code())),
  app: createOnly(unique(field.code(), { within: 'service' })),
  client_id: createOnly(field.reference('Client')),
  service_id: field.reference('Service').nullable().default(null),
  name: field.name(20),
}));

describe('a unique field', () => {
  it('is one in the record and in all bodies that have it, whatever is said of it besides', () => {
    expect([...uniqueFieldsOf(shop.schema).keys()]).toEqual(['slug', 'email', 'code', 'app']);
    expect([...uniqueFieldsOf(shop.create.schema).keys()]).toEqual(['slug', 'email', 'code', 'app']);
    expect([...uniqueFieldsOf(shop.patch.schema).keys()]).toEqual(['slug', 'email']);
    expect(uniquenessOf(unique(field.code()).min(3).describe('x'))?.within).toBe('tenant');
  });

  it('says nothing of another field with the same schema', () => {
    const shared = field.name(20);
    unique(shared);
    expect(uniquenessOf(shared)).toBeUndefined();
  });

  it('is claimed by the entity, but where all tenants share its values', () => {
    const claims = entity('SHOP', shop).unique;
    expect(Object.keys(claims)).toEqual(['slug', 'email', 'code']);
    expect([claims.email?.('Ana@Acme.example'), claims.slug?.('A')]).toEqual(['ana@acme.example', 'A']);
  });

  it('makes a route that takes it return 409', () => {
    const routeWith = (body: typeof shop.create | undefined) =>
      route('POST', '/api/v1/shops', {
        summary: 'x',
        permission: 'shops:write',
        ...(body === undefined ? {} : { body }),
        response: created(shop, 'x', {}),
      });
    expect(routeWith(shop.create).errors).toEqual(['already-exists']);
    expect(routeWith(undefined).errors).toEqual([]);
  });
});

describe('a reference', () => {
  it('names the record, in words too', () => {
    expect([...referencesIn(shop.create.schema)]).toEqual([
      ['client_id', 'Client'],
      ['service_id', 'Service'],
    ]);
    expect(field.reference('ServiceAction').meta()?.description).toBe(
      'The service action, by the id that its creation returned.',
    );
    expect(referenceOf(shop.schema.shape.name)).toBeUndefined();
  });
});

/** All fields and parameters of requests, and those of responses. */
const places = contracts
  .flatMap(({ routes }) => Object.entries(routes))
  .flatMap(([id, { params, query, body, response }]) =>
    Object.entries({ path: params, query, body: body?.schema, reply: response.schema }).flatMap(([where, schema]) =>
      schema instanceof z.ZodObject
        ? Object.entries(schema.shape as Record<string, z.ZodType>).map(([field, kind]) => ({
            at: `${id} ${where} ${field}`,
            field,
            kind,
          }))
        : [],
    ),
  );
/** Names of the records that some route returns. */
const records = new Set(
  contracts.flatMap(({ routes }) => Object.values(routes).map(({ response }) => String(response.schema?.meta()?.id))),
);

describe('the contracts', () => {
  it('refer to records that there are', () => {
    const referred = places.map(({ kind }) => referenceOf(kind)).filter((name) => name !== undefined);
    expect(referred.length).toBeGreaterThan(20);
    expect(referred.filter((name) => !records.has(name))).toEqual([]);
  });

  it('say so of every field that is called like the id of a record', () => {
    const recordOf = (field: string): string | undefined => {
      const words = field.endsWith('_id') ? field.slice(0, -'_id'.length).split('_') : [];
      const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
      return records.has(name) ? name : undefined;
    };
    // An event that a webhook brings is named by its sender, and a client of OAuth is an integration.
    const others = ['getWebhookEvent reply event_id', 'requestToken body client_id'];
    const called = places.filter(({ field, at }) => recordOf(field) !== undefined && !others.includes(at));
    expect(called.length).toBeGreaterThan(20);
    expect(called.filter(({ field, kind }) => referenceOf(kind) !== recordOf(field)).map(({ at }) => at)).toEqual([]);
  });
});
