import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Table } from '../connection/client.ts';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import { UnitOfWork } from '../transaction/unit-of-work.ts';

/** Something that does not agree with the records. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Kind of record: `TICKET`. */
  readonly entity: string;
  /** Id of the record that it is about, where it is about one that is there. */
  readonly id?: string | undefined;
  /** Filter, counter or unique field that it is about. */
  readonly field?: string | undefined;
  /** What is wrong, in words. */
  readonly text: string;
}

export type DifferenceKind =
  /** A record does not stand in a list that it belongs to. */
  | 'missing-in-list'
  /** A list holds a number whose record does not belong to it. */
  | 'wrongly-in-list'
  /** A record is counted as deleted. */
  | 'hidden-record'
  /** A number is counted and has no record. */
  | 'lost-number'
  /** A word of a set holds more than its bits. */
  | 'damaged-word'
  /** A list's next number is below that of a record. */
  | 'head-behind'
  /** Records that are older than a filter do not stand in its lists. */
  | 'filter-not-built'
  | 'counter'
  /** The claim of a unique value is missing, or is no record's. */
  | 'unique-value'
  /** Two records have the same unique value. */
  | 'not-unique'
  /** An organization and its copy in the platform's list. */
  | 'organization'
  /** What belonged to a deleted record is still there. */
  | 'unfinished-delete'
  /** What is written all the time and could not be looked at. */
  | 'busy';

export interface Verified extends Difference {
  readonly repaired: boolean;
  /** Why it could not be repaired, where that was asked for and is known. */
  readonly reason?: string | undefined;
}

/** What a verification works on. */
export interface Scope {
  readonly table: Table;
  readonly tenant: TenantId;
  readonly clock: Clock;
  readonly repair: boolean;
}

/** What was found at one moment, and what would repair it: writes that expect everything to be as it was found. */
export interface Finding {
  readonly differences: readonly Difference[];
  readonly repair?: ((work: UnitOfWork) => void) | undefined;
}

/** Others changed something while it was looked at, so that nothing can be said of it. */
export class Moved {
  /** What to say if it never stands still. */
  readonly busy: Difference;

  constructor(busy: Omit<Difference, 'kind'>) {
    this.busy = { kind: 'busy', ...busy };
  }
}

const TRIES = 50;
/** Longest wait before something is looked at again, in milliseconds: it grows to this with the tries. A random part of it is waited. */
const LONGEST_WAIT = 100;
/** Longest time for one transaction, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Looks at something, and repairs it if asked to. Where somebody changed it in between, it is looked at again after a random wait: their write
 * stands. What never stands still for it is told as busy, or as not repaired.
 */
export async function settle(scope: Scope, look: () => Promise<Finding | Moved>): Promise<Verified[]> {
  for (let tries = 1; ; tries++) {
    const found = await look();
    if (!(found instanceof Moved)) {
      const outcome = await repaired(scope, found);
      if (outcome !== undefined) return outcome;
    }
    if (tries === TRIES) return toldAs(found instanceof Moved ? [found.busy] : found.differences, false, TOO_FAST);
    await sleep(Math.random() * Math.min(tries * 10, LONGEST_WAIT));
  }
}

const TOO_FAST = 'others change it all the time: try again later';

/** @returns undefined where somebody has changed it since it was looked at */
async function repaired(scope: Scope, { differences, repair }: Finding): Promise<Verified[] | undefined> {
  if (differences.length === 0 || !scope.repair || repair === undefined) return toldAs(differences, false);
  try {
    await commit(scope, repair);
    return toldAs(differences, true);
  } catch (error) {
    if (error instanceof StaleRead) return undefined;
    if (!isDenied(error)) throw error;
    return toldAs(differences, false, 'these credentials may not change it');
  }
}

const toldAs = (differences: readonly Difference[], repaired: boolean, reason?: string): Verified[] =>
  differences.map((difference) => ({ ...difference, repaired, ...(reason === undefined ? {} : { reason }) }));

/** IAM keeps from the maintenance role what it shall not change (`docs/decisions/0092-operator-verify.md`). */
const isDenied = (error: unknown): boolean => error instanceof Error && error.name === 'AccessDeniedException';

async function commit({ table, clock }: Scope, stage: (work: UnitOfWork) => void): Promise<void> {
  const work = new UnitOfWork();
  stage(work);
  await work.commit(table, { clock, deadline: clock() + TIMEOUT_MS });
}

/** The error of a write that found something else than what was looked at. */
export const changed = (): StaleRead => new StaleRead('it has changed since it was looked at');
