import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract, created, noContent, ok, route } from '../../shared/contract/route.ts';
import { routed } from '../../shared/http/middleware/routed.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { type ChainEvent, chainEvent, refusal, through } from '../support/chain.ts';

const thing = { schema: z.strictObject({}) };
const open = { summary: 'x', auth: 'none' } as const;
const params = () => ({ id: z.string() });
const things = contract({
  name: 'things',
  tag: 'Things',
  description: 'Of a test.',
  routes: {
    createThing: route('POST', '/things', { ...open, response: created(thing, 'Made.', {}) }),
    getThing: route('GET', '/things/{id}', { ...open, params, response: ok(thing, 'The thing.', {}) }),
    deleteThing: route('DELETE', '/things/{id}', { ...open, params, response: noContent('Gone.') }),
  },
});
const operations: Operations<typeof things> = {
  createThing: async () => ({ body: {} }),
  getThing: async () => ({ body: {} }),
  deleteThing: async () => ({ body: undefined }),
};

const find = async (given: Partial<ChainEvent>): Promise<ChainEvent> => {
  const event = chainEvent(given);
  await through([routed(things, operations)], event);
  return event;
};

describe('the route', () => {
  it.each([
    ['POST', '/things', 'createThing', '/things/{id}'],
    ['GET', '/things/{id}', 'getThing', undefined],
    ['HEAD', '/things/{id}', 'getThing', undefined],
    ['DELETE', '/things/{id}', 'deleteThing', undefined],
  ] as const)('of %s %s is %s', async (httpMethod, resource, operationId, itemPath) => {
    const { matched } = await find({ httpMethod, resource });
    expect(matched).toEqual({
      operationId,
      contract: things,
      route: things.routes[operationId],
      operation: operations[operationId],
      itemPath,
    });
  });

  it.each([
    ['PUT', '/things'],
    ['GET', '/things'],
    ['GET', '/things/1'],
    ['GET', '/__proto__'],
  ])('of %s %s is none', async (httpMethod, resource) => {
    const problem = await refusal([routed(things, operations)], chainEvent({ httpMethod, resource }));
    expect([problem.type, problem.status]).toEqual(['route-not-found', 404]);
  });

  it('has an operation, or the function does not load', () => {
    const { getThing: _, ...others } = operations;
    expect(() => routed(things, others as typeof operations)).toThrow(
      new TypeError('things has no operation getThing'),
    );
  });
});

describe('the request', () => {
  const read = async (given: Partial<ChainEvent>) =>
    (await find({ httpMethod: 'POST', resource: '/things', ...given })).request;

  it('has its headers by lower-case name, those that are repeated joined and named', async () => {
    const { headers, repeated } = await read({
      multiValueHeaders: { Accept: ['a', 'b'], 'X-Event-ID': ['1'], 'x-event-id': ['2'], Host: ['here'] },
    });
    expect([[...headers], [...repeated]]).toEqual([
      [
        ['accept', 'a, b'],
        ['x-event-id', '1, 2'],
        ['host', 'here'],
      ],
      ['accept', 'x-event-id'],
    ]);
  });

  it('has its bytes, in whichever way they came', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    expect((await read({ body: bytes.toString('base64'), isBase64Encoded: true })).bytes).toEqual(bytes);
    expect((await read({ body: '{"é":1}' })).bytes).toEqual(Buffer.from('{"é":1}', 'utf8'));
    expect((await read({ body: null })).bytes).toEqual(Buffer.alloc(0));
  });

  it('has its parameters, its id and where it came from', async () => {
    const identity = { sourceIp: '192.0.2.1' } as ChainEvent['requestContext']['identity'];
    const requestContext = { requestId: 'r-2', identity } as ChainEvent['requestContext'];
    const multiValueQueryStringParameters = { page: ['1', '2'], none: undefined };
    const request = await read({ requestContext, pathParameters: { id: '7' }, multiValueQueryStringParameters });
    expect(request).toMatchObject({ requestId: 'r-2', sourceAddress: '192.0.2.1' });
    expect([request.params, request.query]).toEqual([{ id: '7' }, { page: ['1', '2'] }]);
    expect((await read({})).sourceAddress).toBe('');
  });
});
