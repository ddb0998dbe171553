import { type Item, listErrors } from '@custodia/counted-lists';
import { Problem } from '#contract';
import { tally } from '#http';
import { type Caller, mayDo } from '#identity';
import { entity, set, type Tenant } from '#table';
import type { Client } from './contract.ts';
import { exactSum } from './exact-sum.ts';
import { maintenanceOf } from './maintenance.ts';
import type { ClientSummary } from './summary-record.ts';
import { HEALTHY, TICKET_OVERDUE, TICKET_STATUSES } from './words.ts';

/** What a client has, in numbers: each kind is shown to callers who may read it. */

interface OfClient {
  readonly client_id: string;
  readonly status: string;
}

/** A list of another domain, as far as its records are counted here: that domain knows clients. */
const counting = (name: string, options: Parameters<typeof entity<OfClient>>[1] = {}) =>
  entity<OfClient>(name, { indexes: [set('client_id'), set('status')], ...options });

const kinds = {
  services: counting('SERVICE'),
  resources: counting('RESOURCE'),
  terminals: counting('TERMINAL'),
  tickets: counting('TICKET', { momentary: { overdue: TICKET_OVERDUE } }),
};
type Many = keyof typeof kinds;

/** @throws Problem `too-many-matches` where the client has more of a kind than 500 read units read */
export async function summaryOf(tenant: Tenant, caller: Caller, client: Client): Promise<ClientSummary> {
  const shown = <T>(many: Many, read: (many: Many) => Promise<T>) =>
    mayDo(caller, `${many}:read`) ? read(many) : Promise.resolve(null);
  const itemsOf = (many: Many): Promise<readonly Item[]> => readAll(tenant, many, client.id);
  const [isMaintained, services, resources, terminals, tickets] = await Promise.all([
    maintenanceOf(tenant),
    shown('services', itemsOf),
    shown('resources', itemsOf),
    shown('terminals', itemsOf),
    shown('tickets', () => ticketsOf(tenant, client.id)),
  ]);
  return {
    client_id: client.id,
    services: services && { ...byStatus(services), ...runningOf(services, isMaintained) },
    resources: resources && { ...byStatus(resources), ...runningOf(resources, isMaintained) },
    terminals: terminals && byStatus(terminals),
    tickets,
    monthly_cost: services && resources && costOf([...services, ...resources]),
    last_contact: client.last_contact,
  };
}

const ofClient = (id: string) => ({ field: 'client_id', anyOf: [id] });

async function readAll(tenant: Tenant, many: Many, clientId: string): Promise<readonly Item[]> {
  try {
    return (await tenant.records(kinds[many]).matching([ofClient(clientId)], 'status')).items;
  } catch (error) {
    if (!(error instanceof listErrors.TooManyMatches)) throw error;
    const detail = `names a client with more ${many} than 500 read units read`;
    const errors = [{ in: 'path' as const, pointer: '#/id', detail }];
    throw new Problem('too-many-matches', { detail: `The id ${detail}.`, errors, cause: error });
  }
}

/** At any size, but for those that are overdue: these are among the ones that are not closed, which are read. */
async function ticketsOf(tenant: Tenant, clientId: string) {
  const records = tenant.records(kinds.tickets);
  const [counts, overdue] = await Promise.all([
    records.countEach([ofClient(clientId)], 'status', TICKET_STATUSES),
    records.matching([ofClient(clientId), { field: 'overdue', anyOf: [true] }], 'status').catch((error: unknown) => {
      if (!(error instanceof listErrors.TooManyMatches)) throw error;
    }),
  ]);
  return { ...counted(counts), overdue: overdue?.items.length ?? null };
}

function counted(counts: Parameters<typeof tally>[0]) {
  const { data, total } = tally(counts);
  return { total, by_status: data };
}

const byStatus = (items: readonly Item[]) => counted(items.map(({ status }) => [status, 1]));

const runningOf = (items: readonly Item[], isMaintained: (item: Item) => boolean) => ({
  unhealthy: items.filter(({ health_status }) => health_status !== HEALTHY).length,
  under_maintenance: items.filter(isMaintained).length,
  monthly_cost: costOf(items),
});

function costOf(items: readonly Item[]) {
  const sumOf = (some: readonly Item[]): number => exactSum(some.map(({ monthly_cost }) => Number(monthly_cost ?? 0)));
  const cycles = Map.groupBy(items, ({ billing_cycle }) => String(billing_cycle ?? 'monthly'));
  const sums = Array.from(cycles, ([billing_cycle, some]) => ({ billing_cycle, total: sumOf(some) }));
  const compare = (one: { billing_cycle: string }, other: typeof one) =>
    one.billing_cycle < other.billing_cycle ? -1 : 1;
  return { total: sumOf(items), by_billing_cycle: sums.toSorted(compare) };
}
