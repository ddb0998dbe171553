import { Problem } from '#contract/problem';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { stageCount } from '#tenancy';
import { MOST_ENDPOINTS, MOST_PINGS } from './contract.ts';

/**
 * Stages that an organization has one endpoint more or less, whatever its status. The commit throws Problem `conflict` when the limit is reached.
 * Platform callers may exceed it, and endpoints of the platform itself are not counted.
 */
export function stageEndpointCount(tenant: Tenant, caller: Caller, by: 1 | -1): void {
  if (tenant.orgId === null) return;
  stageCount(tenant, 'WEBHOOK_ENDPOINT', 'USED', by, by === -1 || caller.orgId === null ? undefined : cap());
}

function cap() {
  const most = maxEndpoints();
  const detail = `The organization has ${most} webhook endpoints, as many as it may have. Delete one first.`;
  return { condition: { atMost: { USED: most - 1 } }, onConditionFailed: () => new Problem('conflict', { detail }) };
}

/** `MAX_WEBHOOK_ENDPOINTS`, which tests set, or else {@link MOST_ENDPOINTS}. */
const maxEndpoints = (): number => mostOf('MAX_WEBHOOK_ENDPOINTS', MOST_ENDPOINTS);

/** `MAX_WEBHOOK_PINGS`, which tests set, or else {@link MOST_PINGS}. */
export const maxPings = (): number => mostOf('MAX_WEBHOOK_PINGS', MOST_PINGS);

function mostOf(variable: string, standard: number): number {
  const most = process.env[variable] ?? '';
  return /^[1-9]\d{0,8}$/.test(most) ? Number(most) : standard;
}
