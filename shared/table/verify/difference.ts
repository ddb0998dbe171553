import type { Clock } from '../../clock.ts';
import type { Table } from '../client.ts';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import { Work } from '../work.ts';

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
  | 'stray-in-list'
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
  | 'interrupted-sweep'
  /** What is written all the time and could not be looked at. */
  | 'busy';

export interface Verified extends Difference {
  readonly repaired: boolean;
}

/** What a verification works on. */
export interface Scope {
  readonly table: Table;
  readonly tenant: TenantId;
  readonly clock: Clock;
  readonly repair: boolean;
}

/** What was found at one moment, and what would mend it: writes that expect everything to be as it was found. */
export interface Finding {
  readonly differences: readonly Difference[];
  readonly mend?: ((work: Work) => void) | undefined;
}

const TRIES = 20;
/** Longest time for one transaction, in milliseconds. */
const PATIENCE = 10_000;

/** Looks at something, and mends it if asked to. Where somebody changed it in between, it is looked at again: their write stands. */
export async function settle(scope: Scope, look: () => Promise<Finding>): Promise<Verified[]> {
  for (let tries = 1; ; tries++) {
    const { differences, mend } = await look();
    const tell = (repaired: boolean): Verified[] => differences.map((difference) => ({ ...difference, repaired }));
    if (differences.length === 0 || !scope.repair || mend === undefined || tries > TRIES) return tell(false);
    try {
      await commit(scope, mend);
      return tell(true);
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error;
    }
  }
}

async function commit({ table, clock }: Scope, stage: (work: Work) => void): Promise<void> {
  const work = new Work();
  stage(work);
  await work.commit(table, { clock, deadline: clock() + PATIENCE });
}

/** The error of a write that found something else than what was looked at. */
export const changed = (): StaleRead => new StaleRead('it has changed since it was looked at');
