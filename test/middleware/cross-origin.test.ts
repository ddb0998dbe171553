import { describe, expect, it, vi } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { type Auth, type Method, noContent, type Route, route } from '../../shared/contract/route.ts';
import { crossOrigin } from '../../shared/http/middleware/cross-origin.ts';
import { problemDetails } from '../../shared/http/middleware/problem-details.ts';
import { routedEvent, through } from '../support/chain.ts';

const APP = 'https://app.example.com';
const of = (auth: Auth, method: Method = 'GET'): Route =>
  route(method, '/things', {
    summary: 'x',
    auth,
    response: noContent('Done.'),
    ...(auth === 'bearer' ? { permission: 'things:read' } : {}),
  } as Parameters<typeof route>[2]) as Route;

async function headersOf(
  to: Route,
  origins: string,
  origin?: string,
  response: () => Promise<never> | undefined = () => undefined,
) {
  vi.stubEnv('CORS_ORIGINS', origins);
  const event = routedEvent(to, origin === undefined ? {} : { multiValueHeaders: { oRIGIN: [origin] } });
  const { headers } = await through([crossOrigin(), problemDetails()], event, async () => {
    await response();
    return { statusCode: 200, headers: { Vary: 'Accept-Encoding' }, body: '' };
  });
  return [headers?.['Access-Control-Allow-Origin'], headers?.Vary];
}

describe('an answer', () => {
  it('names the origin that asks, if it is allowed, and always says that it depends on it', async () => {
    const origins = `http://localhost:5173,${APP}`;
    expect(await headersOf(of('bearer'), origins, APP)).toEqual([APP, 'Accept-Encoding, Origin']);
    for (const other of ['https://evil.example', 'null', `${APP}.evil.example`, undefined])
      expect(await headersOf(of('bearer'), origins, other)).toEqual([undefined, 'Accept-Encoding, Origin']);
  });

  it('is for all origins where the stage says so, and where everybody is told the same', async () => {
    expect(await headersOf(of('bearer'), '*', APP)).toEqual(['*', 'Accept-Encoding']);
    for (const origins of ['', APP]) expect(await headersOf(of('none'), origins)).toEqual(['*', 'Accept-Encoding']);
    expect(await headersOf(of('none', 'POST'), '')).toEqual([undefined, 'Accept-Encoding']);
  });

  it('is for no page where the stage allows none, or the callers are servers', async () => {
    expect(await headersOf(of('bearer'), '', APP)).toEqual([undefined, 'Accept-Encoding']);
    expect(await headersOf(of('signature', 'POST'), '*', APP)).toEqual([undefined, 'Accept-Encoding']);
  });

  it('can be read when it is a problem too', async () => {
    const failing = () => Promise.reject(new Problem('not-found'));
    expect(await headersOf(of('bearer'), APP, APP, failing)).toEqual([APP, 'Origin']);
  });
});
