import { type Item, ids, readItems, schema } from '@custodia/counted-lists';
import { type TenantId, tenantPartition } from './keys.ts';
import { readTogether } from './read-together.ts';
import { changeOf, eventNumbersIn, journalEntity, type RecordChange } from './repository/journal.ts';
import { expiryOfRecord, type Stored } from './repository/records.ts';
import type { RequestSession } from './session/request-session.ts';

/**
 * The last changes of a record as read, the newest first: those of its last 50 events that are kept. A read unit for
 * each. Strongly consistent.
 * @throws TableUnavailable when time runs out
 */
export async function readHistory(
  session: RequestSession,
  tenant: TenantId,
  { item: record }: Pick<Stored<object>, 'item'>,
): Promise<readonly RecordChange[]> {
  const [table, partition] = [session.tables.of(tenant), tenantPartition(tenant, journalEntity.name)];
  const keys = eventNumbersIn(record).map((number) => ({ PK: partition, SK: ids.sortKeyOf(number) }));
  session.expectUnits?.(keys.length);
  const { items } = await readItems(table, keys, session);
  // The transaction of the last change may be visible in the record alone.
  const missing = keys.slice(-1).filter((key) => !items.has(schema.nameOf(key)));
  const [last] = missing.length === 0 ? [] : (await readTogether(table, missing, session)).items;
  const isKept = (item: Item): boolean =>
    item.record_id === record.id && (expiryOfRecord(item) ?? 0) * 1000 > session.now;
  const found = [...keys.map((key) => items.get(schema.nameOf(key))), last];
  return found.filter(schema.isRecord).filter(isKept).map(changeOf).toReversed();
}
