import { StaleRead } from '../errors.ts';
import { childPartition, recordsPartition } from '../keys.ts';
import { DerivedFields } from './derived-fields.ts';
import type { CountedBy, Entity, LatestOf } from './entity.ts';
import { RecordReader, type Records } from './record-reader.ts';

/**
 * What a record derives from those that refer to it. It is declared beside the reference (`counted` and `latest` of an entity), and the repository
 * stages it with whatever changes the reference or what counts: a creation, a change, a deletion. No operation does.
 */

type AnyRecord = Readonly<Record<string, unknown>>;

/**
 * Stages what a change of a record changes in those that it refers to.
 * @param before undefined for a new record
 * @param after undefined for one that is deleted
 */
export function stageDerived(records: Records, before: object | undefined, after: object | undefined): void {
  const { counted, latest } = records.entity;
  const [was, is] = [before as AnyRecord | undefined, after as AnyRecord | undefined];
  for (const [field, declared] of Object.entries(counted))
    if (declared !== undefined) stageCounts(records, field, declared as CountedBy<unknown>, was, is);
  for (const [field, declared] of Object.entries(latest)) {
    const id = is?.[field];
    if (declared !== undefined && typeof id === 'string' && id !== was?.[field])
      stageLatest(records, id, declared, is ?? {}, was === undefined);
  }
}

function stageCounts(
  records: Records,
  field: string,
  declared: CountedBy<unknown>,
  was: AnyRecord | undefined,
  is: AnyRecord | undefined,
): void {
  const [left, joined] = [was?.[field], is?.[field]];
  const derived = derivedOf(records, declared.by);
  for (const id of new Set([left, joined])) {
    if (typeof id !== 'string') continue;
    const add = additions(declared, field, id, was, is);
    if (id !== joined) derived.adjust(id, { add }, () => new StaleRead('the record has left what it referred to'));
    else if (id !== left) derived.adjust(id, { add, equals: declared.equals?.(is) ?? {} }, declared.onMissing);
    else if (Object.keys(add).length > 0) derived.adjust(id, { add }, declared.onMissing);
  }
}

/** What a change adds to the counters of one record, but for those that it leaves as they are. */
function additions(
  { counts }: CountedBy<unknown>,
  field: string,
  id: string,
  was: AnyRecord | undefined,
  is: AnyRecord | undefined,
): Readonly<Record<string, number>> {
  const all = Object.entries(counts).map(([counter, which]): [string, number] => {
    const times = (record: AnyRecord | undefined): number =>
      Number(record?.[field] === id && (which === 'all' || which(record)));
    return [counter, times(is) - times(was)];
  });
  return Object.fromEntries(all.filter(([, amount]) => amount !== 0));
}

function stageLatest(records: Records, id: string, declared: LatestOf, record: AnyRecord, isNew: boolean): void {
  derivedOf(records, declared.of).advance(id, declared.field, async () => {
    // Of a record that gets its reference later, those below it count, too.
    const below = isNew ? undefined : await latestBelow(records, String(record.id), declared);
    return [record[declared.time], below]
      .filter((time) => typeof time === 'string')
      .toSorted()
      .at(-1);
  });
}

async function latestBelow(
  { session, tenant, entity }: Records,
  id: string,
  { below, time }: LatestOf,
): Promise<unknown> {
  const child = below();
  const partition = childPartition(tenant, entity.name, id, child.name);
  const reader = new RecordReader(session, tenant, child, { partition });
  const { records } = await reader.cursorPage({ limit: 1, newestFirst: true });
  return records[0]?.record[time];
}

const derivedOf = ({ session, tenant }: Records, entity: Entity): DerivedFields<Record<string, unknown>> =>
  new DerivedFields(new RecordReader(session, tenant, entity, { partition: recordsPartition(tenant, entity.name) }));
