import { expect, it } from 'vitest';
import type { Credentials } from '../../packages/client/src/index.ts';
import { fakeClient, INTEGRATION, json, type Reply, refusal } from './fake.ts';

/** How `@custodia/client` gets the token of a request. */

const LOGIN = '/stage/api/v1/auth/login';
const params = { path: { id: 'some-id' } };
const grant = (login: number): Response => json({ access_token: `token-${login}`, expires_in: 3600 });

interface Given {
  /** The response to each login; by default `token-1`, `token-2` …, each good for an hour. */
  readonly logIn?: (login: number) => Response | Promise<Response>;
  readonly refused?: readonly string[];
  readonly credentials?: Credentials;
}

/** A client of an API that responds to every request with the token of that request. */
function clientWith({ logIn = grant, refused = [], credentials = INTEGRATION }: Given = {}) {
  let count = 0;
  const reply: Reply = ({ target, headers }) => {
    if (target === LOGIN) return logIn(++count);
    const token = headers.get('authorization')?.replace('Bearer ', '') ?? '';
    return refused.includes(token) ? refusal('unauthorized', 401) : json({ token });
  };
  const fake = fakeClient(reply, { credentials });
  const token = async (signal?: AbortSignal): Promise<unknown> => {
    const { data } = await fake.custodia.GET('/api/v1/tickets/{id}', { params, ...(signal && { signal }) });
    return (data as unknown as { token: string }).token;
  };
  return { ...fake, token, logins: () => count };
}

it('comes from one login for all who ask at once, which has app code and secret and no token', async () => {
  const { sent, token } = clientWith();
  expect(await Promise.all([token(), token(), token()])).toEqual(Array(3).fill('token-1'));
  const [login, ...others] = sent.filter(({ method }) => method === 'POST');
  expect([others, login?.target, login?.headers.has('authorization')]).toEqual([[], LOGIN, false]);
  expect(JSON.parse(login?.body ?? '')).toEqual({ app_code: INTEGRATION.appCode, secret: INTEGRATION.secret });
});

it('is renewed a minute before it ends, and used until the next one is there', async () => {
  const renewal = Promise.withResolvers<void>();
  const { token, pass, logins } = clientWith({
    logIn: (login) => (login === 1 ? grant(1) : renewal.promise.then(() => grant(login))),
  });
  await token();
  pass(3539);
  expect([await token(), logins()]).toEqual(['token-1', 1]);
  pass(1);
  // The login hangs, and nobody waits for it.
  expect([await token(), await token(), logins()]).toEqual(['token-1', 'token-1', 2]);
  pass(60);
  const waiting = token();
  renewal.resolve();
  expect(await waiting).toBe('token-2');
});

it('is used to its end when it cannot be renewed, and no longer', async () => {
  const { token, pass } = clientWith({ logIn: (login) => (login === 1 ? grant(1) : refusal('unavailable', 503)) });
  await token();
  pass(3550);
  expect(await token()).toBe('token-1');
  pass(50);
  await expect(token()).rejects.toMatchObject({ status: 503 });
});

it.each<[string, Given, unknown, number]>([
  ['is replaced when it is refused', { refused: ['token-1'] }, 'token-2', 4],
  ['is replaced once for a request', { refused: ['token-1', 'token-2', 'token-3'] }, 401, 4],
  ['is not asked for again when the login is refused', { logIn: () => refusal('unauthorized', 401) }, 401, 1],
  ['of the caller is not replaced', { refused: ['mine'], credentials: { token: 'mine' } }, 401, 1],
])('%s', async (_, given, expected, requests) => {
  const { sent, token } = clientWith(given);
  expect(await token().catch(({ status }: { status: number }) => status)).toBe(expected);
  expect(sent).toHaveLength(requests);
});

it('of a function is asked for once more when it is refused', async () => {
  const tokens = ['old', 'new'];
  const { token } = clientWith({ refused: ['old'], credentials: { token: () => tokens.shift() ?? '' } });
  expect(await token()).toBe('new');
});

it('is still there for the others when one caller no longer waits for its login', async () => {
  const login = Promise.withResolvers<Response>();
  const { sent, token } = clientWith({ logIn: () => login.promise });
  const controller = new AbortController();
  const [patient, impatient] = [token(), token(controller.signal)];
  controller.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  login.resolve(grant(1));
  expect([await patient, sent.length]).toEqual(['token-1', 2]);
});

it('of a function is waited for until the signal ends it, and not asked for after that', async () => {
  let calls = 0;
  const credentials = {
    token: () => {
      calls += 1;
      return new Promise<string>(() => undefined);
    },
  };
  const { sent, token } = clientWith({ credentials });
  const controller = new AbortController();
  const waiting = token(controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(token(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect([sent, calls]).toEqual([[], 1]);
});

it('is not sent where none is needed', async () => {
  const { custodia, sent } = clientWith();
  const body = { event_type: 'invoice.paid', data: {} };
  const header = { 'X-Signature': 'ab', 'X-Event-ID': 'evt-1' };
  await custodia.GET('/.well-known/jwks.json');
  await custodia.POST('/api/v1/auth/login', { body: { app_code: 'other', secret: 'theirs' } });
  await custodia.POST('/api/v1/webhooks/{app_code}', { params: { path: { app_code: 'acme' }, header }, body });
  const paths = ['/.well-known/jwks.json', '/api/v1/auth/login', '/api/v1/webhooks/acme'];
  expect(sent.map(({ target, headers }) => [target, headers.has('authorization')])).toEqual(
    paths.map((path) => [`/stage${path}`, false]),
  );
});
