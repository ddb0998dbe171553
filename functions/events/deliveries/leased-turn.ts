import { ids, listErrors } from '@custodia/counted-lists';
import { type JournalEvent, JournalReader, Tenant } from '#table';
import { increment } from '#telemetry';
import type { DeliveryBudget } from '#tenancy';
import * as leases from '../state/lease.ts';
import { type Registration, unregister } from '../state/register.ts';
import type { DeliveryState } from '../state/state.ts';
import {
  type Assignment,
  acceptedBy,
  EXPIRED,
  isAssignment,
  type NoAssignment,
  readAssignment,
  stopEndpoint,
} from './assignment.ts';
import { nextBatch, prepareDelivery, preparePing } from './call.ts';
import { AFTER_STOP, afterFailure, afterRefusal, afterSkip, afterSuccess, stopAfter, verdictOf } from './failures.ts';
import { AT_ONCE, type NextTurn, type Ports, secondsOf, WHEN_WOKEN } from './ports.ts';
import { type Consequence, type Made, recordFailure, recordPing } from './recording.ts';

/** No call begins later in a turn. In milliseconds, as those that follow. */
export const TURN_MS = 20_000;
/** After a longer call the turn ends, so that other tenants wait for no more than one. */
const SLOW_MS = 2_000;
/** A lease that was not released has ended after so long, by any worker's clock. */
const LEFT_MS = leases.LEASE_MS + 2 * leases.WORKERS_DIFFER_MS;
/** A call is made so much later at most: a worker that was paused while it prepared one does not make it. */
const PREPARING_MS = 10_000;
/** The least wait for the next turn when the budget is spent, so that it can deliver some. */
const BUDGET_WAIT_MS = 10_000;
/** Events that are read at once, whatever the size of batches. */
const READ_AHEAD = 100;
/** After so many seconds, an open number is overdue. */
const UNTIL_OVERDUE = 6;

type Page = Awaited<ReturnType<JournalReader['read']>>;

/** What follows in a turn: another page, or its end. */
type Step = 'next page' | { readonly nextTurn: NextTurn };

const LOST: Step = { nextTurn: WHEN_WOKEN };

/** A turn of a worker that has the lease of an endpoint: the part of `turn.ts` from there on. */
export class LeasedTurn {
  readonly #registration: Registration;
  readonly #ports: Ports & { readonly budget: DeliveryBudget };
  readonly #lease: leases.Lease;
  #ends: number;
  /**
   * How long the budget had no room when the turn began, in seconds: 0 where it had. This decides until the first call,
   * and not the budget as it is by then, to which reading has been charged. So a turn that begins with room delivers
   * something, however small the endpoint's share is. Undefined after the first call.
   */
  #firstWaits: { readonly live: number; readonly replayed: number } | undefined;
  #state: DeliveryState;
  /** The state before the journal was last read: who has woken this worker since may know of later events. */
  #beforeRead: DeliveryState;

  constructor(
    registration: Registration,
    ports: Ports & { readonly budget: DeliveryBudget },
    lease: leases.Lease,
    state: DeliveryState,
  ) {
    this.#registration = registration;
    this.#ports = ports;
    this.#lease = lease;
    this.#state = state;
    this.#beforeRead = state;
    this.#ends = ports.clock() + TURN_MS;
  }

  /** Releases the lease whatever fails. If that fails too, another turn follows when the lease has expired. */
  async run(first: Assignment): Promise<NextTurn> {
    try {
      return await this.#deliver(first);
    } catch (error) {
      const { tenant, endpointId } = this.#registration;
      const delaySeconds = secondsOf(LEFT_MS);
      await this.#release().catch(() => this.#ports.queue.send([{ tenant, endpointId, delaySeconds }]));
      throw error;
    }
  }

