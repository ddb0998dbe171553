import type { DeliveryBudget } from '#http/parts';
import { ids, listErrors } from '#lists';
import { type JournalEvent, JournalReader, Tenant } from '#table';
import { increment } from '#telemetry';
import * as leases from '../state/lease.ts';
import { type Registration, unregister } from '../state/register.ts';
import type { DeliveryState } from '../state/state.ts';
import { type Assignment, acceptedBy, type Found, isAssignment, readAssignment } from './assignment.ts';
import { firstOf } from './batch.ts';
import { callOf, pingOf } from './call.ts';
import { verdictOf } from './classify.ts';
import { AFTER_SKIPPING, AFTER_STOP, afterFailure, afterRefusal, afterSuccess, GONE, stopAfter } from './failures.ts';
import { EXPIRED, leaveOff } from './leave-off.ts';
import type { Ports } from './ports.ts';
import { type Consequence, type Made, recordFailure, recordPing } from './recording.ts';
import { AT_ONCE, NOBODY, secondsOf, type Wake } from './wake.ts';

/** No call begins later in a turn. In milliseconds. */
export const TURN_MS = 20_000;
/** After a longer call the turn ends, so that other tenants wait for no more than one. In milliseconds. */
const SLOW_MS = 2_000;
/** A lease that was not released has ended after so long, by any worker's clock. In milliseconds. */
const LEFT_MS = leases.LEASE_MS + 2 * leases.WORKERS_DIFFER_MS;
/** A call is made so much later at most. So a worker that was paused while it made one does not send it. In milliseconds. */
const MAKING_MS = 10_000;
/** Where the budget is spent, the next turn begins so much later at least, so that it can deliver some. In milliseconds. */
const PUT_OFF_MS = 10_000;
/** Events that are read at once, whatever the size of batches. */
const READ_AHEAD = 100;
/** After so many seconds, an open number is overdue. */
const UNTIL_OVERDUE = 6;

type Page = Awaited<ReturnType<JournalReader['read']>>;

/** How a page, or the turn, ends. */
type End = { readonly wake: Wake } | 'read on';

const LOST: End = { wake: NOBODY };

type BudgetedPorts = Ports & { readonly budget: DeliveryBudget };

/** A turn of a worker that has the lease of an endpoint: the part of `turn.ts` from there on. */
export class LeasedTurn {
  readonly #registration: Registration;
  readonly #ports: BudgetedPorts;
  readonly #lease: leases.Lease;
  #ends: number;
  /**
   * How long the turn had to wait at its beginning for room in the budget, in seconds: 0 where there was room. This decides whether the first page
   * is read and the first call is made, and not the budget as it is by then, to which reading has been charged. So a turn that begins with room
   * delivers something, however small the endpoint's share is. Undefined after the first call.
   */
  #waits: { readonly live: number; readonly replayed: number } | undefined;
  #state: DeliveryState;
  /** The state before the journal was last read. Whoever has woken this worker since may know of events that were not there yet. */
  #beforeRead: DeliveryState;

  constructor(registration: Registration, ports: BudgetedPorts, lease: leases.Lease, state: DeliveryState) {
    this.#registration = registration;
    this.#ports = ports;
    this.#lease = lease;
    this.#state = state;
    this.#beforeRead = state;
    this.#ends = ports.clock() + TURN_MS;
  }

  /** Delivers from here on. Whatever fails, the lease is released; where that fails too, there is another turn when it has ended. */
  async take(first: Assignment): Promise<Wake> {
    try {
      return await this.#run(first);
    } catch (error) {
      const { tenant, endpointId } = this.#registration;
      const delaySeconds = secondsOf(LEFT_MS);
      await this.#release().catch(() => this.#ports.queue.send([{ tenant, endpointId, delaySeconds }]));
      throw error;
    }
  }

