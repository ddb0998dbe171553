import type { Stored, Tenant } from '#table';
import { HEALTHY } from '../services/health.ts';
import type { HistoryEntry, Resource } from './contract.ts';
import { historyOf } from './store.ts';

/** The rules for reported usage and health of resources (`docs/decisions/0021-services-and-resources.md`). */

type Usage = Pick<Resource, 'cpu_usage' | 'memory_usage' | 'storage_usage'>;
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

const usagesOf = ({ cpu_usage, memory_usage, storage_usage }: Given<Usage>) => [cpu_usage, memory_usage, storage_usage];

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Whether any usage is a number; null removes a value and is no report. */
export const reportsUsage = (fields: Given<Usage>): boolean => usagesOf(fields).some(isNumber);

/** Whether a resource is a risk to its client: not healthy, or over its alert threshold with alerts on. */
export const isResourceRisk = (
  resource: Usage & Pick<Resource, 'health_status' | 'usage_alerts_enabled' | 'alert_threshold'>,
): boolean =>
  resource.health_status !== HEALTHY ||
  (resource.usage_alerts_enabled &&
    usagesOf(resource)
      .filter(isNumber)
      .some((usage) => usage > resource.alert_threshold));

/**
 * Stages a sample of the resource in its current state. A usage that was never reported is 0, because a sample has no
 * null.
 */
export function sampleOf(tenant: Tenant, resource: Stored<Omit<Resource, 'credentials'>>): void {
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