  async #deliver(first: Assignment): Promise<NextTurn> {
    await this.#ports.budget.flush(true);
    this.#firstWaits = { live: this.#budgetWait(false), replayed: this.#budgetWait(true) };
    let found: Assignment | NoAssignment = first;
    for (;;) {
      if (!isAssignment(found)) return this.#stop(found);
      this.#charge(0);
      await this.#ports.budget.flush(false);
      const isUnverified = found.stored.record.status === 'unverified';
      const step = await (isUnverified ? this.#ping(found) : this.#deliverPage(found));
      if (step !== 'next page') return step.nextTurn;
      this.#firstWaits = undefined;
      if (this.#ports.clock() >= this.#ends) return (await this.#release()) === 'lost' ? WHEN_WOKEN : AT_ONCE;
      found = await readAssignment(this.#open(), this.#lease.endpointId);
    }
  }

  /** Asks the receiver for proof, once: then the endpoint is active, or waits for somebody to ask again. */
  async #ping(assignment: Assignment): Promise<Step> {
    const made = await this.#makeCall(await preparePing(this.#open(), assignment), assignment.until + PREPARING_MS);
    if (made !== undefined) await recordPing(this.#open(), assignment.stored, made);
    return 'next page';
  }

  async #deliverPage(assignment: Assignment): Promise<Step> {
    const end = await this.#endWithoutBudget(false);
    if (end !== undefined) return end;
    const page = await this.#readPage(assignment);
    if (page === undefined) return { nextTurn: await this.#stop({ stored: assignment.stored, stop: EXPIRED }) };
    let left = page.events;
    if (left.length === 0) return this.#moveCursor({ set: { next: page.next } }, page.ended);
    while (left.length > 0) {
      const step = await this.#deliverBatch(left, page, assignment);
      if (step !== 'next call') return step;
      // Refused events are sent again, one by one.
      left = left.filter(({ id }) => ids.numberOf(id) >= this.#state.next);
    }
    return 'next page';
  }

  /** @returns undefined where events that follow are not kept any more */
  async #readPage(assignment: Assignment): Promise<Page | undefined> {
    this.#beforeRead = this.#state;
    const { next, generation } = this.#state;
    const reader = new JournalReader(this.#open());
    try {
      const page = await reader.read({ from: next, limit: READ_AHEAD, accepts: acceptedBy(assignment) });
      return page.generation === generation ? page : undefined;
    } catch (error) {
      if (error instanceof listErrors.FeedExpired) return undefined;
      throw error;
    }
  }

  /** Delivers the first of the events that are left of a page. */
  async #deliverBatch(left: readonly JournalEvent[], page: Page, assignment: Assignment): Promise<Step | 'next call'> {
    const until = Math.min(assignment.until, this.#ends);
    if (this.#ports.clock() >= until) return 'next page';
    await this.#ports.budget.flush(false);
    const end = await this.#endWithoutBudget(isReplayed(left, assignment));
    if (end !== undefined) return end;
    const { singly_until: singlyUntil } = this.#state;
    const batch = nextBatch(left, { batchSize: assignment.stored.record.batch_size, singlyUntil });
    const made = await this.#makeCall(await prepareDelivery(this.#open(), assignment, batch), until + PREPARING_MS);
    if (made === undefined) return 'next page';
    if (made.events.length === left.length) return this.#handleOutcome(made, page.next, page.ended);
    return this.#handleOutcome(made, ids.numberOf(made.events.at(-1)?.id ?? '') + 1, 'limit');
  }

  /** @returns undefined where it was not ready by then */
  async #makeCall(
    { call, events }: Awaited<ReturnType<typeof prepareDelivery>>,
    latest: number,
  ): Promise<Made | undefined> {
    const at = this.#now;
    const began = this.#ports.clock();
    if (began >= latest) return undefined;
    const outcome = await this.#ports.send(call);
    const duration = Math.max(0, this.#ports.clock() - began);
    if (duration > SLOW_MS) this.#ends = began;
    this.#charge(Buffer.byteLength(call.body));
    this.#firstWaits = undefined;
    return { events, outcome, at, duration };
  }

  /** @param next the number after the last event of the call */
  async #handleOutcome(made: Made, next: number, ended: Page['ended']): Promise<Step | 'next call'> {
    const verdict = verdictOf(made.outcome);
    if (verdict === 'delivered') {
      increment('DeliveriesMade');
      const step = await this.#moveCursor(afterSuccess(next, this.#now), ended);
      return step === 'next page' && ended === 'limit' ? 'next call' : step;
    }
    increment('DeliveriesFailed');
    if (verdict === 'refused') return this.#handleRefusal(made, next);
    return this.#handleFailure(made, verdict === 'gone');
  }

  async #handleFailure(made: Made, isGone: boolean): Promise<Step> {
    const { outcome, at: began } = made;
    const retryAfterSeconds = 'status' in outcome ? outcome.retryAfterSeconds : undefined;
    const waiting = afterFailure(this.#state, {
      now: this.#now,
      began,
      random: this.#ports.random(),
      retryAfterSeconds,
    });
    const stop = isGone ? ({ status: 'disabled', status_reason: 'gone' } as const) : stopAfter(waiting.set);
    if (!(await this.#record(made, { change: stop === undefined ? waiting : AFTER_STOP, stop }))) return LOST;
    if (stop === undefined) return { nextTurn: secondsOf(waiting.set.retry_at - this.#now) };
    increment('EndpointsStopped');
    await unregister(this.#ports.open().tables.environment, this.#registration);
    return { nextTurn: WHEN_WOKEN };
  }

  async #handleRefusal(made: Made, next: number): Promise<Step | 'next call'> {
    const [event, ...others] = made.events.map(({ id }) => ids.numberOf(id));
    if (event === undefined || others.length > 0) return this.#continueAfter(made, { set: { singly_until: next } });
    const waiting = afterRefusal(this.#state, event, { now: this.#now, random: this.#ports.random() });
    if (waiting === undefined) {
      increment('EventsSkipped');
      return this.#continueAfter(made, afterSkip(next), true);
    }
    const isDone = await this.#record(made, { change: waiting });
    return isDone ? { nextTurn: secondsOf(waiting.set.retry_at - this.#now) } : LOST;
  }

  async #continueAfter(made: Made, change: leases.StateChange, skipped = false): Promise<Step | 'next call'> {
    if (!(await this.#record(made, { change, skipped }))) return LOST;
    const removed = Object.fromEntries((change.remove ?? []).map((name) => [name, undefined]));
    this.#state = { ...this.#state, ...removed, ...change.set };
    return 'next call';
  }

  #record(made: Made, { change, ...of }: Consequence): Promise<boolean> {
    return recordFailure(this.#open(), this.#lease, made, { ...of, change: this.#withSpent(change) });
  }

  /** Moves the cursor, and ends the turn where the journal ends, unless somebody has woken this worker since. */
  async #moveCursor(moved: leases.StateChange, ended: Page['ended']): Promise<Step> {
    const change = this.#withSpent(moved);
    if (ended !== 'limit') {
      const end = await leases.endLease(this.#open(), this.#lease, change, this.#beforeRead);
      if (end === 'ended') return { nextTurn: ended === 'open' ? UNTIL_OVERDUE : WHEN_WOKEN };
      if (end === 'lost') return LOST;
    }
    const state = await leases.changeLeased(this.#open(), this.#lease, change);
    if (state === undefined) return LOST;
    this.#state = state;
    return 'next page';
  }

  /** Ends the turn where the delivery budget has no room for the next events. */
  async #endWithoutBudget(isReplayed: boolean): Promise<Step | undefined> {
    const seconds = this.#firstWaits?.[isReplayed ? 'replayed' : 'live'] ?? this.#budgetWait(isReplayed);
    if (seconds === 0) return undefined;
    const wait = Math.max(seconds * 1_000, BUDGET_WAIT_MS);
    const change = this.#withSpent({ set: { retry_at: this.#now + wait } });
    const end = await leases.endLease(this.#open(), this.#lease, change);
    return end === 'lost' ? LOST : { nextTurn: secondsOf(wait) };
  }

  #budgetWait(isReplayed: boolean): number {
    return this.#ports.budget.wait({ spentUntil: this.#state.spent_until, isReplayed });
  }

  /** Charges what the turn has used since the last charge, with these bytes. */
  #charge(bytes: number): void {
    this.#state = { ...this.#state, spent_until: this.#ports.budget.charge(bytes, this.#state.spent_until) };
  }

  /** A change that also stores what is spent of the endpoint's share. */
  #withSpent(change: leases.StateChange): leases.StateChange {
    const { spent_until } = this.#state;
    return spent_until === undefined ? change : { ...change, set: { ...change.set, spent_until } };
  }

  #release(): ReturnType<typeof leases.endLease> {
    return leases.endLease(this.#open(), this.#lease, {});
  }

  async #stop(found: NoAssignment): Promise<NextTurn> {
    // A worker that has lost its lease may know an old place in the journal: the one after it decides.
    if ((await this.#release()) === 'lost') return WHEN_WOKEN;
    return stopEndpoint(this.#registration, this.#ports, found);
  }

  /** By the clock of DynamoDB, in epoch milliseconds. */
  get #now(): number {
    return leases.timeIn(this.#open());
  }

  /** Each step has a session of its own, with a time limit of its own. */
  #open(): Tenant {
    return Tenant.ofRegistered(this.#registration, this.#ports.open());
  }
}

/** Whether the next event was there when the endpoint was last replayed. */
const isReplayed = ([next]: readonly JournalEvent[], { stored }: Assignment): boolean =>
  next !== undefined && next.occurred_at < (stored.record.replayed_at ?? '');
