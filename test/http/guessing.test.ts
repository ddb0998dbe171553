import { request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { listErrors } from '@custodia/counted-lists';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ThrottledLogin } from '#auth';
import { Problem } from '#contract';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, RequestSession } from '#table';
import { LoginAttempt } from '#tenancy';
import { senderOf } from '../../functions/webhooks/sender.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import { sourceNetwork, waitAfter } from '../../shared/auth/login-throttle.ts';
import { systemClock } from '../../shared/clock.ts';
import type { OrgAccess } from '../support/api.ts';
import { clockAt } from '../support/clock.ts';
import { deliver } from '../support/deliver.ts';
import { FaultyHandler } from '../support/faults.ts';
import { forgetAppCodes } from '../support/other-container.ts';
import { useApi } from '../support/use-api.ts';

/** Guesses of a secret, by failed logins and by wrong signatures, are throttled by app code and network together. */

const faulty = new FaultyHandler();
const CONFIG = { ...localConnection(), requestHandler: faulty };
const api = useApi();
let org: OrgAccess;
beforeAll(() => configureTable(CONFIG));
beforeEach(async () => {
  vi.useRealTimers();
  faulty.follow(() => undefined);
  org = await api.orgToken();
  faulty.follow(() => undefined);
  // The functions' clock stands still; timers are not changed.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});

const EVENT = JSON.stringify({ event_type: 'invoice.paid', data: {} });
const WRONG = '0'.repeat(64);

const login = (app_code: string, secret: string, headers: Readonly<Record<string, string>> = {}) =>
  api.request('POST', '/api/v1/auth/login', { body: { app_code, secret }, headers });
const guess = (to: Pick<OrgAccess, 'appCode' | 'secret'> = org) => deliver(api, to, EVENT, { signature: WRONG });

type Way = (of?: OrgAccess) => ReturnType<typeof login>;
/** Ways to try a secret, with wrong and right ones. */
const WAYS: Readonly<Record<'logins' | 'deliveries', { readonly wrong: Way; readonly right: Way }>> = {
  logins: { wrong: (of = org) => login(of.appCode, 'wrong'), right: (of = org) => login(of.appCode, of.secret) },
  deliveries: { wrong: (of = org) => guess(of), right: (of = org) => deliver(api, of, EVENT) },
};

const fail = async (wrong: () => ReturnType<typeof login>, times: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let turn = 0; turn < times; turn++) statuses.push((await wrong()).status);
  return statuses;
};
const FIVE = [401, 401, 401, 401, 401];

const forward = (seconds: number): void => {
  vi.setSystemTime(Date.now() + seconds * 1000);
};

/** A delivery from another address of this machine, with its status alone. */
const deliverFrom = (localAddress: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Event-ID': 'elsewhere',
      'X-Signature': sign(EVENT, org.secret),
    };
    request(`${api.url}/api/v1/webhooks/${org.appCode}`, { method: 'POST', localAddress, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(EVENT);
  });

// This test is first, because requests of the last tests below may still be under way and would be counted here.
describe('what a delivery asks of the table before it is trusted', () => {
  it('is nothing where its signature has not the form of one', async () => {
    for (const signature of ['', 'nonsense', '0'.repeat(63), `${WRONG}, ${WRONG}`]) {
      expect((await deliver(api, org, EVENT, { signature })).status).toBe(401);
    }
    expect(faulty.calls).toEqual([]);
    expect((await deliver(api, org, EVENT)).status).toBe(200);
  });

  it('is three reads, one more where the container does not know the app code, and nothing is written of its signature', async () => {
    const invalid = async () => (await deliver(api, org, EVENT, { headers: { 'x-event-id': ' ' } })).status;
    await deliver(api, org, EVENT);
    faulty.follow(() => undefined);
    expect(await invalid()).toBe(400);
    expect(faulty.calls).toEqual(['GetItem', 'GetItem', 'GetItem']);
    await forgetAppCodes();
    faulty.follow(() => undefined);
    expect(await invalid()).toBe(400);
    expect(faulty.calls).toEqual(['GetItem', 'GetItem', 'GetItem', 'GetItem']);
  });
});

describe.each(Object.entries(WAYS))('guessing by %s', (name, { wrong, right }) => {
  it('is slowed after a few failures, the right secret with them', async () => {
    expect(await fail(wrong, 5)).toEqual(FIVE);
    const refused = await right();
    expect([refused.status, refused.body.type]).toEqual([429, 'urn:problem-type:custodia:too-many-requests']);
    expect(refused.headers.get('retry-after')).toBe('1');
    forward(1);
    expect((await right()).status).toBe(200);
  });

  it('takes longer with every failure, and is forgotten by a success', async () => {
    await fail(wrong, 5);
    for (const seconds of [1, 2, 4]) {
      const refused = await wrong();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(seconds)]);
      forward(seconds);
      expect((await wrong()).status).toBe(401);
    }
    forward(8);
    expect((await right()).status).toBe(200);
    expect(await fail(wrong, 5)).toEqual(FIVE);
  });

  it('shuts out nobody else: no other integration, no other network, nobody who comes the other way', async () => {
    await fail(wrong, 6);
    expect((await right()).status).toBe(429);
    expect((await right(await api.orgToken())).status).toBe(200);
    const other = name === 'logins' ? WAYS.deliveries : WAYS.logins;
    expect((await other.right()).status).toBe(200);
    if (name === 'deliveries') expect(await deliverFrom('127.0.0.2')).toBe(200);
  });

  it('is counted also where guesses come at the same time', async () => {
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => wrong()))).map(({ status }) => status);
    expect(new Set(statuses)).not.toContain(200);
    expect((await right()).status).toBe(429);
  });
});