  async #run(first: Assignment): Promise<Wake> {
    await this.#ports.budget.flush(true);
    this.#waits = { live: this.#wait(false), replayed: this.#wait(true) };
    for (let found: Found = first; ; found = await readAssignment(this.#open(), this.#lease.endpointId)) {
      if (!isAssignment(found)) return this.#leaveOff(found);
      this.#charge(0);
      await this.#ports.budget.flush(false);
      const isUnverified = found.stored.record.status === 'unverified';
      const end = await (isUnverified ? this.#ping(found) : this.#deliverNext(found));
      if (end !== 'read on') return end.wake;
      this.#waits = undefined;
      if (this.#ports.clock() >= this.#ends) return (await this.#release()) === 'lost' ? NOBODY : AT_ONCE;
    }
  }

  /** Asks the receiver for proof, once: then the endpoint is active, or waits for somebody to ask again. */
  async #ping(assignment: Assignment): Promise<End> {
    const made = await this.#send(await pingOf(this.#open(), assignment), assignment.until + MAKING_MS);
    if (made !== undefined) await recordPing(this.#open(), assignment.stored, made);
    return 'read on';
  }

  async #deliverNext(assignment: Assignment): Promise<End> {
    const putOff = await this.#putOff(false);
    if (putOff !== undefined) return putOff;
    const page = await this.#read(assignment);
    if (page !== undefined) return this.#deliver(page, assignment);
    return { wake: await this.#leaveOff({ stored: assignment.stored, stop: EXPIRED }) };
  }

  /** @returns undefined where events that follow are not kept any more */
  async #read(assignment: Assignment): Promise<Page | undefined> {
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

  async #deliver(page: Page, assignment: Assignment): Promise<End> {
    let left = page.events;
    while (left.length > 0) {
      const until = Math.min(assignment.until, this.#ends);
      if (this.#ports.clock() >= until) return 'read on';
      await this.#ports.budget.flush(false);
      const putOff = await this.#putOff(isReplayed(left, assignment));
      if (putOff !== undefined) return putOff;
      const made = await this.#call(left, assignment, until + MAKING_MS);
      if (made === undefined) return 'read on';
      const last = made.events.at(-1)?.id ?? '';
      const isAll = made.events.length === left.length;
      const next = isAll ? page.next : ids.numberOf(last) + 1;
      const end = await this.#conclude(made, next, isAll ? page.ended : 'limit');
      if (end !== 'next call') return end;
      // Refused events are sent again, one by one.
      left = left.filter(({ id }) => ids.numberOf(id) >= this.#state.next);
    }
    return page.events.length > 0 ? 'read on' : this.#through({ set: { next: page.next } }, page.ended);
  }

  async #call(left: readonly JournalEvent[], assignment: Assignment, latest: number): Promise<Made | undefined> {
    const { singly_until: singlyUntil } = this.#state;
    const some = firstOf(left, { batchSize: assignment.stored.record.batch_size, singlyUntil });
    return this.#send(await callOf(this.#open(), assignment, some), latest);
  }

  /** @returns undefined where it was not ready by then */
  async #send({ call, events }: Awaited<ReturnType<typeof callOf>>, latest: number): Promise<Made | undefined> {
    const at = this.#now;
    const began = this.#ports.clock();
    if (began >= latest) return undefined;
    const outcome = await this.#ports.send(call);
    const duration = Math.max(0, this.#ports.clock() - began);
    if (duration > SLOW_MS) this.#ends = began;
    this.#charge(Buffer.byteLength(call.body));
    this.#waits = undefined;
    return { events, outcome, at, duration };
  }

  async #conclude(made: Made, next: number, ended: Page['ended']): Promise<End | 'next call'> {
    const verdict = verdictOf(made.outcome);
    if (verdict === 'delivered') {
      increment('DeliveriesMade');
      const { set, remove = [] } = afterSuccess(this.#now);
      const end = await this.#through({ set: { ...set, next }, remove }, ended);
      return end === 'read on' && ended === 'limit' ? 'next call' : end;
    }
    increment('DeliveriesFailed');
    if (verdict === 'refused') return this.#refused(made, next);
    return this.#failed(made, verdict === 'gone');
  }

  /** Charges what the turn has used since the last charge, with these bytes. */
  #charge(bytes: number): void {
    const spent_until = this.#ports.budget.charge(bytes, this.#state.spent_until);
    this.#state = { ...this.#state, spent_until };
  }

  /** Ends the turn where the delivery budget has no room for the next events. */
  async #putOff(isReplayed: boolean): Promise<{ readonly wake: Wake } | undefined> {
    const seconds = this.#waits?.[isReplayed ? 'replayed' : 'live'] ?? this.#wait(isReplayed);
    if (seconds === 0) return undefined;
    const wait = Math.max(seconds * 1_000, PUT_OFF_MS);
    const end = await leases.endLease(
      this.#open(),
      this.#lease,
      this.#charged({ set: { retry_at: this.#now + wait } }),
    );
    return { wake: end === 'lost' ? NOBODY : secondsOf(wait) };
  }

  #wait(isReplayed: boolean): number {
    return this.#ports.budget.wait({ spentUntil: this.#state.spent_until, isReplayed });
  }

