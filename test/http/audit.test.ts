import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { configureTable, RequestSession } from '#table';
import type { Credentials } from '#tenancy';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import { recordRefusal } from '../../shared/auth/refusals.ts';
import type { ApiResponse, JsonBody, OrgAccess } from '../support/api.ts';
import { AUDITED } from '../support/audited.ts';
import { storedCredentials } from '../support/credentials.ts';
import { deliver } from '../support/deliver.ts';
import { lookAt } from '../support/effects.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { freshModule } from '../support/fresh-module.ts';
import { prepared } from '../support/prepared.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/** The audit log: who did what (`docs/decisions/0075-audit-events.md`). */

const api = useApi({ report: () => undefined });
const org = prepared(() => api.orgToken());
const testTenant = prepared(() => new TestTenant(api, org));
let platform: string;
beforeAll(async () => {
  platform = await api.platformToken();
});
afterEach(() => vi.useRealTimers());

const PATH = '/api/v1/audit-events';

interface AuditLog {
  readonly data: readonly JsonBody[];
  readonly total: number;
}

const auditLog = async (token = org.token, query = ''): Promise<AuditLog> => {
  const { status, body } = await api.request<AuditLog>('GET', `${PATH}?page_size=200${query}`, { token });
  expect(status).toBe(200);
  return body;
};

/** The events of some work, the oldest first. */
async function leftBy(work: () => Promise<unknown>, token = org.token, query = ''): Promise<readonly JsonBody[]> {
  const before = await auditLog(token, query);
  await work();
  const after = await auditLog(token, query);
  return after.data.slice(0, after.total - before.total).toReversed();
}

/** Fields that events of changes and of refused logins lack. */
const NO_READ = { actor_name: null, attempted_operation: null, reads: null, shown_count: null, shown_ids: null };

const byOrg = () => ({ actor_type: 'integration', actor_id: org.integrationId, actor_app_code: org.appCode });
const requestIdOf = ({ headers }: Pick<ApiResponse, 'headers'>) => headers.get('x-request-id');

/** The areas whose changes are all audited; the list above must contain all their operations. */
const AREAS = ['identity-providers', 'integrations', 'roles', 'users', 'memberships', 'orgs', 'webhook-endpoints'];

it('every operation that changes integrations, roles, users, memberships, organizations and webhook endpoints is here', () => {
  const changing = operations.filter(
    ([, { method, permission = '' }]) => method !== 'GET' && AREAS.some((area) => permission === `${area}:write`),
  );
  // Whose permission only the record tells.
  const others = Object.keys(AUDITED).filter((id) => id !== 'endTrashed');
  expect(changing.map(([id]) => id).toSorted()).toEqual(others.toSorted());
});