describe('a failed login', () => {
  it('is slowed by the address that the gateway saw, whatever a header says', async () => {
    for (let turn = 1; turn <= 6; turn++) {
      const address = `192.0.2.${turn}`;
      const headers = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
      const { status } = await login(org.appCode, 'wrong', headers);
      expect(status).toBe(turn <= 5 ? 401 : 429);
    }
  });

  it('responds identically to an unknown code', async () => {
    const nobody = `nobody-${org.appCode}`;
    expect(await fail(() => login(nobody, 'wrong'), 6)).toEqual(await fail(() => login(org.appCode, 'wrong'), 6));
    const [known, unknown] = [await login(org.appCode, 'wrong'), await login(nobody, 'wrong')];
    expect({ ...unknown.body, request_id: '' }).toEqual({ ...known.body, request_id: '' });
  });

  it('is refused 200 ms after it began at the earliest: a wrong secret, a code that nobody has, and during a wait', async () => {
    const waits = vi.spyOn(timers, 'setTimeout');
    syncBuiltinESMExports();
    onTestFinished(() => {
      waits.mockRestore();
      syncBuiltinESMExports();
      configureTable(CONFIG);
    });
    const took = async (appCode: string): Promise<number> => {
      const began = Date.now();
      waits.mockClear();
      expect((await login(appCode, 'wrong')).status).not.toBe(200);
      return Date.now() - began + Number(waits.mock.calls.at(-1)?.[0]);
    };
    // Each read takes 5 ms, and a code that the container knows takes fewer.
    const slow = new FaultyHandler();
    slow.follow(({ operation }) => {
      if (operation === 'GetItem') vi.setSystemTime(Date.now() + 5);
      return undefined;
    });
    configureTable({ requestHandler: slow });
    await login(org.appCode, org.secret);
    for (const appCode of [org.appCode, `nobody-${org.appCode}`]) {
      for (let turn = 1; turn <= 6; turn++) expect(await took(appCode), `${appCode} ${turn}`).toBe(200);
    }
    await forgetAppCodes();
    expect(await took(org.appCode)).toBe(200);
  });

  it('writes nothing where a login succeeds at first', async () => {
    const before = await guesses();
    expect((await login(org.appCode, org.secret)).status).toBe(200);
    expect(await guesses()).toEqual(before);
  });

  it('leaves neither the code nor the address in the table', async () => {
    await fail(() => login('secret-looking-code', 'wrong'), 1);
    expect(JSON.stringify(await guesses())).not.toMatch(/secret-looking-code|127\.0\.0\.1/);
  });
});

