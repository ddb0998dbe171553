import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { JsonBody } from '../support/api.ts';
import { AUDITED } from '../support/audited.ts';
import { noonOfToday } from '../support/clock.ts';
import { deliver } from '../support/deliver.ts';
import { INTEGRATIONS, type Key, keyMadeBy, register, rotate } from '../support/keys.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * A refused escalation leaves an audit event (`docs/decisions/0075-audit-events.md`). The gateway caches the
 * authorizer's response for 60 s.
 */

const api = useApi({ firstKey: false });
let owner: Calls;
let orgId: string;
let key: Key;
afterEach(() => void vi.useRealTimers());

/** No day ends meanwhile: neither during a test, nor between two of them, which would end the platform's token. */
const NOON = noonOfToday();
const WRITES = ['integrations:write', 'roles:write', 'users:write', 'memberships:write', 'permissions:read'];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  const org = await api.orgToken();
  orgId = org.orgId;
  owner = callsOf(api, org.token);
  key = await keyMadeBy(api, owner, { permissions: WRITES });
  await key.read('/api/v1/permissions');
});

const refusals = async (): Promise<JsonBody[]> =>
  (await owner.read('/api/v1/audit-events?page_size=200')).data
    .filter(({ operation }) => operation === 'escalation_refused')
    .toReversed();
const tried = async () =>
  (await refusals()).map(({ attempted_operation, failures }) => [attempted_operation, failures]);

it('the privileged operations are those that change integrations, roles, users, memberships and webhook endpoints', () => {
  const privileged = contracts.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([id, route]) => (route.privileged ? [id] : [])),
  );
  const audited = Object.keys(AUDITED).filter((id) => id !== 'createOrg');
  expect(privileged.toSorted()).toEqual(audited.toSorted());
});

describe('an escalation that is refused', () => {
  it('is in the audit log of the key’s tenant: who tried what, from where, and nothing of what was sent', async () => {
    const response = await register(key, { permissions: null, display_name: 'a telling name' });
    expect(response.status).toBe(403);
    const [event, ...others] = await refusals();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      actor_type: 'integration',
      actor_id: key.id,
      actor_app_code: key.appCode,
      actor_name: null,
      record_type: 'Integration',
      record_id: key.id,
      changed_fields: [],
      failures: 1,
      attempted_operation: 'createIntegration',
      request_id: response.headers.get('x-request-id'),
      source_address: '127.0.0.1',
    });
    expect(JSON.stringify(event)).not.toContain('telling');
  });

  it.each<[string, () => Promise<{ readonly status: number }>]>([
    ['createRole', () => key.ask('POST', '/api/v1/roles', { org_id: orgId, code: 'r', label: 'x', is_system: true })],
    ['createUser', () => key.ask('POST', '/api/v1/users', { email: 'a@b.example', name: 'x', is_superadmin: true })],
    ['rotateSecret', () => rotate(key, { path: `${INTEGRATIONS}/${ownerId()}` })],
    ['revokeTokens', () => key.ask('POST', `${INTEGRATIONS}/${ownerId()}/revoke-tokens`)],
    ['updateIntegration', () => key.ask('PATCH', key.path, { permissions: null })],
  ])('is named by its operation: %s', async (operation, attempt) => {
    expect((await attempt()).status).toBe(403);
    expect(await tried()).toEqual([[operation, 1]]);
  });

  /** The integration that the owner calls with, which has all permissions. */
  const ownerId = (): string => JSON.parse(Buffer.from(owner.token.split('.')[1] ?? '', 'base64url').toString()).sub;

  it('is there for want of the route’s permission too, and not where nothing is privileged', async () => {
    const reader = await keyMadeBy(api, owner, { permissions: ['clients:read'] });
    expect((await reader.ask('POST', '/api/v1/clients', { name: 'x' })).status).toBe(403);
    expect((await reader.ask('GET', INTEGRATIONS)).status).toBe(403);
    expect(await refusals()).toEqual([]);
    expect((await register(reader)).status).toBe(403);
    expect(await refusals()).toMatchObject([{ actor_id: reader.id, attempted_operation: 'createIntegration' }]);
  });

  it('is there for the use of a token that has ended, as long as the gateway accepts it', async () => {
    expect((await owner.ask('POST', `${key.path}/revoke-tokens`)).status).toBe(200);
    expect((await rotate(key, key)).status).toBe(401);
    expect((await key.ask('GET', '/api/v1/permissions')).status).toBe(200);
    expect(await tried()).toEqual([['rotateSecret', 1]]);
  });

  it('is there for the sender of a webhook', async () => {
    const data = { email: 'a@b.example', name: 'x', is_superadmin: true };
    expect((await deliver(api, key, { event_type: 'user.created', data })).status).toBe(403);
    const plain = await keyMadeBy(api, owner, { permissions: ['clients:write'] });
    const role = { code: `r-${randomUUID()}`, label: 'x' };
    expect((await deliver(api, plain, { event_type: 'role.created', data: role })).status).toBe(403);
    expect(await tried()).toEqual([
      ['createUser', 1],
      ['createRole', 1],
    ]);
  });

  it('of a platform caller is in the platform’s audit log', async () => {
    const platform = callsOf(api, await api.platformToken());
    const weak = await keyMadeBy(api, platform, { org_id: null, permissions: ['integrations:write', 'clients:read'] });
    expect((await register(weak, { org_id: orgId, permissions: null })).status).toBe(403);
    expect(await refusals()).toEqual([]);
    const { data } = await platform.read(`/api/v1/audit-events?actor_id=${weak.id}`);
    expect(data).toMatchObject([{ operation: 'escalation_refused', record_id: weak.id }]);
  });

  it('floods nothing: the 1st, 2nd, 4th, 8th … of a key and day leave an event', async () => {
    for (let count = 0; count < 20; count++) expect((await register(key, { permissions: null })).status).toBe(403);
    expect((await refusals()).map(({ failures }) => failures)).toEqual([1, 2, 4, 8, 16]);
  });
});
