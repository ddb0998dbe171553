import { entity, type RequestSession, type Stored, type Tenant } from '#table';

/**
 * Whether services and resources are under maintenance: by their status, or in a window of maintenance, whose own
 * domain knows them (`docs/decisions/0021-services-and-resources.md`). It is of the moment, and not stored.
 */

/** The status of what is being worked on (spec §3). */
export const MAINTENANCE = 'maintenance';

/** Most windows of an organization that have not ended: each read of services and resources reads them. */
export const MOST_WINDOWS = 100;

interface Window {
  readonly from: string;
  readonly to: string;
  readonly client_id: string | null;
  readonly service_id: string | null;
  readonly resource_id: string | null;
}

/** What stands for the organization in a window that names nothing. */
export const ALL = '*';

/** A window in the queue: its end, its beginning and what it is of; one text for each that it names. */
export function spansOf({ from, to, client_id, service_id, resource_id }: Window): readonly string[] {
  const named = [client_id, service_id, resource_id].filter((id) => id !== null);
  return (named.length === 0 ? [ALL] : named).map((id) => `${to} ${from} ${id}`);
}

/** Those of other clients, too: they only tell whether a window covers a record that is shown. */
const windows = entity<{ readonly id: string; readonly spans: readonly string[] }>('MAINTENANCE_WINDOW', {
  ofClient: null,
});

/** After all times. */
const LAST = '~';

/**
 * The spans that have not ended, with their windows. Strongly consistent: one query, a read unit for some twenty.
 * @param now a timestamp as in records
 */
export async function comingSpans(tenant: Tenant, now = tenant.session.timestamp) {
  // A window may name three records, and two at once may exceed the bound.
  const wanted = { field: 'spans', prefix: now, upTo: LAST, most: 2 * 3 * MOST_WINDOWS };
  const found = (await tenant.records(windows).waiting(wanted)).map(({ id, text }) => [...text.split(' '), id]);
  return (found as [to: string, from: string, id: string, window: string][]).filter(([to]) => to > now);
}

/** A service, a resource, or its item. */
type Maintained = Readonly<Partial<Record<'id' | 'client_id' | 'service_id' | 'status', unknown>>>;
type IsMaintained = (record: Maintained) => boolean;

/** One read for each request. */
const known = new WeakMap<RequestSession, Promise<IsMaintained>>();

/** Says which services and resources of a tenant are under maintenance at the time of the request. */
export function maintenanceOf(tenant: Tenant): Promise<IsMaintained> {
  const reading = known.get(tenant.session) ?? readMaintenance(tenant);
  known.set(tenant.session, reading);
  reading.catch(() => undefined);
  return reading;
}

async function readMaintenance(tenant: Tenant): Promise<IsMaintained> {
  const now = tenant.session.timestamp;
  const open = new Set<unknown>((await comingSpans(tenant)).filter(([, from]) => from <= now).map(([, , id]) => id));
  return ({ id, client_id, service_id, status }) =>
    status === MAINTENANCE || [ALL, id, client_id, service_id].some((each) => open.has(each));
}

/** Shows whether a service or resource is under maintenance. Begins to read at once, beside the record. */
export function withMaintenance(tenant: Tenant) {
  const reading = maintenanceOf(tenant);
  return async <R extends Maintained>(record: R): Promise<R & { readonly under_maintenance: boolean }> => ({
    ...record,
    under_maintenance: (await reading)(record),
  });
}

/** The response with a record, and whether it is under maintenance. */
export const shown = async <R extends Maintained>(
  { record, version }: Stored<R>,
  show: ReturnType<typeof withMaintenance>,
) => ({
  body: await show(record),
  version,
});

/** By which their lists are filtered, and what they are counted by. */
export const maintenanceFlags = {
  names: ['under_maintenance'],
  read: async ({ tenant }: { readonly tenant: Tenant }) => ({
    under_maintenance: { isTrue: await maintenanceOf(tenant) },
  }),
};
