import { quotaKey } from './keys.ts';
import type { Refusal } from './staged.ts';
import type { Tenant } from './tenant.ts';

/** Kinds of records of which a tenant may not have any number, and that cannot be deleted. */
type Counted = 'INTEGRATION';

/**
 * Counts a record that is staged. The count changes in the record's own transaction, so that of two at once only one can be the last.
 * @param most how many there may be
 * @param refuse the error when there are as many
 */
export function stageWithin(tenant: Tenant, counted: Counted, most: number, refuse: Refusal): void {
  tenant.session.workOf(tenant.id).update(quotaKey(tenant.id, counted), {
    add: { USED: 1 },
    expect: { atMost: { USED: most - 1 } },
    refuse,
  });
}
