import type { Condition, OnConditionFailed } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { tenantKey } from '#table';
import { MOVES } from '#table/storage';

/** Kinds of records that are counted by tenant. */
type Counted = 'IDENTITY_PROVIDER' | 'INTEGRATION' | 'WEBHOOK_ENDPOINT';

/** The counts: records in use, and those of them with all permissions. */
export type Count = 'USED' | 'FULL';

interface Bound {
  readonly condition: Condition;
  /** The error when the count is at its bound. */
  readonly onConditionFailed: OnConditionFailed;
}

/**
 * Stages a change of a number of counted records, in the transaction that changes them, so that concurrent requests
 * cannot pass a bound together. `MOVES` counts the changes, so that a recount can detect changes in between
 * (`verify/counts.ts`).
 * @param bound undefined for a caller that may pass it
 * @example stageCount(tenant, 'INTEGRATION', 'USED', 1, { condition, onConditionFailed });
 */
export function stageCount(tenant: Tenant, counted: Counted, count: Count, by: 1 | -1, bound?: Bound): void {
  tenant.session.changes
    .of(tenant.id)
    .update(tenantKey(tenant.id, 'QUOTA', counted), { add: { [count]: by, [MOVES]: 1 }, ...bound });
}