describe('what is done', () => {
  const ofRecord = ({ route, path }: Scenario, body: JsonBody | undefined): string => {
    const index = route.path.split('/').indexOf('{id}');
    return index < 0 ? String(body?.id) : (path.split('/')[index] ?? '');
  };

  it.each(Object.entries(AUDITED))(
    '%s leaves one event: who, what, when, from where',
    async (operationId, expected) => {
      const scenario = await testTenant.scenario(operationId);
      const [recordType, fields] = expected;
      const isPlatforms = scenario.token === platform;
      const begun = new Date().toISOString();
      const { total } = await auditLog();
      const response = await testTenant.send(scenario);
      expect((await auditLog()).total - total, 'one event in all').toBe(operationId === 'createOrg' ? 0 : 1);
      const record_id = ofRecord(scenario, response.body);
      const query = `&record_id=${record_id}${isPlatforms ? `&org_id=${record_id}` : ''}`;
      const { data } = await auditLog(scenario.token, query);
      const mine = data.filter(({ request_id }) => request_id === requestIdOf(response));
      expect(mine).toEqual([
        {
          id: expect.any(String),
          occurred_at: expect.any(String),
          operation: operationId,
          ...(isPlatforms
            ? { actor_type: 'integration', actor_id: expect.any(String), actor_app_code: 'platform' }
            : byOrg()),
          record_type: recordType,
          record_id,
          changed_fields: expect.any(Array),
          failures: null,
          ...NO_READ,
          request_id: requestIdOf(response),
          source_address: '127.0.0.1',
        },
      ]);
      const [event = {}] = mine;
      expect((event.changed_fields as string[]).toSorted()).toEqual(fields);
      expect(String(event.occurred_at) >= begun && String(event.occurred_at) <= new Date().toISOString()).toBe(true);
      const one = await api.request('GET', `${PATH}/${event.id}?${query}`.replace(`&record_id=${record_id}`, ''), {
        token: scenario.token ?? '',
      });
      expect(one.body).toEqual(event);
    },
  );

  it('a rotation that ends the tokens too says so', async () => {
    const { route, path, token = '' } = await testTenant.scenario('rotateSecret');
    const [event = {}, ...others] = await leftBy(() =>
      api.request(route.method, path, { token, body: { previous_valid_for: 0 } }),
    );
    expect([event.operation, event.changed_fields, others]).toEqual(['rotateSecret', ['secret', 'tokens'], []]);
  });

  it('by a platform caller is in the audit log of the organization it was done to, not in the platform’s', async () => {
    const own = (await auditLog(platform)).total;
    const body = { org_id: org.orgId, code: `r-${randomUUID()}`, label: 'By the platform' };
    const [event] = await leftBy(() => api.request('POST', '/api/v1/roles', { token: platform, body }));
    expect(event).toMatchObject({ operation: 'createRole', actor_app_code: 'platform' });
    expect(event?.actor_id).not.toBe(org.integrationId);
    expect((await auditLog(platform)).total).toBe(own);
    const role = { org_id: null, code: `r-${randomUUID()}`, label: 'Own' };
    const make = () => api.request('POST', '/api/v1/roles', { token: platform, body: role });
    const [ofPlatform] = await leftBy(make, platform);
    expect(ofPlatform).toMatchObject({ operation: 'createRole', record_type: 'Role' });
  });

  it('by webhook is the sender’s doing, with the delivery’s request id', async () => {
    for (const [operationId, { event, params }] of operations) {
      const [recordType] = AUDITED[operationId] ?? [];
      if (event === undefined || recordType === undefined) continue;
      const { body, path } = await testTenant.scenario(operationId);
      const id = Object.keys(params.shape).length === 0 ? {} : { id: path.split('/')[4] };
      let delivered: ApiResponse | undefined;
      const left = await leftBy(async () => {
        delivered = await deliver(api, org, { event_type: event.type, data: { ...body, ...id } });
      });
      expect(left, event.type).toEqual([
        expect.objectContaining({
          operation: operationId,
          ...byOrg(),
          record_type: recordType,
          request_id: delivered && requestIdOf(delivered),
          source_address: '127.0.0.1',
        }),
      ]);
    }
  });

  it('by a first key is an anonymous caller’s: an organization and an integration', async () => {
    const body = { app_code: `first-${randomUUID()}`, display_name: 'First' };
    const { body: key } = await api.request<Record<string, string>>('POST', '/api/v1/integrations', { body });
    const { data } = await auditLog(await api.login(key.app_code ?? '', key.secret ?? ''));
    const anonymous = { operation: 'createIntegration', actor_type: 'anonymous', actor_id: null, actor_app_code: null };
    expect(data).toHaveLength(2);
    expect(data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...anonymous, record_type: 'Organization', record_id: key.org_id }),
        expect.objectContaining({ ...anonymous, record_type: 'Integration', record_id: key.id }),
      ]),
    );
  });

  it('by the operator’s command line is in the platform’s audit log', async () => {
    let id = '';
    const left = await leftBy(async () => {
      ({ id } = await createPlatformIntegration({ app_code: `ops-${randomUUID()}`, display_name: 'Ops' }));
    }, platform);
    expect(left).toEqual([
      expect.objectContaining({
        operation: 'createPlatformKey',
        actor_type: 'operator',
        actor_id: null,
        record_id: id,
        request_id: null,
        source_address: null,
      }),
    ]);
  });
});

