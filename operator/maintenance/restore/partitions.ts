import { cascadeDeletePartition, recordsPartition, type TenantId, uniqueKey, valuesPartition } from '#table';
import { dataKeyKey } from '#tenancy';
import type { Kind } from '#verify';

/**
 * The restored partitions of a tenant. All others stay as they are: integrations with their credentials and quota, so
 * that no revoked key becomes valid; the organization and its audit events; refusals, reads and budgets
 * (`docs/decisions/0112-restoring.md`).
 */
export interface Restorable {
  /** Kinds of records that are restored. */
  readonly kinds: readonly Kind[];
  /** The kind of the integrations, which stay; their ids name partitions of what they have sent. */
  readonly integrations: Kind;
}

/** `false`: it stays. `'added-to'`: missing items are added, and existing ones stay. */
type Treatment = 'replaced' | 'added-to' | false;

export function treatmentOf(partition: string, tenant: TenantId, { kinds }: Restorable): Treatment {
  const names = kinds.map(({ entity }) => entity.name);
  const isIn = (whole: string): boolean => partition === whole || partition.startsWith(`${whole}#`);
  // Containers remember the data key that they have stored, and the values that they have noted.
  if (partition === dataKeyKey(tenant, '').PK) return 'added-to';
  if (names.some((name) => partition === valuesPartition(recordsPartition(tenant, name)))) return 'added-to';
  const replaced = [
    ...names.map((name) => recordsPartition(tenant, name)),
    ...names.map((name) => uniqueKey(tenant, name, '', '').PK.slice(0, -1)),
    recordsPartition(tenant, 'ONCE'),
    cascadeDeletePartition(tenant),
  ];
  return replaced.some(isIn) && 'replaced';
}
