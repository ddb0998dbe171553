import { declaredEntities } from '../all-entities.ts';
import { auditEvent } from '../audit/contract.ts';

/** What reading the total of a list takes of its entity. */
interface CountedKind {
  readonly name: string;
  readonly recordType: string;
  readonly createdAt: string;
  /** Only whether there is one matters to readers. */
  readonly retentionDays?: number;
}

const all = await declaredEntities();

/** Every kind of record with a list of its own, in order of their types; not the journal. A bundle holds this list and no domain's contract. */
export const kinds: readonly CountedKind[] = all
  .filter(({ parent, single, ordered }) => parent === undefined && !single && !ordered)
  .map(({ name, record = auditEvent, createdAt, retentionDays }) => ({
    name,
    recordType: record.name,
    createdAt,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  }))
  .toSorted((one, other) => one.recordType.localeCompare(other.recordType));
