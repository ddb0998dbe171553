import type { Caller } from '#identity';
import type { Stored, Tenant } from '#table';
import type { User } from '../access/contract.ts';
import { identitiesOf } from '../access/identities.ts';
import { identityEntity, membershipEntity, userEntity } from '../access/store.ts';
import { type AccessAsRead, membershipsOf, rolesOf, stageAccess } from '../access/user-access.ts';
import { ticketEntity } from '../tickets/store.ts';

/** As many as a transaction has room for: a membership or a ticket takes some six writes. */
const AT_ONCE = { memberships: 6, tickets: 6 } as const;

interface Offboarded {
  readonly user_id: string;
  readonly ended_memberships: number;
  readonly removed_identities: number;
  readonly unassigned_tickets: number;
  readonly done: boolean;
}

/**
 * Stages that a user leaves: first that it is inactive, without tokens and identities, with its first memberships; in
 * further requests the other memberships, and then its open tickets. The caller has been checked.
 */
export async function offboard(
  tenant: Tenant,
  caller: Caller,
  user: Stored<User>,
  read: AccessAsRead,
): Promise<Offboarded> {
  const user_id = user.record.id;
  const [identities, memberships] = await Promise.all([
    identitiesOf(tenant, user_id),
    activeOf(tenant, caller, user_id),
  ]);
  const ended = memberships.slice(0, identities.length > 0 ? 0 : AT_ONCE.memberships);
  const counts = { ended_memberships: ended.length, removed_identities: identities.length };
  if (user.record.is_active || identities.length + ended.length > 0) {
    const audited = ['tokens', ...(identities.length > 0 ? ['identities'] : [])];
    if (user.record.is_active)
      await tenant.records(userEntity).update(user, { is_active: false }, { alsoAudited: audited });
    else await tenant.auditLog('User').changed(user_id, audited);
    for (const identity of identities) await tenant.records(identityEntity).remove(identity);
    for (const membership of ended) await tenant.records(membershipEntity).update(membership, { status: 'inactive' });
    const ids = new Set(ended.map(({ record }) => record.id));
    const grants = read.access.grants.filter(({ membership_id }) => !ids.has(membership_id));
    stageAccess(tenant, user_id, read, { is_active: false, epoch: read.access.epoch + 1, grants });
    return { user_id, ...counts, unassigned_tickets: 0, done: false };
  }
  const unassigned_tickets = await unassign(tenant, user_id);
  return { user_id, ...counts, unassigned_tickets, done: unassigned_tickets < AT_ONCE.tickets };
}

/** The active memberships that the caller may end: those with a system role are the platform's matter. */
async function activeOf(tenant: Tenant, caller: Caller, userId: string) {
  const active = (await membershipsOf(tenant, userId)).filter(({ record }) => record.status === 'active');
  if (caller.orgId === null) return active;
  const roles = await rolesOf(
    tenant,
    active.map(({ record }) => record.role_id),
  );
  return active.filter(({ record: { role_id } }) => !roles.get(role_id ?? '')?.is_system);
}

/** Stages that the user's first open tickets are nobody's. @returns how many */
async function unassign(tenant: Tenant, userId: string): Promise<number> {
  const records = tenant.records(ticketEntity);
  const where = [
    { field: 'assigned_to', anyOf: [userId] },
    { field: 'status', anyOf: ['open', 'pending'] },
  ];
  const { records: tickets } = await records.cursorPage({ limit: AT_ONCE.tickets, where });
  const changes = { assigned_to: null, updated_at: tenant.session.timestamp };
  for (const ticket of tickets) await records.update(ticket, changes, { moves: 'last_activity_at' });
  return tickets.length;
}
