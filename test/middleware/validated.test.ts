import { describe, expect, it } from 'vitest';
import { jsonObject, name, uuid, word } from '../../shared/contract/fields.ts';
import { parseJson } from '../../shared/contract/json.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import { readOnly, record } from '../../shared/contract/record.ts';
import { noContent, type Route, route } from '../../shared/contract/route.ts';
import { validated } from '../../shared/http/middleware/validated.ts';
import { type ChainEvent, refusal, routedEvent, through } from '../support/chain.ts';

const ID = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';

const thing = record('Thing', () => ({
  id: readOnly(uuid()),
  name: name(20),
  status: word().default('active'),
  data: jsonObject().nullable().default(null),
}));
const taking = { summary: 'x', auth: 'none', response: noContent('Taken.') } as const;
const things = route('POST', '/things', { ...taking, query: pageParameters, body: thing.create });
const oneThing = route('PATCH', '/things/{id}', { ...taking, params: () => ({ id: uuid() }), body: thing.patch });

const sent = (to: Route, given: Partial<ChainEvent>): ChainEvent => routedEvent(to, { json: undefined, ...given });
const json = (value: unknown, isExact = true) => ({ json: { value, isExact } });

async function inputOf(to: Route, given: Partial<ChainEvent>): Promise<ChainEvent['input']> {
  const event = sent(to, given);
  await through([validated()], event);
  return event.input;
}

/** Type and findings, as `part pointer`. */
async function refused(to: Route, given: Partial<ChainEvent>): Promise<unknown[]> {
  const { type, errors } = await refusal([validated()], sent(to, given));
  return [type, ...errors.map((error) => `${error.in} ${error.pointer}`)];
}

describe('the input', () => {
  it('is what the schemas make of path, query and body', async () => {
    const query = { multiValueQueryStringParameters: { page: ['2'] } };
    expect(await inputOf(things, { ...query, ...json({ name: 'a' }) })).toEqual({
      params: {},
      query: { page: 2, page_size: 25, sort: '-created_at' },
      body: { name: 'a', status: 'active', data: null },
    });
    expect(await inputOf(oneThing, { pathParameters: { id: ID.toUpperCase() }, ...json({ status: 'done' }) })).toEqual({
      params: { id: ID },
      query: {},
      body: { status: 'done' },
    });
  });

  it('leaves out what the caller cannot set and has sent back', async () => {
    expect((await inputOf(things, json({ id: 7, name: 'a' }))).body).not.toHaveProperty('id');
  });

  it('keeps the numbers of free-form JSON as the parser did', async () => {
    const { body } = await inputOf(things, json(parseJson('{"name":"a","data":{"n":1.0}}')));
    expect(JSON.stringify(body?.data)).toBe('{"n":1.0}');
  });

  it('has no body where the route has none, and none of a webhook before its signature was checked', async () => {
    expect((await inputOf(route('POST', '/things', taking), json({ name: 'a' }))).body).toBeUndefined();
    const hook = route('POST', '/webhooks', { ...taking, auth: 'signature', body: thing.create });
    expect((await inputOf(hook, {})).body).toBeUndefined();
  });
});

describe('a request is refused', () => {
  it('for its path', async () => {
    expect(await refused(oneThing, { pathParameters: { id: '7' }, ...json({}) })).toEqual([
      'invalid-parameter',
      'path #/id',
    ]);
  });

  it.each<[name: string, query: Record<string, string[]>, findings: string[]]>([
    ['a value', { page: ['0'] }, ['query #/page']],
    ['values', { page: ['0'], sort: ['up'] }, ['query #/page', 'query #/sort']],
    ['a name', { colour: ['red'] }, ['query #/colour']],
    ['what is there twice', { page: ['1', '1'] }, ['query #/page']],
  ])('for %s in its query', async (_, multiValueQueryStringParameters, findings) => {
    expect(await refused(things, { multiValueQueryStringParameters, ...json({ name: 'a' }) })).toEqual([
      'invalid-parameter',
      ...findings,
    ]);
  });

  it.each<[name: string, value: unknown, findings: string[]]>([
    ['that is no object', [], ['body #']],
    ['that is a number', parseJson('1.0'), ['body #']],
    ['that lacks a field', {}, ['body #/name']],
    ['with wrong and unknown fields', { name: 1, colour: 'red' }, ['body #/name', 'body #/colour']],
  ])('for a body %s', async (_, value, findings) => {
    expect(await refused(things, json(value))).toEqual(['invalid-body', ...findings]);
  });

  it('for a body with more in it than its fields can have, whose numbers were not kept', async () => {
    expect(await refused(things, json({ id: [1, 2], name: 'a' }, false))).toEqual(['content-too-large']);
    expect(await refused(things, json({ id: [1, 2] }, false))).toEqual(['invalid-body', 'body #/name']);
  });

  it('but for numbers that were not kept only where a field would show them', async () => {
    const named = record('Named', () => ({ name: name(20) }));
    const login = route('POST', '/login', { ...taking, body: named.create });
    expect((await inputOf(login, json({ name: 'a' }, false))).body).toEqual({ name: 'a' });
  });

  it('for its path first, then for its query, then for its body', async () => {
    const query = { multiValueQueryStringParameters: { colour: ['red'] } };
    const wrong = { pathParameters: { id: '7' }, ...query, ...json([]) };
    expect(await refused(oneThing, wrong)).toContain('path #/id');
    expect(await refused(oneThing, { ...wrong, pathParameters: { id: ID } })).toContain('query #/colour');
    expect(await refused(oneThing, { pathParameters: { id: ID }, ...json([]) })).toContain('body #');
  });
});
