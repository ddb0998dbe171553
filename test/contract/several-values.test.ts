import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ok, Problem, type Route, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { contracts } from '../../functions/all-contracts.ts';
import { elementOf } from '../../shared/contract/several-values.ts';
import { validQuery } from '../../shared/http/request/validate.ts';

/** Parameters that take several values: how they are given, and what is said of wrong ones. */

const list = route('GET', '/shops', {
  summary: 'x',
  permission: null,
  query: () => ({
    status: parameter.anyOf(field.word(), 'Only shops with this status.'),
    client_id: parameter.anyOf(field.reference('Client'), 'Only shops of this client.'),
    plan: parameter.anyOf(field.text(10), 'Only shops with this plan.'),
    tag: parameter.allOf(field.name(100), 'Only shops with this tag.'),
    name: field.text(10).optional(),
  }),
  response: ok({ schema: field.text(1) }, 'x', {}),
});

const parsed = (query: Readonly<Record<string, readonly string[]>>) => validQuery(list as unknown as Route, { query });
function errorsOf(query: Parameters<typeof parsed>[0]): unknown {
  try {
    return parsed(query);
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer, detail }) => [pointer, detail]);
    throw error;
  }
}
const ID = '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04';
const WORD = 'must be a lowercase word of letters, digits, "-" and "_", the first a letter';

describe('a filter by any of several values', () => {
  it('takes one, several separated by commas, and a repeated parameter', () => {
    expect(parsed({})).toEqual({});
    expect(parsed({ status: ['open'] })).toEqual({ status: ['open'] });
    expect(parsed({ status: ['open,pending'] })).toEqual({ status: ['open', 'pending'] });
    expect(parsed({ status: ['open', 'closed,pending'] })).toEqual({ status: ['open', 'closed', 'pending'] });
    expect(parsed({ client_id: [ID.toUpperCase()] })).toEqual({ client_id: [ID] });
  });

  it('is repeated where its values may contain commas', () => {
    expect(parsed({ plan: ['a,b', 'c'] })).toEqual({ plan: ['a,b', 'c'] });
  });

  it('says which of several is wrong', () => {
    expect(errorsOf({ status: ['Open'] })).toEqual([['#/status', WORD]]);
    expect(errorsOf({ status: [''] })).toEqual([['#/status', WORD]]);
    expect(errorsOf({ status: ['open,Closed', ''] })).toEqual([
      ['#/status/1', WORD],
      ['#/status/2', WORD],
    ]);
    expect(errorsOf({ status: ['open,'], client_id: [`${ID},x`] })).toEqual([
      ['#/status/1', WORD],
      ['#/client_id/1', 'must be a UUID'],
    ]);
  });

  it('takes ten values at most, however they are given', () => {
    const values = Array.from({ length: 11 }, (_, index) => `s${index}`);
    expect(parsed({ status: [values.slice(1).join()] })).toEqual({ status: values.slice(1) });
    const tooMany = [['#/status', 'must have at most 10 values']];
    for (const given of [[values.join()], values, [values.slice(0, 6).join(), values.slice(6).join()]])
      expect(errorsOf({ status: given })).toEqual(tooMany);
    expect(errorsOf({ status: [','.repeat(100_000)] })).toEqual(tooMany);
  });

  it('has values without commas, in every list', () => {
    const filters = contracts.flatMap(({ routes }) =>
      Object.entries(routes as Readonly<Record<string, Route>>).flatMap(([id, { query }]) =>
        Object.entries(query.shape).map(([name, schema]) => ({ at: `${id} ${name}`, schema: schema as z.ZodType })),
      ),
    );
    const separated = filters.filter(({ schema }) => schema.meta()?.param?.explode === false);
    expect(separated.length).toBeGreaterThan(20);
    for (const { at, schema } of separated)
      for (const text of [',', 'a,b', 'a.b,c.d', `${ID},${ID}`, 'a,', 'é,'])
        expect([at, elementOf(schema)?.safeParse(text).success]).toEqual([at, false]);
  });
});

describe('a filter by all of several texts', () => {
  it('is repeated, and its texts may contain commas', () => {
    expect(parsed({ tag: ['a,b'] })).toEqual({ tag: ['a,b'] });
    expect(parsed({ tag: ['a', 'b c', 'a'] })).toEqual({ tag: ['a', 'b c', 'a'] });
    expect(errorsOf({ tag: ['a', ' '] })).toEqual([['#/tag/1', 'must not be blank']]);
    expect(errorsOf({ tag: Array(11).fill('a') })).toEqual([['#/tag', 'must have at most 10 values']]);
  });
});

it('another parameter is given once', () => {
  expect(errorsOf({ name: ['a', 'b'], status: ['a', 'b'] })).toEqual([['#/name', 'given more than once']]);
  expect(parsed({ name: ['a,b'] })).toEqual({ name: 'a,b' });
});
