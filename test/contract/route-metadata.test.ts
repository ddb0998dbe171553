import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noContent, route } from '#contract';
import * as field from '#contract/field';
import { derivedMetadata, present } from '#http';
import { contracts } from '../../functions/all-contracts.ts';
import * as fields from '../../shared/contract/fields.ts';
import { validParams, validQuery } from '../../shared/http/request/validate.ts';
import { metadataOf, usePrecompiledMetadata } from '../../shared/http/route-metadata.ts';
import { isUuid } from '../../shared/well-formed.ts';

const ID = '1690C4DC-6F18-4A4C-9F3E-5B1D7C2A9E04';
const open = { summary: 'x', auth: 'none', response: noContent('Done.') } as const;
const every = contracts.flatMap(({ routes }) => Object.entries(routes));

const uuidLike = fc.oneof(
  fc.uuid(),
  fc.string(),
  fc.stringMatching(/^[\da-fA-F]{7,9}(-[\da-fA-F]{4}){2,4}-?[\da-fA-F]{11,13}\n?$/),
);

describe('a shape says of a route what its schemas say', () => {
  it.each(every)('%s', (_, declared) => {
    const shape = derivedMetadata(declared);
    const { data, success } = declared.query.safeParse({});
    const { sort, ...others } = { ...data } as { sort?: string };
    const order = { field: 'created_at', descending: sort?.startsWith('-') };
    const listed = sort === undefined ? {} : { where: [], sort: [order] };
    const counted = 'group_by' in others ? { where: [] } : {};
    expect(shape.emptyQuery).toEqual(success ? { ...others, ...listed, ...counted } : null);
    expect(shape.parameters).toBe(Object.keys(declared.params.shape).length);
    expect(shape.response === null).toBe(declared.response.schema === undefined);
  });

  it('also as the JSON that a bundle has', () => {
    for (const [, declared] of every) {
      const shape = derivedMetadata(declared);
      expect(JSON.parse(JSON.stringify(shape))).toEqual({ ...shape });
    }
  });

  it('of responses: exactly the fields of the example, in their order', () => {
    for (const [, declared] of every) {
      const { response } = metadataOf(declared);
      // A text is returned unchanged.
      if (response === null || declared.response.media !== undefined) continue;
      const shown = present(response, declared.response.example);
      expect(JSON.stringify(shown)).toBe(JSON.stringify(present(JSON.parse(JSON.stringify(response)), shown)));
      expect(shown).toMatchObject(declared.response.example as object);
    }
  });
});

describe('path parameters that are UUIDs', () => {
  const named = route('GET', '/jobs/{id}/of/{client_id}', {
    ...open,
    params: () => ({ id: fields.uuid().describe('An id.'), client_id: field.reference('Client') }),
  });

  it('are known by their declaration', () => {
    expect(metadataOf(named).uuids).toEqual(['id', 'client_id']);
    const others = route('GET', '/jobs/{id}', { ...open, params: () => ({ id: fields.bounded(36).toLowerCase() }) });
    expect(metadataOf(others).uuids).toEqual([]);
    const nullable = route('GET', '/jobs/{id}', { ...open, params: () => ({ id: fields.uuid().nullable() }) });
    expect(metadataOf(nullable).uuids).toEqual([]);
  });

  it('are what the schema makes of them', () => {
    const params = { id: ID, client_id: ID.toLowerCase() };
    expect(validParams(named, { params })).toEqual(named.params.parse(params));
  });

  it('are taken where the schema takes them, and nowhere else', () => {
    fc.assert(
      fc.property(uuidLike, (text) => {
        expect(isUuid(text)).toBe(fields.uuid().safeParse(text).success);
      }),
    );
  });

  it.each([
    ['another text', { id: 'x', client_id: ID }],
    ['a parameter too many', { id: ID, client_id: ID, more: ID }],
    ['one of another name', { id: ID, __proto__x: ID }],
    ['one that is missing', { id: ID }],
  ])('are refused by the schema: %s', (_, params: Record<string, string>) => {
    expect(() => validParams(named, { params })).toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
  });
});

describe('a query without parameters', () => {
  it('is a copy each time, which a request may keep', () => {
    const [first, second] = [
      validQuery(every[0]?.[1] as never, { query: {} }),
      validQuery(every[0]?.[1] as never, { query: {} }),
    ];
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });

  it('is refused where a parameter is required', () => {
    const asking = route('GET', '/jobs', { ...open, query: () => ({ kind: fields.word() }) });
    expect(metadataOf(asking).emptyQuery).toBeNull();
    expect(() => validQuery(asking, { query: {} })).toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
  });
});

it('a shape that a bundle brings is taken for that of its schemas', () => {
  const declare = () => {
    throw new Error('no schema is needed');
  };
  const lazy = route('GET', '/jobs/{id}', { ...open, params: declare, query: declare });
  usePrecompiledMetadata(
    { getJob: lazy },
    { getJob: { parameters: 1, uuids: ['id'], emptyQuery: {}, filters: [], response: null } },
  );
  expect(validParams(lazy, { params: { id: ID } })).toEqual({ id: ID.toLowerCase() });
  expect(validQuery(lazy, { query: {} })).toEqual({});
});
