import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TableUnavailable } from '../errors.ts';
import type { Key } from '../schema.ts';
import { CONFLICT, hasConflict, type TimeLimit } from '../table.ts';

/** How often and how long a request tries to write its named record, in milliseconds since the first conflict. */
const NAMED = { tries: 8, within: 3_000 } as const;

/** Most calls of the table, with those after the last try: releases of numbers, flushes of both request budgets. */
const MOST_CALLS = 40;
/** A tombstone, and the word of the gap twice: the first refusal returns it as it is. */
const CALLS_A_RELEASE = 3;
/** Most releases that reduce the tries: a request that writes more records keeps its tries. */
const MOST_RELEASES = 4;
const CALLS_OF_BUDGETS = 2;

/** Tries that even a request of many calls has. */
const LEAST_TRIES = 2;

/** Other requests were writing the same items at each try, so that nothing was written. */
export class Contended extends Error {
  override readonly name = 'Contended';
  /** Whether one of the items belongs to the record that the request names. */
  readonly isOfNamedRecord: boolean;

  constructor(isOfNamedRecord: boolean, options?: ErrorOptions) {
    super('other requests were writing the same items at each try', options);
    this.isOfNamedRecord = isOfNamedRecord;
  }
}

/** Whether DynamoDB refused a call because another transaction was writing the same items, and for no other reason. */
export function isConflict(error: unknown): boolean {
  if (!hasConflict(error)) return false;
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.every(({ Code = 'None' }) => Code === 'None' || Code === CONFLICT);
}

/**
 * How often a request tries again while others write the same items. Without {@link bound} it tries until its deadline,
 * as work in the background does.
 *
 *     items of the record that it names ── 8 tries, or 3 s, or 40 calls of the table ──▶ Contended: the caller's matter
 *     other items, or it cuts off a key ── its deadline, or 40 calls of the table ─────▶ Contended
 *     an earlier attempt has no response, and may be carried out yet ──────────────────▶ TableUnavailable
 * @example await work.commit(table, { ...limit, contention: new Contention(limit) })
 */
export class Contention {
  readonly #limit: TimeLimit;
  readonly #numbers: () => number;
  #bounds: { readonly cutsOff: boolean; readonly leastTries: number } | undefined;
  /** Keys of the records that the request names, by their ids. */
  readonly #named = new Map<string, Key>();
  #isPatient = false;
  /** The items by which the last attempt was refused. */
  #met: readonly Key[] = [];
  #tries = 0;
  #since: number | undefined;
  #callsBefore = 0;
  #isOpen = false;

  /** @param numbers how many sequence numbers are to be released unless the request commits */
  constructor(limit: TimeLimit, numbers: () => number = () => 0) {
    this.#limit = limit;
    this.#numbers = numbers;
  }

  /** Bounds the release of a number: it repeats no call without room for it. Readers fence what is not released. */
  ofRelease(limit: TimeLimit): Contention {
    const contention = new Contention(limit, this.#numbers);
    contention.#bounds = this.#bounds && { cutsOff: true, leastTries: 0 };
    return contention;
  }

  /** Bounds the tries, for a caller that waits. `cutsOff`: it must not give up early on the record that it names. */
  bound(cutsOff: boolean): void {
    this.#bounds = { cutsOff, leastTries: LEAST_TRIES };
  }

  /** Notes that a run of the operation begins. */
  beginRun(): void {
    this.#isPatient = this.#bounds?.cutsOff ?? false;
    this.#met = [];
    this.#callsBefore = this.#callsMade;
  }

  /** Notes a record that the request names. */
  name({ id, key }: { readonly id: string; readonly key: Key }): void {
    this.#named.set(id, key);
  }

  /** Notes that this run cuts nothing off. */
  giveUpEarly(): void {
    this.#isPatient = false;
  }

  /** Notes the items by which an attempt was refused. */
  noteMet(keys: readonly Key[]): void {
    this.#met = keys;
  }

  /** Notes that an attempt has no response: it may be carried out later. */
  noteNoResponse(): void {
    this.#isOpen = true;
  }

  /** Notes a conflict with another transaction, before the call is sent again. @throws what {@link refusal} returns */
  meet(keys: readonly Key[], conflict: unknown, pause: number): void {
    this.noteMet(keys);
    const refusal = this.refusal(conflict, pause, 1);
    if (refusal !== undefined) throw refusal;
    // A further run of the operation does not need this call.
    this.#callsBefore += 1;
  }

  /**
   * The error with which the request ends, because others were met once more; undefined where there is a further try.
   * @param pause before that try, in milliseconds
   * @param calls of the table that it takes; by default those of this run, and the release of its journal number
   */
  refusal(cause: unknown, pause: number, calls = this.#callsOfRun): Error | undefined {
    if (this.#bounds === undefined) return undefined;
    const now = this.#limit.clock();
    this.#tries += 1;
    this.#since ??= now;
    const isOfNamed = this.#met.some((key) => isOf(key, this.#named));
    const givesUp =
      isOfNamed && !this.#isPatient && (this.#tries >= NAMED.tries || now + pause - this.#since > NAMED.within);
    const callsAfter = Math.min(this.#numbers(), MOST_RELEASES) * CALLS_A_RELEASE + CALLS_OF_BUDGETS;
    const hasCalls = this.#tries < this.#bounds.leastTries || this.#callsMade + calls + callsAfter <= MOST_CALLS;
    if (!givesUp && hasCalls && now + pause <= this.#limit.deadline) return undefined;
    const contended = new Contended(isOfNamed, { cause });
    // Not with the conflict as the cause: that alone would count as contention.
    return this.#isOpen
      ? new TableUnavailable('it is not known whether an earlier attempt was carried out', { cause: contended })
      : contended;
  }

  get #callsMade(): number {
    return this.#limit.observer?.callsMade() ?? 0;
  }

  get #callsOfRun(): number {
    return this.#callsMade - this.#callsBefore + Math.min(this.#numbers(), 1) * CALLS_A_RELEASE;
  }
}

/**
 * Whether an item is one of these records, or belongs to it: its key has the record's id. It is not looked for in the
 * tenant's part, `ORG#<tenant>#`: all items of an organization are under its id, not only what belongs to its record.
 */
const isOf = ({ PK, SK }: Key, named: ReadonlyMap<string, Key>): boolean =>
  named.values().some((key) => PK === key.PK && SK === key.SK) ||
  [...PK.split('#').slice(2), ...SK.split('#')].some((part) => named.has(part));
