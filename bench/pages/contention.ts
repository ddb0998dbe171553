import { randomUUID } from 'node:crypto';
import type { Table } from '@custodia/counted-lists';
import { clients } from '../../functions/clients/contract.ts';
import { clientOperations } from '../../functions/clients/operations.ts';
import { logs, MOST_ENTRIES } from '../../functions/logs/contract.ts';
import { logOperations } from '../../functions/logs/operations.ts';
import { logEntity } from '../../functions/logs/store.ts';
import { tickets } from '../../functions/tickets/contract.ts';
import { ticketOperations } from '../../functions/tickets/operations.ts';
import { ticketEntity } from '../../functions/tickets/store.ts';
import { upTo, withConcurrency } from '../../local/pool.ts';
import type { Entity, Tenant } from '../../shared/table/index.ts';
import { asked } from '../../test/support/asked.ts';
import { aCaller } from '../../test/support/caller.ts';
import type { Conflicts } from '../../test/support/conflicts.ts';
import { doIn, openTenant } from '../../test/support/storage.ts';

/** What many writers of one tenant do at once. */
export interface Contention {
  readonly what: string;
  /** Transactions sent for each that succeeded, and how many these may be. */
  readonly sends: number;
  readonly atMost: number;
}

const OPENERS = 64;
const LOGGERS = 16;

/**
 * Has many writers create at once by the operations of the API: tickets of different clients and of one client, and log
 * entries, as many in a request as there may be.
 * @throws Error when a record is lost or duplicated
 */
export async function measureContention(table: Table, conflicts: Conflicts, each: number): Promise<Contention[]> {
  return [
    await contend(conflicts, {
      what: `${OPENERS} open tickets of different clients`,
      atMost: 1.3,
      writers: OPENERS,
      each,
      prepare: (org) => createClients(table, org, OPENERS),
      write: (org, clients, turn) => openTicket(table, org, clients[turn % OPENERS] ?? ''),
      check: (org, count) => checkTotals(table, org, ticketEntity, { status: 'open' }, count),
    }),
    await contend(conflicts, {
      what: `${OPENERS} open tickets of one client`,
      atMost: 1.5,
      writers: OPENERS,
      each,
      prepare: (org) => createClients(table, org, 1),
      write: (org, [client = '']) => openTicket(table, org, client),
      check: (org, count) => checkTotals(table, org, ticketEntity, { status: 'open' }, count),
    }),
    await contend(conflicts, {
      what: `${LOGGERS} send ${MOST_ENTRIES} log entries of one level`,
      atMost: 2,
      writers: LOGGERS,
      each,
      prepare: async () => [],
      write: (org) => ingest(table, org),
      check: (org, count) => checkTotals(table, org, logEntity, { level: 'info' }, count * MOST_ENTRIES),
    }),
  ];
}

interface Contest extends Omit<Contention, 'sends'> {
  readonly writers: number;
  /** How many transactions of each writer. */
  readonly each: number;
  readonly prepare: (org: string) => Promise<readonly string[]>;
  readonly write: (org: string, prepared: readonly string[], turn: number) => Promise<unknown>;
  readonly check: (org: string, transactions: number) => Promise<void>;
}

async function contend(
  conflicts: Conflicts,
  { what, atMost, writers, each, prepare, write, check }: Contest,
): Promise<Contention> {
  const org = randomUUID();
  const prepared = await prepare(org);
  conflicts.reset();
  await withConcurrency(writers, upTo(writers * each), (turn) => write(org, prepared, turn));
  const { transactions } = conflicts;
  await check(org, writers * each);
  return { what, atMost, sends: transactions / (writers * each) };
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
  readLimits: async () => [],
});

async function createClients(table: Table, org: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const body = clients.routes.createClient.body.schema.parse({ name: 'Acme', slug: `acme-${randomUUID()}` });
    const response = await doIn(openTenant(table, org), (tenant) =>
      clientOperations.createClient({ ...inputOf(tenant, org), body }),
    );
    ids.push(response.body.id);
  }
  return ids;
}

function openTicket(table: Table, org: string, client_id: string): Promise<unknown> {
  const { schema } = tickets.routes.createTicket.body;
  const body = schema.parse({ ...tickets.routes.createTicket.bodyExample, client_id });
  return doIn(openTenant(table, org, undefined, PATIENCE_MS), (tenant) =>
    ticketOperations.createTicket({ ...inputOf(tenant, org), body }),
  );
}

function ingest(table: Table, org: string): Promise<unknown> {
  const entries = Array.from({ length: MOST_ENTRIES }, (_, index) => ({ level: 'info', message: `line ${index}` }));
  const body = logs.routes.ingestLog.body.schema.parse({ entries });
  return doIn(openTenant(table, org, undefined, PATIENCE_MS), (tenant) =>
    logOperations.ingestLog({ ...inputOf(tenant, org), body }),
  );
}

async function checkTotals<T extends object>(
  table: Table,
  org: string,
  entity: Entity<T>,
  filter: Readonly<Partial<Record<keyof T & string, string>>>,
  expected: number,
): Promise<void> {
  const query = { page: 1, page_size: 1, sort: 'created_at' } as const;
  for (const each of [{}, filter]) {
    const { total } = await openTenant(table, org)
      .records(entity)
      .page(asked({ ...query, filter: each }));
    if (total !== expected) throw new Error(`of ${expected} records the list knows ${total}`);
  }
}