  /** A change that also stores what is spent of the endpoint's share. */
  #charged<C extends leases.StateChange>(change: C): C {
    const { spent_until } = this.#state;
    return spent_until === undefined ? change : { ...change, set: { ...change.set, spent_until } };
  }

  #record(made: Made, { change, ...of }: Consequence): Promise<boolean> {
    return recordFailure(this.#open(), this.#lease, made, { ...of, change: this.#charged(change) });
  }

  /** Moves the cursor, and ends the turn where the journal ends, unless somebody has woken this worker since it was read. */
  async #through(moved: leases.StateChange, ended: Page['ended']): Promise<End> {
    const change = this.#charged(moved);
    if (ended !== 'limit') {
      const end = await leases.endLease(this.#open(), this.#lease, change, this.#beforeRead);
      if (end === 'ended') return { wake: ended === 'open' ? UNTIL_OVERDUE : NOBODY };
      if (end === 'lost') return LOST;
    }
    const state = await leases.changeLeased(this.#open(), this.#lease, change);
    if (state === undefined) return LOST;
    this.#state = state;
    return 'read on';
  }

  async #failed(made: Made, isGone: boolean): Promise<End> {
    const { outcome, at: began } = made;
    const retryAfterSeconds = 'status' in outcome ? outcome.retryAfterSeconds : undefined;
    const when = { now: this.#now, began, random: this.#ports.random(), retryAfterSeconds };
    const waiting = afterFailure(this.#state, when);
    const stop = isGone ? GONE : stopAfter(waiting.set);
    const change = stop === undefined ? waiting : AFTER_STOP;
    if (!(await this.#record(made, { change, stop }))) return LOST;
    if (stop === undefined) return { wake: secondsOf(waiting.set.retry_at - this.#now) };
    increment('EndpointsStopped');
    await unregister(this.#ports.open().tables.environment, this.#registration);
    return { wake: NOBODY };
  }

  async #refused(made: Made, next: number): Promise<End | 'next call'> {
    const [event, ...others] = made.events.map(({ id }) => ids.numberOf(id));
    if (event === undefined || others.length > 0) return this.#goOnWith(made, { set: { singly_until: next } }, false);
    const waiting = afterRefusal(this.#state, event, { now: this.#now, random: this.#ports.random() });
    if (waiting === undefined) return this.#skip(made, next);
    const isDone = await this.#record(made, { change: waiting });
    return isDone ? { wake: secondsOf(waiting.set.retry_at - this.#now) } : LOST;
  }

  #skip(made: Made, next: number): Promise<End | 'next call'> {
    increment('EventsSkipped');
    return this.#goOnWith(made, { ...AFTER_SKIPPING, set: { next } }, true);
  }

  async #goOnWith(made: Made, change: leases.StateChange, skipped: boolean): Promise<End | 'next call'> {
    if (!(await this.#record(made, { change, skipped }))) return LOST;
    const removed = Object.fromEntries((change.remove ?? []).map((name) => [name, undefined]));
    this.#state = { ...this.#state, ...removed, ...change.set };
    return 'next call';
  }

  #release(): ReturnType<typeof leases.endLease> {
    return leases.endLease(this.#open(), this.#lease, {});
  }

  async #leaveOff(found: Exclude<Found, Assignment>): Promise<Wake> {
    // A worker that has lost its lease may know an old place in the journal: the one after it decides.
    if ((await this.#release()) === 'lost') return NOBODY;
    return leaveOff(this.#registration, this.#ports, found);
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
