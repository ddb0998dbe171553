import { randomUUID } from 'node:crypto';
import { listErrors } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contract, noContent, Problem, type Route, route } from '#contract';
import { configureTable, RequestSession, StaleRead } from '#table';
import type { Method } from '../../shared/contract/route.ts';
import { authenticated } from '../../shared/http/middleware/caller.ts';
import { crossOrigin, head, problemDetails, responseHeaders } from '../../shared/http/middleware/responses.ts';
import { inSession, routesOf } from '../../shared/http/middleware/routing.ts';
import { notSuspended } from '../../shared/http/middleware/tenant.ts';
import { problemOf } from '../../shared/http/problems.ts';
import { aCaller, authorizerContext } from '../support/caller.ts';
import { aSession, type ChainEvent, chainEvent, RESPONSE, refusal, routedEvent, through } from '../support/chain.ts';
import { lambdaContext } from '../support/lambda-context.ts';

/** Behaviour of single middlewares that no response over HTTP shows. `pipeline.test.ts` tests them together. */

const NOW = Date.parse('2026-11-20T09:30:00.000Z');

const routeWith = (auth: Route['auth'], method: Method = 'POST'): Route =>
  route(method, '/things', {
    summary: 'x',
    auth,
    response: noContent('Done.'),
    ...(auth.startsWith('bearer') ? { permission: 'things:write' } : {}),
  } as Parameters<typeof route>[2]) as Route;

describe('the caller', () => {
  /** The second in which the token expires. */
  const EXPIRY = NOW / 1000 + 3_600;
  const ORG = randomUUID();
  const context = authorizerContext(ORG, { expires_at: String(EXPIRY) });

  interface Sent {
    readonly auth?: Route['auth'];
    readonly said?: object | undefined;
    readonly now?: number;
  }
  const sent = ({ auth = 'bearer', said, now = NOW }: Sent): ChainEvent =>
    routedEvent(routeWith(auth), {
      session: aSession(() => now),
      requestContext: { requestId: 'r-1', authorizer: said, identity: {} } as ChainEvent['requestContext'],
    });
  const callerOf = async (request: Sent) => {
    const event = sent(request);
    await through([authenticated()], event);
    return event.caller;
  };

  it.each<Route['auth']>(['signature', 'none'])('of a %s route is nobody, whatever came along', async (auth) => {
    expect(await callerOf({ auth, said: context })).toBeUndefined();
  });

  it.each([
    ['without an authorizer', undefined],
    ['with one that says nothing', {}],
    ['with one that names nobody', { ...context, integration_id: '' }],
    ['with an expiry that is no number', { ...context, expires_at: 'never' }],
  ])('is unauthorized %s', async (_, said) => {
    expect((await refusal([authenticated()], sent({ said }))).type).toBe('unauthorized');
  });

  it('is not served where the clock is so slow that no token could last so long', async () => {
    expect(await callerOf({ said: context, now: NOW - 60_000 })).toBeDefined();
    const { type, headers } = await refusal([authenticated()], sent({ said: context, now: NOW - 60_001 }));
    expect([type, headers]).toEqual(['unavailable', { 'Retry-After': '2' }]);
  });

  it('has the session of its tenant with AWS opened as soon as it is known, and nobody has', async () => {
    const opened = async (request: Sent): Promise<string[]> => {
      const tenants: string[] = [];
      const event = sent(request);
      const {
        tables: { environment: table },
        clock,
        deadline,
      } = event.session;
      event.session = new RequestSession(table, clock, deadline, (tenant) => {
        tenants.push(tenant);
        return table;
      });
      await through([authenticated()], event).catch(() => undefined);
      return tenants;
    };
    expect(await opened({ said: context })).toEqual([ORG]);
    expect(await opened({ said: { ...context, org_id: '' } })).toEqual(['PLATFORM']);
    for (const request of [{}, { auth: 'bearer-optional' }, { auth: 'none', said: context }] as const)
      expect(await opened(request)).toEqual([]);
  });
});

describe('the session of a request', () => {
  beforeEach(() => {
    vi.stubEnv('TABLE_NAME', 'things');
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    configureTable({});
  });
  const sessionOf = async (remaining: number): Promise<RequestSession> => {
    const event = chainEvent();
    await through([inSession(() => NOW)], event, undefined, lambdaContext(remaining));
    return event.session;
  };

  it.each([
    ['stops in time to answer', 10_000, 8_500],
    ['takes no longer than a caller would wait', 60_000, 18_000],
    ['has no time where the function has none', 1_000, -500],
  ])('%s: of %i ms left it takes %i', async (_, remaining, patience) => {
    const { now, deadline } = await sessionOf(remaining);
    expect([now, deadline - now]).toEqual([NOW, patience]);
  });

  it('needs a table', async () => {
    vi.stubEnv('TABLE_NAME', '');
    await expect(sessionOf(10_000)).rejects.toThrow('TABLE_NAME is not set');
  });
});

