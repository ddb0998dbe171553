import type { Stored, Tenant } from '#table';
import type { HistoryEntry, Resource } from './contract.ts';
import { historyOf } from './store.ts';

/** The rules for reported usage and health of resources (`docs/decisions/0021-services-and-resources.md`). */

type Usage = Pick<Resource, 'cpu_usage' | 'memory_usage' | 'storage_usage'>;
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Whether any usage is a number; null removes a value and is no report. */
export const reportsUsage = ({ cpu_usage, memory_usage, storage_usage }: Given<Usage>): boolean =>
  [cpu_usage, memory_usage, storage_usage].some((usage) => typeof usage === 'number');

/**
 * Stages a sample of the resource in its current state. A usage that was never reported is 0, because a sample has no
 * null.
 */
export function sampleOf(tenant: Tenant, resource: Stored<Omit<Resource, 'credentials' | 'under_maintenance'>>): void {
  const { id, cpu_usage, memory_usage, storage_usage, health_status, last_health_check } = resource.record;
  const sample: Omit<HistoryEntry, 'id'> = {
    resource_id: id,
    timestamp: last_health_check ?? tenant.session.timestamp,
    cpu_usage: cpu_usage ?? 0,
    memory_usage: memory_usage ?? 0,
    storage_usage: storage_usage ?? 0,
    health_status,
  };
  historyOf(tenant, id).createNumbered(resource, sample);
}

/** Whether the resource has already had a later check. */
export const isOutdated = (checked: string, { last_health_check }: Pick<Resource, 'last_health_check'>): boolean =>
  last_health_check !== null && Date.parse(checked) < Date.parse(last_health_check);
