import type { Item } from '@custodia/counted-lists';
import { Problem } from '#contract/problem';

/**
 * A service counts its resources in the transactions that add and remove them, and can be deleted only if it has none: a resource cannot join a
 * service that is deleted at the same time (`docs/decisions/0008-deleting.md`).
 */

/** The condition for the deletion of a service. */
export const NO_RESOURCES = { resource_count: 0 } as const;

/** The 409 for a service that still has resources. */
export function stillHasResources(service: Item | undefined): Problem {
  const count = Number(service?.resource_count);
  const detail = count === 1 ? 'A resource still belongs' : `${count} resources still belong`;
  return new Problem('still-in-use', { detail: `${detail} to this service. Delete or move them first.` });
}