describe('the suspension check', () => {
  const asked = () => routedEvent(routeWith('bearer'), { caller: aCaller(randomUUID()), session: aSession() });

  it('is over before a refusal of a later middleware goes out: Lambda stops the function then', async () => {
    const checked = vi.fn<() => void>();
    const event = asked();
    const refusing = {
      before: (): never => {
        event.suspensionCheck.catch(checked);
        throw new Problem('invalid-body');
      },
    };
    expect((await refusal([notSuspended(), refusing], event)).type).toBe('invalid-body');
    expect(checked).toHaveBeenCalledOnce();
  });

  it('lets nobody through when the table does not respond, and does not read it for a platform caller', async () => {
    const event = asked();
    await through([notSuspended()], event);
    await expect(event.suspensionCheck).rejects.toThrow();
    const ofPlatform = routedEvent(routeWith('bearer'), { caller: aCaller(''), session: aSession() });
    await through([notSuspended()], ofPlatform);
    await expect(ofPlatform.suspensionCheck).resolves.toBeUndefined();
  });
});

it('a function without an operation of its contract does not load', () => {
  const things = contract({
    name: 'things',
    tag: 'T',
    description: 'x',
    routes: { getThing: routeWith('none', 'GET') },
  });
  expect(() => routesOf(things, {} as never)).toThrow(new TypeError('things has no operation getThing'));
});

it.each([
  ['of a record that changes all the time', new StaleRead('changed'), 'unavailable'],
  ['of too many matches', new listErrors.TooManyMatches(2_000, ['q']), 'too-many-matches'],
])('an error %s is told in the words of the API', (_, error, type) => {
  expect(problemOf(error).type).toBe(type);
});

describe('a response', () => {
  it('has the id of its own request, also where it was first given to another', async () => {
    const stored = { statusCode: 201, headers: { 'X-Request-Id': 'r-0', 'Cache-Control': 'no-store' }, body: '' };
    const { headers } = await through([responseHeaders()], chainEvent(), async () => stored);
    expect(headers).toMatchObject({ 'X-Request-Id': 'r-1', 'Cache-Control': 'no-store' });
  });

  it('to HEAD has no body, also where it is a problem', async () => {
    const failing = () => Promise.reject(new Problem('not-found'));
    for (const handler of [async () => ({ ...RESPONSE }), failing]) {
      const get = await through([head(), problemDetails()], chainEvent(), handler);
      const response = await through([head(), problemDetails()], chainEvent({ httpMethod: 'HEAD' }), handler);
      expect([get.body === '', response]).toEqual([false, { ...get, body: '' }]);
    }
  });

  const APP = 'https://app.example.com';
  it.each<
    [
      origins: string,
      auth: Route['auth'],
      method: Method,
      origin: string | undefined,
      allowed: string | undefined,
      vary: string,
    ]
  >([
    [`http://localhost:5173,${APP}`, 'bearer', 'GET', APP, APP, 'Accept-Encoding, Origin'],
    [APP, 'bearer', 'GET', `${APP}.evil.example`, undefined, 'Accept-Encoding, Origin'],
    [APP, 'bearer', 'GET', 'null', undefined, 'Accept-Encoding, Origin'],
    [APP, 'bearer', 'GET', undefined, undefined, 'Accept-Encoding, Origin'],
    ['*', 'bearer', 'GET', APP, '*', 'Accept-Encoding'],
    ['', 'none', 'GET', undefined, '*', 'Accept-Encoding'],
    ['', 'none', 'POST', undefined, undefined, 'Accept-Encoding'],
    ['', 'bearer', 'GET', APP, undefined, 'Accept-Encoding'],
    ['*', 'signature', 'POST', APP, undefined, 'Accept-Encoding'],
  ])(
    'where "%s" is allowed, of a %s route, to %s from %s, is for %s',
    async (origins, auth, method, origin, allowed, vary) => {
      vi.stubEnv('CORS_ORIGINS', origins);
      const event = routedEvent(
        routeWith(auth, method),
        origin === undefined ? {} : { multiValueHeaders: { oRIGIN: [origin] } },
      );
      const handler = async () => ({ statusCode: 200, headers: { Vary: 'Accept-Encoding' }, body: '' });
      const { headers } = await through([crossOrigin()], event, handler);
      expect([headers?.['Access-Control-Allow-Origin'], headers?.Vary]).toEqual([allowed, vary]);
    },
  );
});
