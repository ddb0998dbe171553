import { describe, expect, it } from 'vitest';
import { type Auth, noContent, type Route, route } from '../../shared/contract/route.ts';
import { authenticated } from '../../shared/http/middleware/authenticated.ts';
import { Session } from '../../shared/table/session.ts';
import { authorizerContext } from '../support/caller.ts';
import { aSession, type ChainEvent, refusal, routedEvent, through } from '../support/chain.ts';

const ORG = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
/** The second in which a token expires, in epoch seconds. */
const EXPIRY = 1_800_000_000;

function routeWith(auth: Auth): Route {
  const options = { summary: 'x', response: noContent('Done.') };
  return auth.startsWith('bearer')
    ? route('POST', '/things', { ...options, auth, permission: 'things:write' })
    : route('POST', '/things', { ...options, auth });
}

interface Sent {
  readonly auth?: Auth;
  readonly context?: object | undefined;
  /** Epoch milliseconds. */
  readonly now?: number;
  readonly sourceIp?: string;
}

const sent = ({ auth = 'bearer', context, now = EXPIRY * 1000 - 1, sourceIp = '192.0.2.1' }: Sent): ChainEvent =>
  routedEvent(routeWith(auth), {
    session: aSession(() => now),
    requestContext: { requestId: 'r-1', authorizer: context, identity: { sourceIp } } as ChainEvent['requestContext'],
  });

const authenticate = async (request: Sent): Promise<ChainEvent> => {
  const event = sent(request);
  await through([authenticated()], event);
  return event;
};

const context = authorizerContext(ORG, {
  integration_id: 'i-7',
  app_code: 'acme',
  expires_at: String(EXPIRY),
  permissions: 'things:read things:write',
  rate_limit: '5',
});

describe('the caller', () => {
  it.each<Auth>(['bearer', 'bearer-optional'])('of a %s route is whom the authorizer names', async (auth) => {
    const { caller } = await authenticate({ auth, context });
    expect(caller).toMatchObject({
      integrationId: 'i-7',
      appCode: 'acme',
      orgId: ORG,
      proof: 'token',
      expiresAt: EXPIRY,
      permissions: new Set(['things:read', 'things:write']),
      rateLimit: 5,
    });
  });

  it.each<Auth>(['signature', 'none'])('of a %s route is nobody, whatever came along', async (auth) => {
    expect((await authenticate({ auth, context })).caller).toBeUndefined();
  });

  it('of a bearer-optional route may be nobody', async () => {
    expect((await authenticate({ auth: 'bearer-optional' })).caller).toBeUndefined();
  });
});

describe('a request is refused', () => {
  it.each([
    ['without an authorizer', undefined],
    ['with one that says nothing', {}],
    ['with one that names nobody', { ...context, integration_id: '' }],
    ['with an expiry that is no number', { ...context, expires_at: 'never' }],
  ])('%s', async (_, said) => {
    const { type, headers } = await refusal([authenticated()], sent({ context: said }));
    expect([type, headers]).toEqual(['unauthorized', { 'WWW-Authenticate': 'Bearer realm="custodia"' }]);
  });

  it.each<Auth>(['bearer', 'bearer-optional'])(
    'on a %s route from the second on in which the token expires',
    async (auth) => {
      const { type, headers, detail } = await refusal([authenticated()], sent({ auth, context, now: EXPIRY * 1000 }));
      expect([type, headers, detail]).toEqual([
        'unauthorized',
        {
          'WWW-Authenticate':
            'Bearer realm="custodia", error="invalid_token", error_description="The token has expired"',
        },
        'The token has expired.',
      ]);
    },
  );
});

it('is not served where the clock is so slow that no token could last so long', async () => {
  const issued = (EXPIRY - 3_600) * 1000;
  expect((await authenticate({ context, now: issued - 60_000 })).caller).toBeDefined();
  const { type, headers } = await refusal([authenticated()], sent({ context, now: issued - 60_001 }));
  expect([type, headers]).toEqual(['unavailable', { 'Retry-After': '2' }]);
});

describe('the session knows', () => {
  it('who asks for what, and from where', async () => {
    expect((await authenticate({ context })).session.origin).toEqual({
      actor: { type: 'integration', integrationId: 'i-7', appCode: 'acme' },
      operation: 'anOperation',
      requestId: 'r-1',
      sourceAddress: '192.0.2.1',
    });
  });

  it('that nobody is known to ask', async () => {
    expect((await authenticate({ auth: 'none', sourceIp: '' })).session.origin).toMatchObject({
      actor: { type: 'anonymous' },
      sourceAddress: null,
    });
  });
});

describe('the tenant’s session with AWS', () => {
  const opened = async (request: Sent): Promise<string[]> => {
    const tenants: string[] = [];
    const event = sent(request);
    event.session = new Session(event.session.table, event.session.clock, event.session.deadline, (tenant) => {
      tenants.push(tenant);
      return event.session.table;
    });
    await through([authenticated()], event).catch(() => undefined);
    return tenants;
  };

  it('is opened as soon as the caller is known, before anything else of the request', async () => {
    expect(await opened({ context })).toEqual([ORG]);
    expect(await opened({ context: { ...context, org_id: '' } })).toEqual(['PLATFORM']);
  });

  it('is not opened for nobody', async () => {
    expect(await opened({})).toEqual([]);
    expect(await opened({ auth: 'bearer-optional' })).toEqual([]);
    expect(await opened({ auth: 'none', context })).toEqual([]);
  });
});
