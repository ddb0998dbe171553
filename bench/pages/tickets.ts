import { randomUUID } from 'node:crypto';
import { clients } from '../../functions/clients/contract.ts';
import { clientOperations } from '../../functions/clients/operations.ts';
import { tickets } from '../../functions/tickets/contract.ts';
import { ticketOperations } from '../../functions/tickets/operations.ts';
import { ticketEntity } from '../../functions/tickets/store.ts';
import { upTo, withConcurrency } from '../../local/seed/pool.ts';
import type { Table } from '../../shared/lists/index.ts';
import type { Tenant } from '../../shared/table/index.ts';
import { aCaller } from '../../test/support/caller.ts';
import type { Conflicts } from '../../test/support/conflicts.ts';
import { doIn, openTenant } from '../../test/support/storage.ts';

/** Tickets that many writers of one tenant open at once. */
export interface TicketOpening {
  readonly what: string;
  /** Transactions sent for each ticket. */
  readonly sends: number;
}

export const WRITERS = 64;

/**
 * Opens tickets by the operations of the API, of different clients and of one client, where transactions conflict as in
 * DynamoDB.
 * @throws Error when a ticket is lost or duplicated
 */
export async function measureTickets(table: Table, conflicts: Conflicts, each: number): Promise<TicketOpening[]> {
  const openings: TicketOpening[] = [];
  for (const count of [WRITERS, 1]) {
    const org = randomUUID();
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push(await createClient(table, org));
    conflicts.reset();
    await withConcurrency(WRITERS, upTo(WRITERS * each), (turn) => openTicket(table, org, ids[turn % count] ?? ''));
    const { transactions } = conflicts;
    await checkTotal(table, org, WRITERS * each);
    const what = count === 1 ? 'of one client' : 'of different clients';
    openings.push({ what, sends: transactions / (WRITERS * each) });
  }
  return openings;
}

const PATIENCE_MS = 60_000;

const inputOf = (tenant: Tenant, org: string) => ({
  params: {},
  query: {},
  caller: aCaller(org),
  tenant,
  session: tenant.session,
  getOrThrow: () => Promise.reject(new Error('nothing is looked up')),
  requireBudget: () => undefined,
});

async function createClient(table: Table, org: string): Promise<string> {
  const body = clients.routes.createClient.body.schema.parse({ name: 'Acme', slug: `acme-${randomUUID()}` });
  const response = await doIn(openTenant(table, org), (tenant) =>
    clientOperations.createClient({ ...inputOf(tenant, org), body }),
  );
  return response.body.id;
}

function openTicket(table: Table, org: string, client_id: string): Promise<unknown> {
  const { schema } = tickets.routes.createTicket.body;
  const body = schema.parse({ ...tickets.routes.createTicket.bodyExample, client_id });
  return doIn(openTenant(table, org, undefined, PATIENCE_MS), (tenant) =>
    ticketOperations.createTicket({ ...inputOf(tenant, org), body }),
  );
}

async function checkTotal(table: Table, org: string, expected: number): Promise<void> {
  const query = { page: 1, page_size: 1, sort: 'created_at' } as const;
  for (const filter of [{}, { status: 'open' }]) {
    const { total } = await openTenant(table, org)
      .records(ticketEntity)
      .page({ ...query, filter });
    if (total !== expected) throw new Error(`of ${expected} tickets the list knows ${total}`);
  }
}