describe('what is not done', () => {
  it('leaves none: refused, without effect, repeated', async () => {
    const patches = Object.keys(AUDITED).filter((id) => id.startsWith('update'));
    for (const operationId of patches) {
      const scenario = await testTenant.scenario(operationId);
      const send = (path: string, body: unknown, headers = {}) =>
        api.request('PATCH', path, { token: org.token, body, headers });
      await testTenant.send(scenario);
      const left = await leftBy(async () => {
        const elsewhere = scenario.path.replace(/[^/]+$/, randomUUID());
        const statuses = [
          await send(scenario.path, scenario.body),
          await send(scenario.path, {}),
          await send(scenario.path, { nonsense: 1 }),
          await send(scenario.path, { name: 'x', status: 'active' }, { 'if-match': '"0.x"' }),
          await send(elsewhere, scenario.body),
        ].map(({ status }) => status);
        expect(statuses.slice(0, 3)).toEqual([200, 200, 422]);
        expect(statuses[4]).toBe(404);
      });
      expect(left, operationId).toEqual([]);
    }
  });

  it('leaves one for a creation that is repeated under its key, and for two at once', async () => {
    const creations = Object.keys(AUDITED).filter((id) => /^(create|rotate)/.test(id) && id !== 'createOrg');
    for (const operationId of creations) {
      const scenario = await testTenant.scenario(operationId);
      const key = { 'idempotency-key': randomUUID() };
      const left = await leftBy(async () => {
        await Promise.all([testTenant.send(scenario, key), testTenant.send(scenario, key)]);
        expect((await testTenant.send(scenario, key)).headers.get('idempotent-replayed')).toBe('true');
      });
      expect(left.map(({ operation }) => operation)).toEqual([operationId]);
    }
  });
});

describe('when the table fails', () => {
  const faulty = new FaultyHandler();
  /** Sends requests under a plan of faults, then none. */
  async function under<T>(plan: FaultyHandler['plan'], work: () => Promise<T>): Promise<T> {
    configureTable({ requestHandler: faulty });
    faulty.follow(plan);
    try {
      return await work();
    } finally {
      configureTable({});
    }
  }

  it.each(['createRole', 'updateUser', 'rotateSecret'])(
    '%s and its event are both there or neither, wherever the process dies',
    async (operationId) => {
      // The hundredth request of an integration would also add to the count of its requests.
      const org = await api.orgToken();
      const testTenant = new TestTenant(api, org);
      await testTenant.send(await testTenant.scenario(operationId));
      const undisturbed = await testTenant.scenario(operationId);
      await under(
        () => undefined,
        () => testTenant.send(undisturbed),
      );
      const calls = [...faulty.calls];
      const died = { before: 0, after: 0 };
      for (const [index, call] of calls.slice(0, calls.lastIndexOf('TransactWriteItems') + 1).entries()) {
        if (/^(Get|Query)/.test(call)) continue;
        for (const fault of ['crash', 'crash-after'] satisfies Fault[]) {
          const scenario = await testTenant.scenario(operationId);
          const before = await lookAt(api, org, scenario);
          await under(
            (call) => (call.index === index ? fault : undefined),
            () => testTenant.send(scenario),
          );
          const after = await lookAt(api, org, scenario);
          expect(after.events - before.events, `${fault} at call ${index}`).toBe(after.count - before.count);
          died[after.count === before.count ? 'before' : 'after'] += 1;
        }
      }
      expect(died).toEqual({ before: expect.any(Number), after: 1 });
    },
  );

  it('a login is refused as ever, though nothing can be written down', async () => {
    const victim = await api.orgToken();
    const { status, calls } = await under(
      ({ operation }) => (operation === 'TransactWriteItems' ? 'throttled' : undefined),
      async () => {
        const { status } = await api.request('POST', '/api/v1/auth/login', {
          body: { app_code: victim.appCode, secret: 'wrong' },
        });
        return { status, calls: faulty.calls };
      },
    );
    expect(status).toBe(401);
    expect(calls).toContain('TransactWriteItems');
    expect((await auditLog(victim.token)).data.map(({ operation }) => operation)).not.toContain('login_refused');
  });
});

