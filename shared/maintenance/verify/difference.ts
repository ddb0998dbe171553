import { setTimeout as sleep } from 'node:timers/promises';
import { type Table, UnitOfWork } from '#lists';
import { StaleRead } from '#table';
import type { TenantId } from '#table/keys';
import type { Clock } from '../../clock.ts';

/** A difference between the records and what is derived from them. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Kind of record: `TICKET`. */
  readonly entity: string;
  /** Id of the record, if it is about an existing one. */
  readonly id?: string | undefined;
  /** Filter, counter or unique field. */
  readonly field?: string | undefined;
  /** The message. */
  readonly text: string;
}

export type DifferenceKind =
  /** A record is missing in a list that it belongs to. */
  | 'missing-in-list'
  /** A list contains a number whose record does not belong to it. */
  | 'wrongly-in-list'
  /** A record is counted as deleted. */
  | 'hidden-record'
  /** A number is counted but has no record. */
  | 'lost-number'
  /** A word of a set is out of range. */
  | 'damaged-word'
  /** A list's next number is not above those of its records, or its marks of expiry are missing. */
  | 'head-behind'
  /** Records older than a filter are not in its lists. */
  | 'filter-not-built'
  /** A value that callers chose for a filter is not noted. */
  | 'value-not-noted'
  | 'counter'
  /** A record is stored with a flag, or with words, that do not follow from its fields. */
  | 'wrong-note'
  /** The claim of a unique value is missing or wrong. */
  | 'unique-value'
  /** Two records have the same unique value. */
  | 'not-unique'
  /** An event of the journal stands after one of a later version of its record, or has the same version. */
  | 'out-of-order'
  /** An organization and its copy in the platform's list differ. */
  | 'organization'
  /** A cascade delete is not finished. */
  | 'unfinished-delete'
  /** Not verified, because it kept changing. */
  | 'busy';

export interface Verified extends Difference {
  readonly repaired: boolean;
  /** Why it could not be repaired, if known. */
  readonly reason?: string | undefined;
}

export interface VerifyContext {
  readonly table: Table;
  readonly tenant: TenantId;
  readonly clock: Clock;
  readonly repair: boolean;
}

/**
 * The differences as of one moment, and their repair: writes on condition that everything is unchanged since it was
 * read.
 */
export interface Comparison {
  readonly differences: readonly Difference[];
  readonly repair?: ((work: UnitOfWork) => void) | undefined;
}

/** Something changed while it was read, so it cannot be verified. */
export class Moved {
  /** What to report when the retries are used up. */
  readonly busy: Difference;

  constructor(busy: Omit<Difference, 'kind'>) {
    this.busy = { kind: 'busy', ...busy };
  }
}

const TRIES = 50;
/** Longest random wait before the next try, in milliseconds. It grows to this with the number of tries. */
const LONGEST_WAIT = 100;
/** Longest time for one transaction, in milliseconds: the operator can wait, and a table on demand needs a while to take more writes. */
const TIMEOUT_MS = 60_000;

/**
 * Verifies something, and repairs it if requested. If another request changes it in between, that change stays, and it
 * is verified again after a random wait. When the tries are used up, it is reported as busy or as not repaired.
 */
export async function verifyUntilStable(
  scope: VerifyContext,
  look: () => Promise<Comparison | Moved>,
): Promise<Verified[]> {
  for (let tries = 1; ; tries++) {
    const found = await look();
    if (!(found instanceof Moved)) {
      const outcome = await repaired(scope, found);
      if (outcome !== undefined) return outcome;
    }
    if (tries === TRIES) return asVerified(found instanceof Moved ? [found.busy] : found.differences, false, TOO_FAST);
    await sleep(Math.random() * Math.min(tries * 10, LONGEST_WAIT));
  }
}

const TOO_FAST = 'others change it all the time: try again later';

/** @returns undefined where it has changed since it was read */
async function repaired(scope: VerifyContext, { differences, repair }: Comparison): Promise<Verified[] | undefined> {
  if (differences.length === 0 || !scope.repair || repair === undefined) return asVerified(differences, false);
  try {
    await commit(scope, repair);
    return asVerified(differences, true);
  } catch (error) {
    if (error instanceof StaleRead) return undefined;
    if (!isDenied(error)) throw error;
    return asVerified(differences, false, 'these credentials may not change it');
  }
}

const asVerified = (differences: readonly Difference[], repaired: boolean, reason?: string): Verified[] =>
  differences.map((difference) => ({ ...difference, repaired, ...(reason === undefined ? {} : { reason }) }));

/** IAM denies the maintenance role some changes (`docs/decisions/0098-command-line.md`). */
const isDenied = (error: unknown): boolean => error instanceof Error && error.name === 'AccessDeniedException';

async function commit({ table, clock }: VerifyContext, stage: (work: UnitOfWork) => void): Promise<void> {
  const work = new UnitOfWork();
  stage(work);
  await work.commit(table, { clock, deadline: clock() + TIMEOUT_MS });
}

/** The error of a repair when something has changed since it was read. */
export const changed = (): StaleRead => new StaleRead('it has changed since it was read');
