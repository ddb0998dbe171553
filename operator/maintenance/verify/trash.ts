import type { Tenant } from '#table';
import { entryKey, isTombstoneOf, lostEntryOf, readPlace } from '#table/storage';
import { changed, NOTHING, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import type { Kind } from './kinds.ts';
import { concurrently, readItem } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/** Verifies that the trash lists each deleted record that is kept, and nothing else (`docs/decisions/0008`). */

export async function verifyTrash(scope: VerifyContext, tenant: Tenant, scan: RecordScan): Promise<Verified[]> {
  const { entity, trashed } = scan;
  if (entity.restorable === undefined) return [];
  const records = tenant.trashOf(entity);
  const missing = new Map(trashed);
  const suspected: (readonly [id: string, deletedAt: number])[] = [];
  for await (const { id, deletedAt } of records.allEntries())
    if (missing.get(id) === deletedAt) missing.delete(id);
    else suspected.push([id, deletedAt]);
  return concurrently([...missing, ...suspected], ([id, deletedAt]) =>
    verifyUntilStable(scope, { entity: entity.name, id }, async () => {
      const key = entryKey(records, deletedAt, id);
      const [item, entry] = [await readPlace(records, id), await readItem(scope, key)];
      const isKept = isTombstoneOf(item, id, deletedAt);
      // DynamoDB has deleted what is still to be ended.
      if (isKept === (entry !== undefined) || item === undefined) return NOTHING;
      if (isKept)
        return {
          found: [['trash', 'is missing in the trash']],
          repair: (work) => work.put(lostEntryOf(records, item), changed),
        };
      return {
        found: [['trash', 'is in the trash, where there is nothing to restore']],
        repair: (work) => work.delete(key, { exists: true }, changed),
      };
    }),
  );
}

/** Ends what was deleted too long ago: the tenant's deletions do that, where there are any. */
export async function endExpiredTrash(tenant: Tenant, kinds: readonly Kind[]): Promise<void> {
  const limit = { clock: tenant.session.clock, deadline: Number.POSITIVE_INFINITY };
  for (const { entity } of kinds) if (entity.restorable) await tenant.trashOf(entity).endExpired(limit);
}
