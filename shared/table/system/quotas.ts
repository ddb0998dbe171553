import { quotaKey } from '../keys.ts';
import type { Tenant } from '../tenant.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';

/** Kinds of records with a quota. */
type Counted = 'INTEGRATION';

interface Cap {
  /** Most records. */
  readonly most: number;
  /** The error when the quota is used up. */
  readonly onConditionFailed: OnConditionFailed;
}

/**
 * Stages a change of the number of counted records, in the transaction that adds or removes one, so that concurrent requests cannot exceed the
 * quota together.
 * @param cap undefined for a caller that may exceed the quota
 */
export function stageCount(tenant: Tenant, counted: Counted, by: 1 | -1, cap?: Cap): void {
  tenant.session.unitOfWork(tenant.id).update(quotaKey(tenant.id, counted), {
    add: { USED: by },
    ...(cap === undefined
      ? {}
      : { condition: { atMost: { USED: cap.most - by } }, onConditionFailed: cap.onConditionFailed }),
  });
}
