import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { suspendOrganization } from '../../operator/suspending.ts';
import { type Key, keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { signIn } from '../support/user-access.ts';

/** Who may send alerts: integrations, with a token, or with their secret where they may do nothing else. */

const api = useApi({ firstKey: false });
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
const PATH = '/api/v1/alerts/custodia';

beforeEach(() => void vi.useRealTimers());

const sendWith = (authorization: string | undefined, path = PATH) =>
  api.request('POST', path, {
    body: { fingerprint: 'f', status: 'firing' },
    headers: authorization === undefined ? {} : { authorization },
  });
const basic = (id: string, secret: unknown) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const keyWith = (permissions: readonly string[] | null, fields = {}): Promise<Key> =>
  keyMadeBy(api, owner, { permissions, ...fields });
const problemOf = ({ status, body }: Awaited<ReturnType<typeof sendWith>>) => [
  status,
  String(body.type).split(':').at(-1),
];

describe('Basic', () => {
  it('is for a key that may send alerts and nothing else, on these paths alone', async () => {
    const key = await keyWith(['alerts:write']);
    expect((await sendWith(basic(key.appCode, key.secret))).status).toBe(200);
    expect((await sendWith(basic(key.appCode, key.secret).replace('Basic', 'bAsIc'))).status).toBe(200);
    expect(problemOf(await sendWith(basic(key.appCode, key.secret), '/api/v1/tickets'))).toEqual([401, 'unauthorized']);
    for (const permissions of [null, ['alerts:write', 'tickets:read'], ['tickets:read'], []]) {
      const other = await keyWith(permissions);
      expect(problemOf(await sendWith(basic(other.appCode, other.secret)))).toEqual([403, 'forbidden']);
    }
  });

  it('takes a secret as it is, and not as a form has it', async () => {
    const secret = `${randomUUID()}&+%41 /:=${randomUUID()}`;
    const key = await keyWith(['alerts:write'], { secret });
    expect((await sendWith(basic(key.appCode, secret))).status).toBe(200);
    expect((await sendWith(basic(key.appCode, encodeURIComponent(secret)))).status).toBe(401);
  });

  it('is throttled as logins are, with them', async () => {
    const key = await keyWith(['alerts:write']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const wrong: number[] = [];
    for (let turn = 0; turn < 5; turn++) wrong.push((await sendWith(basic(key.appCode, 'wrong'))).status);
    expect(wrong).toEqual([401, 401, 401, 401, 401]);
    const waiting = await sendWith(basic(key.appCode, key.secret));
    expect([...problemOf(waiting), waiting.headers.get('retry-after')]).toEqual([429, 'too-many-requests', '1']);
    const body = { app_code: key.appCode, secret: key.secret };
    expect((await api.request('POST', '/api/v1/auth/login', { body })).status).toBe(429);
  });

  it.each([
    'Basic',
    'Basic !',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    basic('x'.repeat(2_000), 'y'),
    basic('', ''),
  ])('of another form is a 401: %s', async (authorization) => {
    expect((await sendWith(authorization)).status).toBe(401);
  });

  it('of a key that is inactive, or of a suspended organization, is refused', async () => {
    const key = await keyWith(['alerts:write']);
    await owner.ask('PATCH', key.path, { status: 'inactive' });
    expect(problemOf(await sendWith(basic(key.appCode, key.secret)))).toEqual([401, 'invalid-credentials']);
    const other = await api.orgToken();
    const theirs = await keyMadeBy(api, callsOf(api, other.token), { permissions: ['alerts:write'] });
    await suspendOrganization(other.orgId);
    expect(problemOf(await sendWith(basic(theirs.appCode, theirs.secret)))).toEqual([403, 'organization-suspended']);
    expect(problemOf(await sendWith(`Bearer ${other.token}`))).toEqual([403, 'organization-suspended']);
  });
});

describe('a token', () => {
  it('needs the permission', async () => {
    const [sender, other] = [await keyWith(['alerts:write', 'tickets:read']), await keyWith(['tickets:write'])];
    expect((await sendWith(`Bearer ${await api.login(sender.appCode, String(sender.secret))}`)).status).toBe(200);
    const refused = await sendWith(`Bearer ${await api.login(other.appCode, String(other.secret))}`);
    expect([...problemOf(refused), refused.body.detail]).toEqual([
      403,
      'forbidden',
      'This needs the permission alerts:write.',
    ]);
  });

  it('that has ended is refused at once, as the gateway refuses it', async () => {
    const key = await keyWith(['alerts:write']);
    const token = await api.login(key.appCode, String(key.secret));
    expect((await sendWith(`Bearer ${token}`)).status).toBe(200);
    await owner.ask('POST', `${key.path}/revoke-tokens`);
    const ended = await sendWith(`Bearer ${token}`);
    expect(problemOf(ended)).toEqual([401, 'unauthorized']);
    expect(ended.body.detail).toMatch(/^The token has ended/);
    expect(ended.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
  });

  it.each<readonly [string, string | undefined, string]>([
    ['none', undefined, 'Send the header Authorization'],
    ['a text', 'Bearer x', 'The token is not one of this service.'],
    ['a secret', 'Bearer cst_abc', 'The header Authorization has the secret of an integration in place'],
    ['another scheme', 'Digest a=b', 'The header Authorization has another scheme than Bearer.'],
  ])('that is none is a 401: %s', async (_, authorization, detail) => {
    const refused = await sendWith(authorization);
    expect(problemOf(refused)).toEqual([401, 'unauthorized']);
    expect(String(refused.body.detail)).toContain(detail);
  });

  it('of a user, or of the platform, sends none', async () => {
    const user = await signIn(api, org, { permissions: ['alerts:write'] });
    const byUser = await sendWith(`Bearer ${user.token}`);
    expect([...problemOf(byUser), byUser.body.detail]).toEqual([403, 'forbidden', 'Only integrations send alerts.']);
    expect(problemOf(await sendWith(`Bearer ${await api.platformToken()}`))).toEqual([403, 'forbidden']);
  });
});

it('bodies of callers who are not known are not read', async () => {
  const raw = '[['.repeat(100_000);
  const headers = { 'content-type': 'text/plain' };
  expect((await api.request('POST', PATH, { raw, headers })).status).toBe(401);
});