it('a rotation that is out of reach takes no number of the audit log', async () => {
  const faulty = new FaultyHandler();
  const permissions = ['integrations:write', 'permissions:read'];
  const body = { app_code: `narrow-${randomUUID()}`, display_name: 'Narrow', permissions };
  const made = await api.request('POST', '/api/v1/integrations', { token: org.token, body });
  const token = await api.login(body.app_code, String(made.body.secret));
  configureTable({ requestHandler: faulty });
  try {
    const path = `/api/v1/integrations/${org.integrationId}/rotate-secret`;
    // The first two leave events of their own.
    for (let count = 0; count < 3; count++) {
      faulty.follow(() => undefined);
      expect((await api.request('POST', path, { token, body: {} })).status).toBe(403);
    }
    expect(faulty.calls).toContain('GetItem');
    // It is counted.
    expect(faulty.calls.filter((call) => /Update|Put|Write/.test(call))).toEqual(['UpdateItem']);
  } finally {
    configureTable({});
  }
});

describe('the audit log', () => {
  const newIntegration = async (fields: JsonBody = {}) => {
    const body = { app_code: `key-${randomUUID()}`, display_name: 'Key', ...fields };
    const { body: made } = await api.request<Record<string, string>>('POST', '/api/v1/integrations', {
      token: org.token,
      body,
    });
    return { id: made.id ?? '', token: await api.login(made.app_code ?? '', made.secret ?? '') };
  };

  it('is filtered by actor, by record, and by both', async () => {
    const key = await newIntegration();
    const { body: user } = await api.request('POST', '/api/v1/users', {
      token: key.token,
      body: { email: `${randomUUID()}@acme.example` },
    });
    const change = (token: string, name: string) =>
      api.request('PATCH', `/api/v1/users/${user.id}`, { token, body: { name } });
    await change(org.token, 'By one');
    await change(key.token, 'By another');
    const said = async (query: string) => {
      const { data, total } = await auditLog(org.token, query);
      expect(total).toBe(data.length);
      return data.map(({ operation, actor_id }) => `${operation} ${actor_id === key.id ? 'key' : 'org'}`);
    };
    expect(await said(`&actor_id=${key.id}`)).toEqual(['updateUser key', 'createUser key']);
    expect(await said(`&record_id=${user.id}`)).toEqual(['updateUser key', 'updateUser org', 'createUser key']);
    expect(await said(`&record_id=${user.id}&actor_id=${org.integrationId}`)).toEqual(['updateUser org']);
    expect(await said(`&record_id=${key.id}`)).toEqual(['createIntegration org']);
    const second = await api.request('GET', `${PATH}?record_id=${user.id}&page=2&page_size=1`, { token: org.token });
    expect(second.body).toMatchObject({ page: 2, page_size: 1, total: 3, data: [{ actor_id: org.integrationId }] });
  });

  it('forgets after 400 days, at the end of a period of thirteen', async () => {
    const { token, appCode, secret } = await api.orgToken();
    const { total } = await auditLog(token);
    expect(total).toBe(2);
    const later = async (days: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
      return auditLog(await api.login(appCode, secret));
    };
    expect((await later(399)).total).toBe(2);
    expect(await later(15)).toMatchObject({ total: 0, data: [] });
  });
});

it.each([
  ['30', 30],
  ['', 400],
  ['0', 400],
  ['a year', 400],
])('AUDIT_RETENTION_DAYS=%s keeps events %i days', async (value, days) => {
  vi.stubEnv('AUDIT_RETENTION_DAYS', value);
  const path = 'shared/table/repository/audit-events.ts';
  const { auditEventEntity } = await freshModule<Pick<typeof import('#table'), 'auditEventEntity'>>(path);
  expect(auditEventEntity.retentionDays).toBe(days);
});

