import { invalidField, Problem } from '../../shared/contract/problem.ts';
import { StaleRead } from '../../shared/table/errors.ts';
import type { Item } from '../../shared/table/schema.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { serviceEntity } from './store.ts';

/**
 * A service counts its resources in the transactions that give and take them, and its deletion is conditional on none:
 * a resource cannot join a service that is being deleted (`docs/decisions/0020-deleting-a-service.md`).
 */

/** What must hold of a service for it to be deleted. */
export const NO_RESOURCES = { resource_count: 0 } as const;

/**
 * Stages that a resource of `clientId` joins the service. The commit fails with a 422 at `service_id` when the client has no such
 * service: one that is missing, another client's and another tenant's answer the same.
 */
export function joinService(tenant: Tenant, serviceId: string, clientId: string): void {
  const change = { add: { resource_count: 1 }, equals: { client_id: clientId } };
  tenant
    .records(serviceEntity)
    .derived.adjust(serviceId, change, () => invalidField('service_id', "names no service of the resource's client"));
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

/** The 409 of a service that resources still belong to. */
export function stillHasResources(service: Item | undefined): Problem {
  const count = Number(service?.resource_count);
  const detail = count === 1 ? 'A resource still belongs' : `${count} resources still belong`;
  return new Problem('still-in-use', { detail: `${detail} to this service. Delete or move them first.` });
}