describe('a wrong signature', () => {
  it('for an app code that nobody has are a 404, however many', async () => {
    const nobody = { ...org, appCode: `nobody-${org.appCode}` };
    for (let turn = 0; turn < 8; turn++) expect((await guess(nobody)).status).toBe(404);
    expect(faulty.calls.filter((call) => call !== 'GetItem')).toEqual([]);
  });

  it('are refused while they cannot be counted', async () => {
    vi.useRealTimers();
    const session = new RequestSession(environmentTable(), systemClock, Date.now() + 500);
    const headers = new Map([['x-signature', WRONG]]);
    const sent = { headers, repeated: new Set<string>(), bytes: Buffer.from(EVENT) };
    const delivery = { ...sent, sourceAddress: '192.0.2.1', baseUrl: api.url };
    faulty.follow(({ operation }) => (operation === 'UpdateItem' ? 'throttled' : undefined));
    await expect(senderOf(session, org.appCode, delivery)).rejects.toThrow(listErrors.TableUnavailable);
  });
});

describe('a right signature', () => {
  it('is charged to its sender also where that is inactive', async () => {
    const path = `/api/v1/integrations/${org.integrationId}?org_id=${org.orgId}`;
    const { status } = await api.request('PATCH', path, {
      token: await api.platformToken(),
      body: { status: 'inactive' },
    });
    const responses = [await deliver(api, org, EVENT), await deliver(api, org, EVENT)];
    expect([status, ...responses.map((response) => response.status)]).toEqual([200, 403, 403]);
    expect(responses.map(({ headers }) => headers.get('ratelimit'))).toEqual(
      responses.map(() => expect.stringMatching(/^"default";r=\d+;t=\d+$/)),
    );
  });
});

describe('the count of failures', () => {
  const guessAt = (time?: number, appCode = 'acme') =>
    new LoginAttempt(newSession(time), { kind: 'login', appCode, network: '192.0.2.7' });

  it('lets a request go on that began before the first failures, and reads them', async () => {
    const start = Date.now();
    const begin = () => ThrottledLogin.begin(newSession(start), 'login', 'beside', '192.0.2.7');
    for (let failures = 1; failures <= 5; failures++) {
      await guessAt(start + 400, 'beside').countFailure();
      const attempt = await begin();
      if (failures < 5) attempt.requireNoWait();
      else expect(() => attempt.requireNoWait()).toThrow(Problem);
    }
  });

  it('begins anew once it has expired, though the item is still there', async () => {
    const start = Date.now();
    for (const at of [0, 1]) await guessAt(start + at).countFailure();
    expect(await guessAt(start + 2).failures()).toEqual({ count: 2, lastAt: start + 1 });
    const later = start + 3_602_000;
    expect((await guessAt(later).failures()).count).toBe(0);
    await Promise.all([later, later + 1].map((at) => guessAt(at).countFailure()));
    expect((await guessAt(later + 2).failures()).count).toBe(2);
  });

  it('is forgotten where there is none, too', async () => {
    const other = guessAt(undefined, 'other');
    await other.forgetFailures();
    expect((await other.failures()).count).toBe(0);
  });
});

it('a wait doubles up to a quarter of an hour', () => {
  expect([0, 4, 5, 6, 7, 14, 15, 1_000_000].map(waitAfter)).toEqual([0, 0, 1, 2, 4, 512, 900, 900]);
});

it('the network of an address is all of IPv4, and of IPv6 what one customer has', () => {
  const networks = {
    '192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::1': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::ffff:192.0.2.1': '192.0.2.1',
    '::FFFF:c000:201': '192.0.2.1',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    '': '',
  };
  const found = Object.keys(networks).map((address) => [address, sourceNetwork(address)]);
  expect(Object.fromEntries(found)).toEqual(networks);
});

const newSession = (now = Date.now()) => new RequestSession(environmentTable(), clockAt(now), now + 5_000);

/** All items about failed logins. */
const guesses = async () =>
  (await api.table.client.send(new ScanCommand({ TableName: api.table.tableName }))).Items?.filter(({ PK }) =>
    PK?.S?.startsWith('LOGIN_FAILURE#'),
  );
