import { schema } from '#lists';
import { valueKey } from '#table/keys';
import { putValue, valueExpiry } from '#table/storage';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently, readItem, withRetries } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/** The noted values, by filter field (`repository/filter-values.ts`). */
export type NotedValues = ReadonlyMap<string, ReadonlySet<string>>;

/** Verifies that the values of records are noted. Values of records that are older than the notes may be missing. */
export function verifyValues(
  scope: VerifyContext,
  { entity, partition, indexes, values }: RecordScan,
  noted: NotedValues,
): Promise<Verified[]> {
  const all = Array.from(values).flatMap(([field, ofField]) => Array.from(ofField, (value) => ({ field, value })));
  const suspected = indexes.openValues(all).filter(({ field, value }) => noted.get(field)?.has(value) !== true);
  return concurrently(suspected, ({ field, value }) =>
    verifyUntilStable(scope, async () => {
      const key = valueKey(partition, field, value);
      if ((await readItem(scope, key)) !== undefined) return { differences: [] };
      const text = `${entity.name} ${field}=${value} is not noted: erasing would find its set by records alone`;
      const expires = valueExpiry(entity.retentionDays, scope.clock());
      const item = { ...key, ...(expires === undefined ? {} : { [schema.TTL]: expires }) };
      return {
        differences: [{ kind: 'value-not-noted', entity: entity.name, field, text }],
        repair: (work) => work.put(item, changed),
      };
    }),
  );
}

/**
 * Notes the values of records that are about to enter the lists of a filter: a value is noted before its set exists. One write unit for each value,
 * however many records have it.
 */
export async function noteValuesToCome(
  scope: VerifyContext,
  { entity, partition, unnotedValues }: RecordScan,
): Promise<void> {
  const expires = valueExpiry(entity.retentionDays, scope.clock());
  const keys = unnotedValues.map(({ field, value }) => valueKey(partition, field, value));
  await concurrently(keys, async (key) => {
    await withRetries(scope, () => putValue(scope.table, key, expires));
    return [];
  });
}
