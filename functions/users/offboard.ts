import type { Caller } from '#identity';
import { StaleRead, type Stored, type Tenant } from '#table';
import type { User } from '../access/contract.ts';
import { identitiesOf } from '../access/identities.ts';
import { identityEntity, membershipEntity, userEntity } from '../access/store.ts';
import { type AccessAsRead, accessOf, membershipsOf, rolesOf, stageAccess } from '../access/user-access.ts';
import { ticketEntity } from '../tickets/store.ts';
import { checkSignIn } from './superadmin.ts';

/**
 * How many writes a transaction has for these, of 100: the others are of the user, its access item and the condition on
 * the caller. So few tickets stay below 4 MB, the limit of a transaction.
 */
const ROOM = 86;
/** Most writes that ending one takes: its item, its event, its audit event with two sets, and what finds it. */
const WRITES = { identity: 6, membership: 5, ticket: 6 } as const;
const MOST_TICKETS = Math.floor(ROOM / WRITES.ticket);

const NOTHING = { ended_memberships: 0, removed_identities: 0, unassigned_tickets: 0 };

interface Offboarded {
  readonly body: typeof NOTHING & { readonly user_id: string; readonly done: boolean };
  readonly goOn?: () => Promise<Offboarded>;
}

/**
 * Stages that a user leaves, as far as a transaction has room: first that it is inactive, without tokens and
 * identities, then its memberships and open tickets. What is left follows after the commit, unless somebody makes the
 * user active meanwhile.
 * @param before what earlier transactions of the request have ended
 * @throws Problem `forbidden`
 */
export async function offboard(
  by: { readonly tenant: Tenant; readonly caller: Caller },
  user: Stored<User>,
  before = NOTHING,
): Promise<Offboarded> {
  const { tenant, caller } = by;
  const { id: user_id } = user.record;
  const read = await accessOf(tenant, user.record);
  await checkSignIn(tenant, caller, user.record);
  const { done, ...fitting } = await fittingOf(tenant, caller, user_id);
  await stageLeaving(tenant, user, read, fitting);
  const body = {
    user_id,
    ended_memberships: before.ended_memberships + fitting.memberships.length,
    removed_identities: before.removed_identities + fitting.identities.length,
    unassigned_tickets: before.unassigned_tickets + fitting.tickets.length,
    done,
  };
  const goOn = async (): Promise<Offboarded> => {
    const now = await tenant.records(userEntity).get(user_id);
    return now?.record.is_active === false ? offboard(by, now, body) : { body };
  };
  return done ? { body } : { body, goOn };
}

/** What a user has: all identities, and as many memberships and open tickets as there is room for. */
async function fittingOf(tenant: Tenant, caller: Caller, userId: string) {
  const where = Object.entries({ assigned_to: [userId], status: ['open', 'pending'] });
  const [identities, active, { records: open }] = await Promise.all([
    identitiesOf(tenant, userId),
    activeOf(tenant, caller, userId),
    tenant
      .records(ticketEntity)
      .cursorPage({ limit: MOST_TICKETS + 1, where: where.map(([field, anyOf]) => ({ field, anyOf })) }),
  ]);
  const room = ROOM - identities.length * WRITES.identity;
  const memberships = active.slice(0, Math.floor(room / WRITES.membership));
  const tickets = open.slice(0, Math.floor((room - memberships.length * WRITES.membership) / WRITES.ticket));
  const done = memberships.length === active.length && tickets.length === open.length;
  return { identities, memberships, tickets, done };
}

async function stageLeaving(
  tenant: Tenant,
  user: Stored<User>,
  read: AccessAsRead,
  { identities, memberships, tickets }: Omit<Awaited<ReturnType<typeof fittingOf>>, 'done'>,
): Promise<void> {
  const { id, is_active } = user.record;
  const [users, ended] = [tenant.records(userEntity), ['tokens', ...(identities.length > 0 ? ['identities'] : [])]];
  const isCutOff = is_active || identities.length > 0;
  if (!is_active) users.require(id, () => new StaleRead('the user is active again'), { is_active });
  const ids = new Set(memberships.map(({ record }) => record.id));
  const grants = read.access.grants.filter(({ membership_id }) => !ids.has(membership_id));
  stageAccess(tenant, id, read, { is_active: false, epoch: read.access.epoch + Number(isCutOff), grants });
  const changes = { assigned_to: null, updated_at: tenant.session.timestamp };
  await Promise.all([
    is_active && users.update(user, { is_active: false }, { alsoAudited: ended }),
    isCutOff && !is_active && tenant.auditLog('User').changed(id, ended),
    ...identities.map((identity) => tenant.records(identityEntity).remove(identity)),
    ...memberships.map((membership) => tenant.records(membershipEntity).update(membership, { status: 'inactive' })),
    ...tickets.map((ticket) => tenant.records(ticketEntity).update(ticket, changes, { moves: 'last_activity_at' })),
  ]);
}

/** The active memberships that the caller may end: those with a system role are the platform's matter. */
async function activeOf(tenant: Tenant, caller: Caller, userId: string) {
  const active = (await membershipsOf(tenant, userId)).filter(({ record }) => record.status === 'active');
  if (caller.orgId === null) return active;
  const ids = active.map(({ record }) => record.role_id);
  const roles = await rolesOf(tenant, ids);
  return active.filter(({ record: { role_id } }) => !roles.get(role_id ?? '')?.is_system);
}
