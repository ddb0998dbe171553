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
import type { Route } from '../../shared/contract/index.ts';
import { asked } from '../../test/support/asked.ts';
import { aCaller } from '../../test/support/caller.ts';
import type { Conflicts } from '../../test/support/conflicts.ts';
import { doIn, openTenant } from '../../test/support/storage.ts';
import type { Bound } from '../bounds.ts';

const OPENERS = 64;
const LOGGERS = 16;
const PATIENCE_MS = 60_000;

/**
 * Has many writers of one tenant create at once by the operations of the API: tickets of different clients and of one
 * client, and log entries, as many in a request as there may be.
 * @param each transactions of each writer
 * @returns bounds of the transactions that are sent for each that succeeds
 * @throws Error when a record is lost or duplicated
 */
export async function measureContention(table: Table, conflicts: Conflicts, each: number): Promise<Bound[]> {
  const contend = async (
    what: string,
    atMost: number,
    writers: number,
    write: (turn: number) => Promise<unknown>,
  ): Promise<Bound> => {
    conflicts.reset();
    await withConcurrency(writers, upTo(writers * each), write);
    const measured = conflicts.transactions / (writers * each);
    return { claim: `transactions sent for each that succeeds, where ${what}`, measured, atMost };
  };

  const ticketsOf = async (count: number, what: string, atMost: number): Promise<Bound> => {
    const org = randomUUID();
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push(await createClient(table, org));
    const bound = await contend(what, atMost, OPENERS, (turn) => openTicket(table, org, ids[turn % count] ?? ''));
    const openTickets = openTenant(table, org).records(ticketEntity);
    for (const filter of [{}, { status: 'open' }])
      checkTotal((await openTickets.page(asked({ filter, page_size: 1 }))).total, OPENERS * each);
    return bound;
  };

  const ofMany = await ticketsOf(OPENERS, `${OPENERS} open tickets of different clients`, 1.3);
  const ofOne = await ticketsOf(1, `${OPENERS} open tickets of one client`, 1.5);
  const org = randomUUID();
  const ofLogs = await contend(`${LOGGERS} send ${MOST_ENTRIES} log entries of one level`, 2, LOGGERS, () =>
    ingest(table, org),
  );
  const entries = openTenant(table, org).records(logEntity);
  for (const filter of [{}, { level: 'info' }])
    checkTotal((await entries.page(asked({ filter, page_size: 1 }))).total, LOGGERS * each * MOST_ENTRIES);
  return [ofMany, ofOne, ofLogs];
}

function checkTotal(total: number, expected: number): void {
  if (total !== expected) throw new Error(`of ${expected} records the list knows ${total}`);
}

/** Carries out an operation of the API in a tenant's session. */
const carryOut = <T>(
  table: Table,
  org: string,
  operation: (input: never) => T | Promise<T>,
  { body }: Route,
  given: object,
): Promise<T> =>
  doIn(openTenant(table, org, undefined, PATIENCE_MS), async (tenant) => {
    const input = {
      ...{ params: {}, query: {}, caller: aCaller(org), tenant, session: tenant.session },
      body: body?.schema.parse(given),
      getOrThrow: () => Promise.reject(new Error('nothing is looked up')),
      requireBudget: () => undefined,
      readLimits: async () => [],
    };
    return operation(input as never);
  });

async function createClient(table: Table, org: string): Promise<string> {
  const body = { name: 'Acme', slug: `acme-${randomUUID()}` };
  const created = await carryOut(table, org, clientOperations.createClient, clients.routes.createClient, body);
  return created.body.id;
}

const openTicket = (table: Table, org: string, client_id: string): Promise<unknown> => {
  const { createTicket } = tickets.routes;
  return carryOut(table, org, ticketOperations.createTicket, createTicket, { ...createTicket.bodyExample, client_id });
};

const ingest = (table: Table, org: string): Promise<unknown> => {
  const entries = Array.from({ length: MOST_ENTRIES }, (_, index) => ({ level: 'info', message: `line ${index}` }));
  return carryOut(table, org, logOperations.ingestLog, logs.routes.ingestLog, { entries });
};
