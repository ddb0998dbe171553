import { setTimeout as sleep } from 'node:timers/promises';
import { type Table, UnitOfWork } from '@custodia/counted-lists';
import { StaleRead, type TenantId } from '#table';
import type { Clock } from '../../../shared/clock.ts';

/** A difference between the records and what is derived from them. */
export interface Verified extends Omit<Subject, 'name'> {
  readonly kind: DifferenceKind;
  /** The message. */
  readonly text: string;
  readonly repaired: boolean;
  /** Why it could not be repaired, if known. */
  readonly reason?: string | undefined;
}

/** What a difference is about. */
export interface Subject {
  /** Kind of record: `TICKET`. */
  readonly entity: string;
  /** Id of the record, if it is about an existing one. */
  readonly id?: string | undefined;
  /** Filter, counter or unique field. */
  readonly field?: string | undefined;
  /** In messages; by default the id. */
  readonly name?: string;
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
  | 'counter-item-behind'
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
  /** A deleted record is not as one that can be restored: its bit, its place in the trash, or its end is missing. */
  | 'trash'
  /** What a user may do does not follow from its memberships. */
  | 'user-access'
  /** A cascade delete is not finished. */
  | 'unfinished-delete'
  /** Not verified, because it kept changing. */
  | 'busy';

export interface VerifyContext {
  readonly table: Table;
  readonly tenant: TenantId;
  readonly clock: Clock;
  readonly repair: boolean;
}

/** A difference of something, perhaps of one of its fields. The text continues its name. */
export type Found = readonly [kind: DifferenceKind, text: string, field?: string];

/** Something as of one moment. */
export interface Look {
  readonly found: readonly Found[];
  /** Writes on condition that everything is unchanged since it was read. */
  readonly repair?: (work: UnitOfWork) => void;
  /** Where more is known of it than before it was read. */
  readonly subject?: Subject;
}

export const NOTHING: Look = { found: [] };

/** The error where something has changed since it was read: while it was looked at, or before its repair. */
export const changed = (): StaleRead => new StaleRead('it has changed since it was read');

const TRIES = 50;
/** Longest random wait before the next try, in milliseconds. It grows to this with the number of tries. */
const LONGEST_WAIT = 100;
/**
 * Longest time for one transaction, in milliseconds: the operator can wait, and a table on demand needs a while to take
 * more writes.
 */
const TIMEOUT_MS = 60_000;

const BUSY: Look = { found: [['busy', 'changes too fast to be verified']] };

/**
 * Verifies something, and repairs it if requested. If another request changes it in between, that change stays, and it
 * is verified again after a random wait. When the tries are used up, it is reported as busy or as not repaired.
 * @param look throws {@link changed} where it cannot be verified
 */
export async function verifyUntilStable(
  scope: VerifyContext,
  subject: Subject,
  look: () => Promise<Look>,
): Promise<Verified[]> {
  for (let tries = 1; ; tries++) {
    const seen = await unlessChanged(look());
    if (seen !== undefined && (seen.found.length === 0 || !scope.repair || seen.repair === undefined))
      return verified(subject, seen, false);
    try {
      if (seen?.repair !== undefined && (await commit(scope, seen.repair))) return verified(subject, seen, true);
    } catch (error) {
      if (!isDenied(error)) throw error;
      return verified(subject, seen, false, 'these credentials may not change it');
    }
    if (tries === TRIES) return verified(subject, seen, false, 'others change it all the time: try again later');
    await sleep(Math.random() * Math.min(tries * 10, LONGEST_WAIT));
  }
}

function verified(subject: Subject, seen: Look = BUSY, repaired: boolean, reason?: string): Verified[] {
  const { entity, id, field: usual, name = id } = seen.subject ?? subject;
  return seen.found.map(([kind, text, field = usual]) => {
    const difference = { kind, entity, id, field, text: `${entity} ${name} ${text}`, repaired };
    return reason === undefined ? difference : { ...difference, reason };
  });
}

/** @returns undefined where something has changed */
const unlessChanged = <T>(done: Promise<T>): Promise<T | undefined> =>
  done.catch((error: unknown) => {
    if (!(error instanceof StaleRead)) throw error;
    return undefined;
  });

/** IAM denies the maintenance role some changes (`docs/decisions/0098-command-line.md`). */
const isDenied = (error: unknown): boolean => error instanceof Error && error.name === 'AccessDeniedException';

/** @returns whether nothing has changed since it was read, and the writes are done */
export async function commit({ table, clock }: VerifyContext, stage: (work: UnitOfWork) => void): Promise<boolean> {
  const work = new UnitOfWork();
  stage(work);
  const done = work.commit(table, { clock, deadline: clock() + TIMEOUT_MS }).then(() => true);
  return (await unlessChanged(done)) === true;
}
