import { declaredEntities } from '../all-entities.ts';
import { auditEvent } from '../audit/contract.ts';

/** The parts of an entity that reading a list's total needs. */
interface CountedKind {
  readonly name: string;
  readonly recordType: string;
  readonly createdAt: string;
  /** Only whether there is one matters to readers. */
  readonly retentionDays?: number;
}

const all = await declaredEntities();

/** The kinds of records with lists, but the journal, by type. Bundles hold this list instead of the contracts. */
export const kinds: readonly CountedKind[] = all
  .filter(({ parent, single, ordered }) => parent === undefined && !single && !ordered)
  .map(({ name, record = auditEvent, createdAt, retentionDays }) => ({
    name,
    recordType: record.name,
    createdAt,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  }))
  .toSorted((one, other) => one.recordType.localeCompare(other.recordType));
