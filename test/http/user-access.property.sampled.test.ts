import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { environmentTable, type TenantId, tenantPartition } from '#table';
import { membershipEntity, roleEntity, userEntity } from '../../functions/access/store.ts';
import { differencesOf } from '../operator/damaged-tenant.ts';
import type { JsonBody } from '../support/api.ts';
import { itemsIn } from '../support/audit.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { openTenant } from '../support/storage.ts';
import { callsOf, newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * The access item of each user says what the user and its memberships say, whatever happened to these in whatever
 * order, several at a time. No item is left of a user that was deleted.
 */

const api = useApi();
const org = prepared(() => newTenant(api));
const platform = prepared(async () => callsOf(api, await api.platformToken()));

const user = fc.nat(1);
const role = fc.nat(3);
const status = fc.constantFrom('active', 'inactive');
const change = fc.oneof(
  fc.record({ is_active: fc.boolean() }),
  fc.record({ name: fc.constantFrom('Inês', 'Rui', null) }),
  fc.record({ email: fc.nat(999) }),
  fc.record({ phone: fc.constantFrom('1', '2') }),
  fc.record({ is_superadmin: fc.boolean() }),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('join' as const), user, role, client: fc.nat(2), status }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('give role' as const), at: fc.nat(5), role }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('set' as const), at: fc.nat(5), status }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('leave' as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('change' as const), user, change }) },
  fc.record({ does: fc.constant('delete' as const), user }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Company {
  readonly users: string[];
  readonly roles: readonly (string | null)[];
  readonly clients: readonly (string | null)[];
  readonly memberships: string[];
}

async function newCompany(): Promise<Company> {
  const roleOf = async (permissions: readonly string[] | null) =>
    (await org.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions })).id;
  const client = async () => (await org.create('/api/v1/clients', { name: 'x', slug: randomUUID() })).id;
  const person = async () => (await org.create('/api/v1/users', { email: `${randomUUID()}@acme.example` })).id;
  return {
    users: [await person(), await person()],
    roles: [null, await roleOf(null), await roleOf(['tickets:read']), await roleOf(['clients:write', 'users:read'])],
    clients: [null, await client(), await client()],
    memberships: [],
  };
}

const OF = '?org_id=';
const ask = (method: string, path: string, body?: JsonBody) =>
  platform.ask(method, `/api/v1${path}${OF}${org.orgId}`, body);

/** Carries out a step. @returns the status, of which each may be refused by what others do meanwhile */
async function take(company: Company, taken: Step): Promise<number> {
  const { users, roles, clients, memberships } = company;
  const membership = 'at' in taken ? `/memberships/${memberships[taken.at % Math.max(1, memberships.length)]}` : '';
  if ('at' in taken && memberships.length === 0) return 404;
  switch (taken.does) {
    case 'join': {
      const [role_id, client_id] = [roles[taken.role], clients[taken.client]];
      const fields = { user_id: users[taken.user], role_id, client_id, status: taken.status };
      const { status: given, body } = await ask('POST', '/users/memberships', fields);
      if (given === 201) memberships.push(String(body.id));
      return given;
    }
    case 'give role':
      return (await ask('PATCH', membership, { role_id: roles[taken.role] })).status;
    case 'set':
      return (await ask('PATCH', membership, { status: taken.status })).status;
    case 'leave':
      return (await ask('DELETE', membership)).status;
    case 'change': {
      const { email } = taken.change as { readonly email?: number };
      const fields = email === undefined ? taken.change : { email: `${email}-${randomUUID()}@acme.example` };
      return (await ask('PATCH', `/users/${users[taken.user]}`, fields as JsonBody)).status;
    }
    case 'delete':
      return (await ask('DELETE', `/users/${users[taken.user]}`)).status;
  }
}

/** What the items have to say, of the records themselves. */
async function expected(): Promise<ReadonlyMap<string, object>> {
  const tenant = openTenant(environmentTable(), org.orgId);
  const all = async <T>(found: AsyncGenerator<{ readonly record: T }>) =>
    (await Array.fromAsync(found)).map(({ record }) => record);
  const roles = new Map((await all(tenant.records(roleEntity).all())).map(({ id, permissions }) => [id, permissions]));
  const memberships = await all(tenant.records(membershipEntity).all());
  const users = await all(tenant.records(userEntity).all());
  return new Map(
    users.map(({ id, is_active, is_superadmin, name, email }) => {
      const own = memberships.filter((each) => each.user_id === id && each.status === 'active');
      const grants = own.flatMap((each) => {
        const permissions = roles.get(each.role_id ?? '') ?? [];
        return permissions.length === 0 ? [] : [{ membership_id: each.id, permissions, client_id: each.client_id }];
      });
      return [id, { is_active, is_superadmin, name: name ?? email, grants: new Set(grants) }];
    }),
  );
}

async function stored(): Promise<ReadonlyMap<string, object>> {
  const items = await itemsIn(environmentTable(), tenantPartition(org.orgId as TenantId, 'USER_ACCESS'));
  return new Map(
    items.map(({ SK, is_active, is_superadmin, name, grants }) => [
      String(SK),
      { is_active, is_superadmin, name, grants: new Set(grants as readonly object[]) },
    ]),
  );
}

it('what users may do follows their memberships, whatever several do at a time', async () => {
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 6, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const company = await newCompany();
      for (const round of all) {
        const statuses = await Promise.all(round.map((each) => take(company, each)));
        for (const status of statuses) expect([200, 201, 204, 404, 409, 422]).toContain(status);
        expect(await stored()).toEqual(await expected());
      }
      expect(await differencesOf(org.orgId)).toEqual([]);
    }),
    { numRuns: byExtent({ sample: 2, extended: 8, nightly: 100 }) },
  );
});