describe('a login that is refused', () => {
  /** No day ends while refusals are counted. */
  const NOW = Date.now();
  const login = (appCode: string, secret: string) =>
    api.request('POST', '/api/v1/auth/login', { body: { app_code: appCode, secret } });

  it('is in the audit log of the integration’s tenant, and says nothing of what was tried', async () => {
    const victim = await api.orgToken();
    const tried = 'what-was-tried-as-a-secret';
    const response = await login(victim.appCode, tried);
    expect(response.status).toBe(401);
    const { data, total } = await auditLog(victim.token, `&record_id=${victim.integrationId}`);
    expect(total).toBe(2);
    expect(data[0]).toEqual({
      id: expect.any(String),
      occurred_at: expect.any(String),
      operation: 'login_refused',
      actor_type: 'anonymous',
      actor_id: null,
      actor_app_code: null,
      record_type: 'Integration',
      record_id: victim.integrationId,
      changed_fields: [],
      failures: 1,
      ...NO_READ,
      request_id: requestIdOf(response),
      source_address: '127.0.0.1',
    });
    expect(JSON.stringify(data)).not.toContain(tried);
  });

  it('is there for an integration that is inactive, and not for a login that succeeds', async () => {
    const { body } = await api.request<Record<string, string>>('POST', '/api/v1/integrations', {
      token: org.token,
      body: { app_code: `off-${randomUUID()}`, display_name: 'Off', status: 'inactive' },
    });
    const left = await leftBy(async () => {
      expect((await login(body.app_code ?? '', body.secret ?? '')).status).toBe(401);
      expect((await login(org.appCode, org.secret)).status).toBe(200);
    });
    expect(left.map(({ operation, record_id }) => [operation, record_id])).toEqual([['login_refused', body.id]]);
  });

  it('with a code that nobody has is in nobody’s audit log', async () => {
    const [ours, platforms] = [(await auditLog()).total, (await auditLog(platform)).total];
    await login(`nobody-${randomUUID()}`, 'wrong');
    expect([(await auditLog()).total, (await auditLog(platform)).total]).toEqual([ours, platforms]);
  });

  it('leaves an event for the 1st, 2nd, 4th, 8th … of a day, wherever they come from', async () => {
    const victim = await api.orgToken();
    const credentials = await credentialsOf(victim);
    // Each from another network, like a botnet.
    for (let count = 0; count < 50; count += 25) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => refuse(credentials, `198.51.100.${count + index}`)));
    }
    const { data, total } = await auditLog(victim.token, `&record_id=${victim.integrationId}`);
    const refusals = data.filter(({ operation }) => operation === 'login_refused');
    expect(total).toBe(refusals.length + 1);
    expect(refusals.map(({ failures }) => Number(failures)).toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8, 16, 32]);
  });

  it('is counted anew the next day', async () => {
    const victim = await api.orgToken();
    const credentials = await credentialsOf(victim);
    for (const days of [0, 0, 0, 1, 1]) await refuse(credentials, '192.0.2.1', days);
    const { data } = await auditLog(victim.token, `&record_id=${victim.integrationId}`);
    expect(data.flatMap(({ failures }) => failures ?? []).toSorted()).toEqual([1, 1, 2, 2]);
  });

  const credentialsOf = async ({ appCode }: OrgAccess): Promise<Credentials> => {
    const credentials = await storedCredentials(appCode);
    if (credentials === undefined) throw new Error('no credentials');
    return credentials;
  };

  /** The login's recording of a refusal, without its waits. */
  const refuse = (credentials: Credentials, sourceAddress: string, inDays = 0) => {
    const session = RequestSession.ofEnvironment(5_000, () => NOW + inDays * 86_400_000);
    session.audit.origin = { actor: { type: 'anonymous' }, operation: 'login', requestId: randomUUID(), sourceAddress };
    return recordRefusal(session, credentials, 'login_refused');
  };
});

describe('a delivery with a wrong signature', () => {
  const refusals = async (token: string) =>
    (await auditLog(token)).data.filter(({ operation }) => operation === 'signature_refused');

  it('is in the audit log of the tenant whose integration was named, one without the form of a signature is not', async () => {
    const victim = await api.orgToken();
    const event = { event_type: 'invoice.paid', data: {} };
    expect((await deliver(api, victim, event, { signature: 'none' })).status).toBe(401);
    expect(await refusals(victim.token)).toEqual([]);
    expect((await deliver(api, victim, event, { signature: '0'.repeat(64) })).status).toBe(401);
    const record = { record_type: 'Integration', record_id: victim.integrationId };
    expect(await refusals(victim.token)).toMatchObject([{ ...record, actor_type: 'anonymous', failures: 1 }]);
  });
});
