import { describe, expect, it } from 'vitest';
import { contract, isSearchable, Problem, pageOf, type Route, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import type { Entity } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { declaredEntities } from '../../functions/all-entities.ts';
import { conditionsOf, listQueryOf } from '../../shared/contract/list-query.ts';
import { elementOf } from '../../shared/contract/several-values.ts';
import { validQuery } from '../../shared/http/request/validate.ts';
import { schemas as described } from './document.ts';

/** The filters and orders that follow from the records of lists. */

const lists = contracts.flatMap(({ routes, fieldPermissions = {} }) =>
  Object.entries(routes as Readonly<Record<string, Route>>).flatMap(([id, list]) =>
    isSearchable(list) && list.response.isList ? [{ id, list, hidden: Object.keys(fieldPermissions) }] : [],
  ),
);

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const schemas = described as Readonly<Record<string, Schema>>;

/** The fields of a list's records as the document describes responses. */
function fieldsOf({ response }: Route) {
  const page = schemas[String(response.schema?.meta()?.id)];
  const record = schemas[String(page?.properties?.data?.items?.$ref).replace(/.*\//, '')];
  return Object.entries(record?.properties ?? {}).map(([name, { type, format, pattern = '' }]) => ({
    name,
    type: [type].flat()[0] ?? 'any',
    isNullable: [type].flat().includes('null'),
    isTime: format === 'date-time' || pattern.startsWith('^\\d{4}-'),
  }));
}

const isScalar = ({ type }: { readonly type: string }): boolean =>
  ['string', 'number', 'integer', 'boolean'].includes(type);

const namesFor = ({ name, type, isNullable, isTime }: ReturnType<typeof fieldsOf>[number]): string[] => {
  if (type === 'number' || type === 'integer') return [name, `${name}_min`, `${name}_max`];
  if (!isTime) return [name];
  const stem = name.replace(/_at$/, '');
  return [`${stem}_after`, `${stem}_before`, ...(isNullable ? [name] : [])];
};

describe.each(lists)('$id', ({ list, hidden }) => {
  const excluded = ['org_id', ...hidden, ...Object.keys(list.unfiltered ?? {})];
  const fields = fieldsOf(list);
  const { filters, sorts } = listQueryOf(list);

  it('has the filters of every scalar field of its records, and no other', () => {
    const scalar = fields.filter((each) => isScalar(each) && !excluded.includes(each.name));
    const expected = [...scalar.flatMap(namesFor), ...Object.keys(list.further?.() ?? {})];
    const declared = [...conditionsOf(list).keys()];
    expect([...filters.keys()].filter((name) => !expected.includes(name))).toEqual([]);
    expect(expected.filter((name) => !filters.has(name) && !declared.includes(name))).toEqual([]);
    expect(sorts.toSorted()).toEqual([...new Set(['created_at', ...scalar.map(({ name }) => name)])].toSorted());
  });

  it('names in its exclusions only fields that it would have', () => {
    const names = fields.filter(isScalar).map(({ name }) => name);
    expect(Object.keys(list.unfiltered ?? {}).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('takes null of the fields that may be null, and of no others', () => {
    for (const [name, { field: of, as }] of filters) {
      if (as !== 'anyOf' || list.further?.()[name]) continue;
      const { isNullable } = fields.find((each) => each.name === of) ?? {};
      const where = errorsOf(list, { [name]: ['null'] });
      const { where: found } = (where === undefined ? validQuery(list, { query: { [name]: ['null'] } }) : {}) as {
        where?: unknown;
      };
      if (isNullable) expect([name, found]).toEqual([name, [{ field: of, anyOf: [null] }]]);
      else expect([name, found]).not.toEqual([name, [{ field: of, anyOf: [null] }]]);
    }
  });

  it('refuses wrong values with the place, and has no filter of a parameter that means something else', () => {
    for (const [name, { schema, as }] of filters) {
      expect(['page', 'page_size', 'sort', 'view', 'org_id', 'after']).not.toContain(name);
      if (elementOf(schema) !== undefined && !conditionsOf(list).has(name)) {
        const many = Array.from({ length: 11 }, (_, index) => String(index));
        expect(errorsOf(list, { [name]: many })).toEqual([[`#/${name}`, 'must have at most 10 values']]);
      }
      if (as !== 'anyOf' && as !== 'contains') expect(errorsOf(list, { [name]: ['x'] })?.[0]?.[0]).toBe(`#/${name}`);
    }
  });
});

it('no list filters by what is stored encrypted or elsewhere', async () => {
  const entities: readonly Entity[] = await declaredEntities();
  const named = lists.flatMap(({ id, list }) => {
    const fields = fieldsOf(list).map(({ name }) => name);
    const entity = entities.find(({ record }) => record !== undefined && `${record.name}` === nameOf(list));
    const secret = [...(entity?.encrypted ?? []), ...(entity?.elsewhere ?? [])].filter((name) => fields.includes(name));
    const { filters, sorts } = listQueryOf(list);
    const used = [...sorts, ...[...filters.values()].map((filter) => filter.field)];
    return secret.filter((name) => used.includes(name)).map((name) => `${id} ${name}`);
  });
  expect(named).toEqual([]);
});

const nameOf = ({ response }: Route): string =>
  String(response.schema?.meta()?.id)
    .replace(/Page$/, '')
    .replace(/Summary$/, '');

function errorsOf(list: Route, query: Readonly<Record<string, readonly string[]>>) {
  try {
    validQuery(list, { query });
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer, detail }) => [pointer, detail]);
    throw error;
  }
  return undefined;
}

const shop = record('Shop', () => ({
  id: readOnly(field.uuid()),
  name: field.name(20),
  city: field.word().nullable().default(null),
  area: field.whole(-5, 1_000),
  rent: field.money().nullable().default(null),
  is_open: field.flag(),
  opened_at: field.timestamp().nullable().default(null),
  next_visit: field.dateOrTime(),
  tags: field.tags(),
  notes: field.jsonObject().nullable().default(null),
  pin: field.text(9),
}));

const shops = contract({
  name: 'shops',
  tag: 'Shops',
  description: 'x',
  fieldPermissions: { pin: 'shops:pins' },
  routes: {
    listShops: route('GET', '/api/v1/shops', {
      summary: 'x',
      permission: 'shops:read',
      query: () => ({ ...parameter.page(), city: parameter.anyOf(field.word(), 'x') }),
      response: pageOf(shop, 'x', {}),
    }),
  },
});

const { listShops } = shops.routes;
const asked = (query: Readonly<Record<string, readonly string[]>>) => validQuery(listShops, { query });
const whereOf = (query: Parameters<typeof asked>[0]) => asked(query).where;
const NEWEST = [{ field: 'created_at', descending: true }];

describe('a query', () => {
  it('becomes conditions and an order', () => {
    expect(asked({})).toEqual({ page: 1, page_size: 25, where: [], sort: NEWEST });
    expect(asked({ city: ['porto,null'], name: ['a,b', 'c'], sort: ['-city,name'], page: ['2'] })).toEqual({
      page: 2,
      page_size: 25,
      where: [
        { field: 'city', anyOf: ['porto', null] },
        { field: 'name', anyOf: ['a,b', 'c'] },
      ],
      sort: [
        { field: 'city', descending: true },
        { field: 'name', descending: false },
      ],
    });
  });

  it('has numbers and flags by their values', () => {
    expect(whereOf({ area: ['-5,7'], rent: ['null', '1.50'], is_open: ['false'] })).toEqual([
      { field: 'area', anyOf: [-5, 7] },
      { field: 'rent', anyOf: [null, 1.5] },
      { field: 'is_open', anyOf: [false] },
    ]);
    expect(whereOf({ area_min: ['2'], area_max: ['9'], rent_min: ['5e-1'] })).toEqual([
      { field: 'area', from: 2, upTo: 9 },
      { field: 'rent', from: 0.5 },
    ]);
  });

  it('has times as they are compared', () => {
    expect(whereOf({ opened_after: ['2026-01-01'], opened_before: ['2026-02-01T01:00:00.0001+01:00'] })).toEqual([
      { field: 'opened_at', from: '2026-01-01T00:00:00.000Z', before: '2026-02-01T00:00:00.001Z' },
    ]);
    expect(whereOf({ opened_at: ['null'] })).toEqual([{ field: 'opened_at', anyOf: [null] }]);
    // A day is before the times of it, as a text too.
    expect(whereOf({ next_visit_after: ['2026-01-01T00:00Z'], next_visit_before: ['2026-01-02T12:00Z'] })).toEqual([
      { field: 'next_visit', from: '2026-01-01', before: '2026-01-02T12:00:00.000Z' },
    ]);
  });

  it.each<[query: Record<string, string[]>, errors: string[][]]>([
    [{ area: ['1.5'] }, [['#/area', 'must be a whole number from -5 to 1000']]],
    [{ area: ['0x10'] }, [['#/area', 'must be a whole number from -5 to 1000']]],
    [{ area_max: [''] }, [['#/area_max', 'must be a whole number from -5 to 1000']]],
    [{ area: ['1,null'] }, [['#/area/1', 'must be a whole number from -5 to 1000']]],
    [{ rent: ['1e400'] }, [['#/rent', 'must be a number from 0 to 1000000000000']]],
    [{ name: [' '] }, [['#/name', 'must not be blank']]],
    [{ is_open: ['yes'] }, [['#/is_open', 'must be one of: true, false']]],
    [{ is_open: ['true', 'false'] }, [['#/is_open', 'given more than once']]],
    [{ opened_at: ['2026-01-01'] }, [['#/opened_at', 'must be null']]],
    [{ opened_after: ['a'], area_min: ['a'] }, [['#/area_min'], ['#/opened_after']]],
    [{ nam: ['a'] }, [['#/nam', 'is not known here; did you mean `name`?']]],
    [{ rent_maximum: ['1'] }, [['#/rent_maximum', 'is not known here; did you mean `rent_max`?']]],
    [{ pin: ['1'] }, [['#/pin', 'is not known here']]],
    [{ notes: ['null'] }, [['#/notes', 'is not known here']]],
    [{ tags: ['a'] }, [['#/tags', 'is not known here']]],
    [{ __proto__: ['a'], constructor: ['a'] }, [['#/constructor', 'is not known here']]],
  ])('with %o is refused', (query, errors) => {
    const found = errorsOf(listShops, query);
    expect(found?.map((each, index) => each.slice(0, errors[index]?.length))).toEqual(errors);
  });

  it.each(['pin', 'notes', 'tags', 'a', '', 'name,city,area', 'name,-name', 'name,', '--name', '__proto__'])(
    'is not sorted by `%s`, and the refusal does not say more than of any other text',
    (sort) => {
      expect(errorsOf(listShops, { sort: [sort] })).toEqual(errorsOf(listShops, { sort: ['x'] }));
      expect(errorsOf(listShops, { sort: [sort] })?.[0]?.[1]).toMatch(/: created_at, id, name, city, area, /);
    },
  );

  it('builds nothing that it does not name', () => {
    const unread = route('GET', '/api/v1/things', {
      summary: 'x',
      permission: 'things:read',
      query: () => ({ ...parameter.page(), city: parameter.anyOf(field.word(), 'x') }),
      response: {
        ...pageOf(shop, 'x', {}),
        get schema(): never {
          throw new Error('built');
        },
      },
    }) as unknown as Route;
    const query = { city: ['porto', 'faro'], page: ['1'], sort: ['created_at'] };
    expect(validQuery(unread, { query }).where).toEqual([{ field: 'city', anyOf: ['porto', 'faro'] }]);
    expect(() => validQuery(unread, { query: { name: ['a'] } })).toThrow('built');
  });
});
