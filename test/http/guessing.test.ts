import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { waitAfter } from '../../shared/auth/login-throttle.ts';
import { sourceNetwork } from '../../shared/auth/source-network.ts';
import { configureTable, environmentTable } from '../../shared/table/connection/client.ts';
import { Session } from '../../shared/table/session.ts';
import {
  countFailedLogin,
  forgetFailedLogins,
  type LoginAttempt,
  readFailedLogins,
} from '../../shared/table/system/failed-logins.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { clockAt } from '../support/clock.ts';
import { FaultyHandler } from '../support/faults.ts';
import { forgetAppCodes } from '../support/other-container.ts';

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  vi.useRealTimers();
  await api.close();
});
beforeEach(async () => {
  vi.useRealTimers();
  org = await api.orgToken();
  // The clock of the functions stands still; nothing that waits is touched.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});

const login = (app_code: string, secret: string, headers: Readonly<Record<string, string>> = {}) =>
  api.request('POST', '/api/v1/auth/login', { body: { app_code, secret }, headers });

const fail = async (appCode: string, times: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let turn = 0; turn < times; turn++) statuses.push((await login(appCode, 'wrong')).status);
  return statuses;
};

const forward = (seconds: number): void => {
  vi.setSystemTime(Date.now() + seconds * 1000);
};

describe('guessing a secret', () => {
  it('is slowed after a few failures, for the right secret too', async () => {
    expect(await fail(org.appCode, 5)).toEqual([401, 401, 401, 401, 401]);
    const refused = await login(org.appCode, org.secret);
    expect([refused.status, refused.body.type]).toEqual([429, 'urn:problem-type:custodia:too-many-requests']);
    expect(refused.headers.get('retry-after')).toBe('1');
    forward(1);
    expect((await login(org.appCode, org.secret)).status).toBe(200);
  });

  it('is slowed by the address that the gateway saw, whatever a header says', async () => {
    for (let turn = 1; turn <= 6; turn++) {
      const address = `192.0.2.${turn}`;
      const headers = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
      const { status } = await login(org.appCode, 'wrong', headers);
      expect(status).toBe(turn <= 5 ? 401 : 429);
    }
  });

  it('takes longer with every failure, and is forgotten by a success', async () => {
    await fail(org.appCode, 5);
    for (const seconds of [1, 2, 4]) {
      const refused = await login(org.appCode, 'wrong');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(seconds)]);
      forward(seconds);
      expect((await login(org.appCode, 'wrong')).status).toBe(401);
    }
    forward(8);
    expect((await login(org.appCode, org.secret)).status).toBe(200);
    expect(await fail(org.appCode, 5)).toEqual([401, 401, 401, 401, 401]);
  });

  it('answers a code that nobody has to the letter alike', async () => {
    const nobody = `nobody-${org.appCode}`;
    expect(await fail(nobody, 6)).toEqual(await fail(org.appCode, 6));
    const [known, unknown] = [await login(org.appCode, 'wrong'), await login(nobody, 'wrong')];
    expect({ ...unknown.body, request_id: '' }).toEqual({ ...known.body, request_id: '' });
  });

  it('is refused 200 ms after it began at the earliest: a wrong secret, a code that nobody has, and during a wait', async () => {
    const waits = vi.spyOn(timers, 'setTimeout');
    syncBuiltinESMExports();
    onTestFinished(() => {
      waits.mockRestore();
      syncBuiltinESMExports();
      configureTable({});
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

  it('shuts out neither another integration nor the same one elsewhere', async () => {
    await fail(org.appCode, 6);
    const other = await api.orgToken();
    expect((await login(other.appCode, other.secret)).status).toBe(200);
    const session = newSession();
    expect((await readFailedLogins(session, { kind: 'login', appCode: org.appCode, network: '127.0.0.1' })).count).toBe(
      5,
    );
    expect((await readFailedLogins(session, { kind: 'login', appCode: org.appCode, network: '192.0.2.1' })).count).toBe(
      0,
    );
  });

  it('counts guesses made at the same time', async () => {
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => login(org.appCode, 'wrong')))).map(
      ({ status }) => status,
    );
    expect(new Set(statuses)).not.toContain(200);
    const counted = statuses.filter((status) => status === 401).length;
    const session = newSession();
    expect((await readFailedLogins(session, { kind: 'login', appCode: org.appCode, network: '127.0.0.1' })).count).toBe(
      counted,
    );
    expect((await login(org.appCode, org.secret)).status).toBe(429);
  });

  it('writes nothing where a login succeeds at first', async () => {
    const before = await guesses();
    expect((await login(org.appCode, org.secret)).status).toBe(200);
    expect(await guesses()).toEqual(before);
  });

  it('leaves neither the code nor the address in the table', async () => {
    await fail('secret-looking-code', 1);
    expect(JSON.stringify(await guesses())).not.toMatch(/secret-looking-code|127\.0\.0\.1/);
  });
});

describe('the count of failures', () => {
  const guess: LoginAttempt = { kind: 'login', appCode: 'acme', network: '192.0.2.7' };

  it('begins anew once it has expired, though the item is still there', async () => {
    const start = Date.now();
    for (const at of [0, 1]) await countFailedLogin(newSession(start + at), guess, 60);
    expect(await readFailedLogins(newSession(start + 2), guess)).toEqual({ count: 2, lastAt: start + 1 });
    const later = start + 62_000;
    expect((await readFailedLogins(newSession(later), guess)).count).toBe(0);
    await Promise.all([later, later + 1].map((at) => countFailedLogin(newSession(at), guess, 60)));
    expect((await readFailedLogins(newSession(later + 2), guess)).count).toBe(2);
  });

  it('is forgotten where there is none, too', async () => {
    const other = { ...guess, appCode: 'other' };
    await forgetFailedLogins(newSession(), other);
    expect((await readFailedLogins(newSession(), other)).count).toBe(0);
  });
});

it('a wait doubles up to a quarter of an hour', () => {
  expect([0, 4, 5, 6, 7, 14, 15, 1_000_000].map(waitAfter)).toEqual([0, 0, 1, 2, 4, 512, 900, 900]);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(sourceNetwork(address)).toBe(network);
});

const newSession = (now = Date.now()) => new Session(environmentTable(), clockAt(now), now + 5_000);

/** All items about failed logins. */
const guesses = async () =>
  (await api.table.client.send(new ScanCommand({ TableName: api.table.tableName }))).Items?.filter(({ PK }) =>
    PK?.S?.startsWith('LOGIN_FAILURE#'),
  );
