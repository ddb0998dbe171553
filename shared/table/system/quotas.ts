import { quotaKey } from '../keys.ts';
import type { Tenant } from '../tenant.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';

/** Kinds of records of which a tenant may not have any number. */
type Counted = 'INTEGRATION';

interface Cap {
  /** How many there may be. */
  readonly most: number;
  /** The error when there are as many. */
  readonly onConditionFailed: OnConditionFailed;
}

/**
 * Counts a record in or out. The count changes in the transaction that makes the record count or not, so that of two at once only one can be
 * the last. `cap`: none for who may have more.
 */
export function stageCount(tenant: Tenant, counted: Counted, by: 1 | -1, cap?: Cap): void {
  tenant.session.unitOfWork(tenant.id).update(quotaKey(tenant.id, counted), {
    add: { USED: by },
    ...(cap === undefined
      ? {}
      : { condition: { atMost: { USED: cap.most - by } }, onConditionFailed: cap.onConditionFailed }),
  });
}
