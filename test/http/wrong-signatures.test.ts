import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { senderOf } from '../../functions/webhooks/sender.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { systemClock } from '../../shared/clock.ts';
import { configureTable, environmentTable } from '../../shared/table/connection/client.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { Session } from '../../shared/table/session.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { FaultyHandler } from '../support/faults.ts';
import { forgetAppCodes } from '../support/other-container.ts';

/** Wrong signatures are guesses at a secret: slowed by app code and network together, like failed logins. */

const faulty = new FaultyHandler();
let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
  configureTable({ region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, requestHandler: faulty });
});
afterAll(async () => {
  vi.useRealTimers();
  await api.close();
});
beforeEach(async () => {
  vi.useRealTimers();
  faulty.follow(() => undefined);
  org = await api.orgToken();
  faulty.follow(() => undefined);
  // The clock of the functions stands still; nothing that waits is touched.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});

const EVENT = JSON.stringify({ event_type: 'invoice.paid', data: {} });
const WRONG = '0'.repeat(64);

const guess = (to: Pick<OrgAccess, 'appCode' | 'secret'> = org) => deliver(api, to, EVENT, { signature: WRONG });
const fail = async (times: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let turn = 0; turn < times; turn++) statuses.push((await guess()).status);
  return statuses;
};
const login = (secret: string) =>
  api.request('POST', '/api/v1/auth/login', { body: { app_code: org.appCode, secret } });
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

// First: what the last tests below leave under way would be counted here.
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

describe('wrong signatures', () => {
  it('have to wait after a few, and the right one with them', async () => {
    expect(await fail(5)).toEqual([401, 401, 401, 401, 401]);
    const refused = await deliver(api, org, EVENT);
    expect([refused.status, refused.body.type, refused.body.detail]).toEqual([
      429,
      'urn:problem-type:custodia:too-many-requests',
      'Too many wrong signatures with this app code from this address.',
    ]);
    expect(refused.headers.get('retry-after')).toBe('1');
    forward(1);
    expect((await deliver(api, org, EVENT)).status).toBe(200);
  });

  it('wait longer each time, and are forgotten by a right one', async () => {
    await fail(5);
    for (const seconds of [1, 2, 4]) {
      expect((await guess()).headers.get('retry-after')).toBe(String(seconds));
      forward(seconds);
      expect((await guess()).status).toBe(401);
    }
    forward(8);
    expect((await deliver(api, org, EVENT)).status).toBe(200);
    expect(await fail(5)).toEqual([401, 401, 401, 401, 401]);
  });

  it('shut out nobody else: no other network, no other integration, no login', async () => {
    await fail(6);
    expect((await deliver(api, org, EVENT)).status).toBe(429);
    expect(await deliverFrom('127.0.0.2')).toBe(200);
    const other = await api.orgToken();
    expect((await deliver(api, other, EVENT)).status).toBe(200);
    expect((await login(org.secret)).status).toBe(200);
  });

  it('are no matter of failed logins', async () => {
    for (let turn = 0; turn < 6; turn++) await login('wrong');
    expect((await login(org.secret)).status).toBe(429);
    expect((await deliver(api, org, EVENT)).status).toBe(200);
  });

  it('count when they come at the same time', async () => {
    await Promise.all(Array.from({ length: 12 }, () => guess()));
    expect((await deliver(api, org, EVENT)).status).toBe(429);
  });

  it('for an app code that nobody has are a 404, however many', async () => {
    const nobody = { ...org, appCode: `nobody-${org.appCode}` };
    for (let turn = 0; turn < 8; turn++) expect((await guess(nobody)).status).toBe(404);
    expect(faulty.calls.filter((call) => call !== 'GetItem')).toEqual([]);
  });

  it('are not answered while they cannot be counted', async () => {
    vi.useRealTimers();
    const session = new Session(environmentTable(), systemClock, Date.now() + 500);
    const headers = new Map([['x-signature', WRONG]]);
    const delivery = { headers, repeated: new Set<string>(), bytes: Buffer.from(EVENT), sourceAddress: '192.0.2.1' };
    faulty.follow(({ operation }) => (operation === 'UpdateItem' ? 'throttled' : undefined));
    await expect(senderOf(session, org.appCode, delivery)).rejects.toThrow(TableUnavailable);
  });
});

describe('a delivery with a right signature', () => {
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
