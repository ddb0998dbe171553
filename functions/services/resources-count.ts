import { Problem } from '#contract/problem';
import { noSuchRecord } from '#http';
import type { Item } from '#lists';
import { StaleRead, type Tenant } from '#table';
import { serviceEntity } from './store.ts';

/**
 * A service counts its resources in the transactions that add and remove them, and can be deleted only if it has none: a resource cannot join a
 * service that is deleted at the same time (`docs/decisions/0008-deleting.md`).
 */

/** The condition for the deletion of a service. */
export const NO_RESOURCES = { resource_count: 0 } as const;

/**
 * Stages that a resource of `clientId` joins the service. The commit fails with a 422 at `service_id` when the client has no such service,
 * equally for a missing one, another client's and another tenant's.
 */
export function joinService(tenant: Tenant, serviceId: string, clientId: string): void {
  const change = { add: { resource_count: 1 }, equals: { client_id: clientId } };
  tenant
    .records(serviceEntity)
    .derived.adjust(serviceId, change, noSuchRecord('service_id', "names no service of the resource's client"));
}

/** Stages that a resource leaves its service. */
export function leaveService(tenant: Tenant, serviceId: string): void {
  tenant
    .records(serviceEntity)
    .derived.adjust(
      serviceId,
      { add: { resource_count: -1 } },
      () => new StaleRead('the resource has left its service'),
    );
}

/** The 409 for a service that still has resources. */
export function stillHasResources(service: Item | undefined): Problem {
  const count = Number(service?.resource_count);
  const detail = count === 1 ? 'A resource still belongs' : `${count} resources still belong`;
  return new Problem('still-in-use', { detail: `${detail} to this service. Delete or move them first.` });
}
