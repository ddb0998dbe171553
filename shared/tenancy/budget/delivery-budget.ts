import type { Tenant } from '#table';
import { BUDGET_OF } from '../keys.ts';
import { knownOf } from './bucket.ts';
import { flush, STANDARD_SHARE, stageTenantLimit, UNITS_A_REQUEST } from './request-budget.ts';
import { BUDGET_WINDOW } from './stored-budget.ts';

const { refillMs: WINDOW_MS, mostSpentMs: MOST_SPENT_MS } = BUDGET_WINDOW;

/** Bytes of bodies that cost one request: as much as a delivery has at most. */
const BYTES_A_REQUEST = 256 * 1024;

/** What a turn knows of the events that it is about to deliver. */
interface Next {
  /** When the endpoint's own share is whole again: `DeliveryState.spent_until`. */
  readonly spentUntil: number | undefined;
  /** Whether they were delivered before, and are because of a replay. */
  readonly isReplayed: boolean;
}

/**
 * A turn's view of its tenant's delivery budget, to which deliveries are charged as requests are to theirs: by the same
 * buckets, flushed into the same items (`docs/decisions/0081-request-budgets.md`). Half of it is divided among the
 * tenant's endpoints, and each has its share whatever the others do. The other half is for live events beyond a share.
 * Replayed events get no more than the share, and no part of it while less than half is left.
 */
export class DeliveryBudget {
  readonly #open: () => Tenant;
  /** Requests a minute. */
  readonly #limit = Math.ceil(stageTenantLimit() / STANDARD_SHARE);
  readonly #share: number;
  readonly #units: () => number;
  #charged = 0;

  /**
   * @param open a session of the worker's own that begins now
   * @param endpoints of the tenant
   * @param units that the turn has used so far
   */
  constructor(open: () => Tenant, endpoints: number, units: () => number) {
    this.#open = open;
    this.#share = this.#limit / 2 / Math.max(1, endpoints);
    this.#units = units;
  }

  /**
   * Flushes what was charged, if that is worth a write. @param isUrgent whether one request is, as at the beginning of
   * a turn
   */
  async flush(isUrgent: boolean): Promise<void> {
    const tenant = this.#open();
    const budget = {
      ...knownOf(tenant, BUDGET_OF.deliveries),
      limit: this.#limit,
      tenant,
      owner: BUDGET_OF.deliveries,
    };
    await flush(budget, tenant.session.clock(), isUrgent);
  }

  /** Seconds until there is room for these events; 0: now. */
  wait({ spentUntil, isReplayed }: Next): number {
    const tenant = this.#open();
    const now = tenant.session.clock();
    const { bucket } = knownOf(tenant, BUDGET_OF.deliveries);
    const most = Math.min(WINDOW_MS / this.#share, WINDOW_MS);
    const own = Math.max(0, Math.ceil((spentOf(spentUntil, now) + most - WINDOW_MS) / 1_000));
    const half = bucket.wait(this.#limit, now, Math.min(this.#limit, 1 + this.#limit / 2));
    return isReplayed ? Math.max(own, half) : Math.min(half, Math.max(own, bucket.wait(this.#limit, now)));
  }

  /**
   * Charges what the turn has used since the last charge, and these bytes. @returns when the endpoint's share is whole
   * again
   */
  charge(bytes: number, spentUntil?: number): number {
    const tenant = this.#open();
    const now = tenant.session.clock();
    const units = this.#units() - this.#charged;
    this.#charged += units;
    const requests = units / UNITS_A_REQUEST + bytes / BYTES_A_REQUEST;
    const { bucket, count } = knownOf(tenant, BUDGET_OF.deliveries);
    bucket.take(this.#limit, now, requests);
    count.add(now, requests);
    return now + Math.round(Math.min(spentOf(spentUntil, now) + (requests * WINDOW_MS) / this.#share, MOST_SPENT_MS));
  }
}

/**
 * The spent part of a share, in milliseconds of the window. What no worker with a right clock stores is not believed.
 */
function spentOf(spentUntil = 0, now: number): number {
  const spent = spentUntil - now;
  return spent > 2 * MOST_SPENT_MS ? 0 : Math.max(0, spent);
}
