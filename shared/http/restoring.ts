import type { Entity, Stored } from '#table';
import type { BearerInput } from './operation.ts';

/**
 * Stages that a deleted record is there again, as it was; one that is there stays as it is.
 * @param requireReferences stages the conditions on what it refers to, besides what counts it
 * @throws Problem `not-found` where it is neither there nor can be restored
 */
export async function restored<T extends object>(
  { tenant, getOrThrow, params: { id } }: BearerInput & { readonly params: { readonly id: string } },
  kind: Entity<T>,
  requireReferences: (record: T) => void = () => undefined,
): Promise<Stored<T>> {
  const trash = tenant.trashOf(kind);
  const found = await trash.get(id);
  if (found === undefined) return getOrThrow(tenant.records(kind), id);
  requireReferences(found.record);
  return trash.restore(found);
}
