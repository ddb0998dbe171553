import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contract, ok, record, route } from '#contract';
import * as field from '#contract/field';
import { pipeline } from '#http';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import { logger } from '#telemetry';
import { authorizerContext } from '../support/caller.ts';
import { type ChainEvent, chainEvent } from '../support/chain.ts';
import { bodyOf, FaultyHandler, reply } from '../support/faults.ts';
import { lambdaContext } from '../support/lambda-context.ts';

/**
 * The middlewares together: which of them responds first, and with which headers. The table is only asked whether the
 * caller's organization is suspended.
 */

const NOW = Date.parse('2026-11-20T09:30:00.000Z');
const ORG = randomUUID();

const thing = record('PipelineThing', () => ({ name: field.name(20) }));
const things = contract({
  name: 'things',
  tag: 'Things',
  description: 'Of a test.',
  routes: {
    updateThing: route('PATCH', '/things/{id}', {
      summary: 'x',
      permission: 'things:write',
      params: () => ({ id: field.uuid() }),
      body: thing.patch,
      response: ok(thing, 'The thing.', { name: 'a' }),
    }),
  },
});

const work = vi.fn<() => unknown>();
const handler = pipeline(
  things,
  {
    updateThing: async ({ body }) => {
      work();
      return { body: { name: body.name ?? '' }, version: 1 };
    },
  },
  () => NOW,
);

/** A table that only returns that nobody is suspended, or that everybody is. */
class Nothing extends FaultyHandler {
  isSuspended = false;

  override async handle(...[request, options]: Parameters<FaultyHandler['handle']>) {
    if (!bodyOf(request).includes('SUSPENDED#')) return super.handle(request, options);
    return reply(200, this.isSuspended ? { Item: { state: { S: 'suspended' }, since: { S: 'x' } } } : {});
  }
}

let requestHandler: Nothing;
beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'things');
  vi.stubEnv('RATE_LIMIT', '600');
  requestHandler = new Nothing();
  requestHandler.follow(() => 'dropped');
  configureTable({ ...localConnection(), requestHandler, maxAttempts: 1 });
  work.mockReset();
});

const send = async (event: Partial<ChainEvent>): Promise<APIGatewayProxyResult & { type: string }> => {
  const response = await handler(chainEvent(event), lambdaContext());
  const { type = '' } = JSON.parse(response.body) as { type?: string };
  return { ...response, type: type.replace('urn:problem-type:custodia:', '') };
};

const authorizedAs = (context: Parameters<typeof authorizerContext>[1]) =>
  ({
    requestId: 'r-1',
    authorizer: authorizerContext(ORG, {
      integration_id: randomUUID(),
      expires_at: String(NOW / 1000 + 600),
      ...context,
    }),
  }) as unknown as ChainEvent['requestContext'];

const right: Partial<ChainEvent> = {
  httpMethod: 'PATCH',
  resource: '/things/{id}',
  pathParameters: { id: randomUUID() },
  multiValueHeaders: { 'Content-Type': ['application/json'] },
  body: '{"name":"a"}',
};

/** The refusals of a request in order. Each mistake is sent together with all later ones. */
const mistakes: readonly [type: string, mistake: () => Partial<ChainEvent>][] = [
  ['route-not-found', () => ({ resource: '/others/{id}' })],
  ['unauthorized', () => ({ requestContext: authorizedAs({ expires_at: '1' }) })],
  ['forbidden', () => ({ requestContext: authorizedAs({ permissions: 'things:read' }) })],
  ['malformed-request', () => ({ body: '{' })],
  ['invalid-parameter', () => ({ pathParameters: { id: '7' } })],
  ['invalid-body', () => ({ body: '{"name":7}' })],
  ['forbidden', () => ({ multiValueQueryStringParameters: { org_id: [randomUUID()] } })],
];

const requestWith = (wrong: typeof mistakes): Partial<ChainEvent> =>
  Object.assign({ ...right, requestContext: authorizedAs({}) }, ...wrong.toReversed().map(([, mistake]) => mistake()));

describe('a request', () => {
  it.each(mistakes.map(([type], index) => [type, index] as const))(
    'is refused as %s, mistake %i',
    async (type, index) => {
      expect((await send(requestWith(mistakes.slice(index)))).type).toBe(type);
      expect(work).not.toHaveBeenCalled();
    },
  );

  it('gets a response without one', async () => {
    const { statusCode, body } = await send(requestWith([]));
    expect([statusCode, body]).toEqual([200, '{"name":"a"}']);
    expect(work).toHaveBeenCalledOnce();
  });

  it('of a suspended organization is refused for that, whatever its operation says', async () => {
    requestHandler.isSuspended = true;
    work.mockImplementation(() => {
      throw new TypeError('x is not a function');
    });
    expect((await send(requestWith([]))).type).toBe('organization-suspended');
    expect(work).toHaveBeenCalledOnce();
    expect((await send(requestWith([]))).type).toBe('organization-suspended');
    expect(work).toHaveBeenCalledOnce();
    work.mockReset();
    requestHandler.isSuspended = false;
    expect((await send(requestWith([]))).statusCode).toBe(200);
  });

  it('beyond the budget is refused, whatever else is wrong with it but for its token', async () => {
    const requestContext = authorizedAs({ rate_limit: '1', permissions: '' });
    const event = { ...requestWith(mistakes.slice(3)), requestContext };
    // It would be flushed to the table, which does not respond.
    vi.spyOn(logger, 'warn').mockReturnValue(undefined);
    expect([(await send(event)).type, (await send(event)).type]).toEqual(['forbidden', 'too-many-requests']);
  });
});

describe('the headers', () => {
  const COMMON = ['X-Content-Type-Options', 'X-Request-Id', 'Cache-Control', 'Vary'];
  const BUDGET = ['RateLimit-Policy', 'RateLimit'];
  const namesOf = async (event: Partial<ChainEvent>) => new Set(Object.keys((await send(event)).headers ?? {}));

  it('of a response describe the record and the budget', async () => {
    expect(await namesOf(requestWith([]))).toEqual(new Set([...COMMON, ...BUDGET, 'Content-Type', 'ETag']));
  });

  it.each(mistakes.map(([type], index) => [type, index] as const))(
    'of %s, mistake %i, tell of the budget once it is charged',
    async (_, index) => {
      const names = await namesOf(requestWith(mistakes.slice(index)));
      for (const name of ['WWW-Authenticate', 'Accept']) names.delete(name);
      expect(names).toEqual(new Set([...COMMON, 'Content-Type', ...(index < 2 ? [] : BUDGET)]));
    },
  );

  it('of a failure do, too', async () => {
    work.mockImplementation(() => {
      throw new TypeError('x is not a function');
    });
    const log = vi.spyOn(logger, 'error').mockReturnValue(undefined);
    expect(await namesOf(requestWith([]))).toEqual(new Set([...COMMON, ...BUDGET, 'Content-Type']));
    expect(log).toHaveBeenCalledOnce();
  });
});
