import { type Item, indexes, restorable, schema } from '@custodia/counted-lists';
import type { TimeLimit } from '../../clock.ts';
import { StaleRead } from '../errors.ts';
import { cascadeAfterCommit } from './cascade-delete.ts';
import { stageDerived } from './derived-fields.ts';
import { toRecord } from './entity.ts';
import type { Stored } from './records.ts';
import { Repository } from './repository.ts';
import { noteValues, stageClaims } from './stored-values.ts';
import * as trash from './trash.ts';

/** A deleted record that can be restored: as it was, in the version of its deletion. */
export interface Trashed<T> extends Stored<T> {
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** The deleted records of a kind that can be restored (`trash.ts`). Made only by the tenant handle (`tenant.ts`). */
export class TrashRepository<T extends object> extends Repository<T> {
  /** Strongly consistent. */
  override async get(id: string): Promise<Trashed<T> | undefined> {
    const item = await trash.readPlace(this, id);
    if (!trash.isTombstoneOf(item, id)) return undefined;
    const deletedAt = Number(item[restorable.TRASHED]);
    if (trash.endOfTrash(deletedAt) <= trash.timeOf(this)) return undefined;
    const record = toRecord(this.entity, trash.itemInTrash(item));
    return { record, version: Number(item[schema.VERSION]), item, deletedAt };
  }

  /** The last deleted ones, the newest first. One more than `limit` says that others follow. `after`: a place. */
  entries(limit: number, after?: string): Promise<readonly trash.TrashedEntry[]> {
    const from = trash.timeOf(this) - trash.endOfTrash(0) + 1;
    return trash.readTrash(this, { from, limit: limit + 1, newestFirst: true, after });
  }

  /** All entries, also of what cannot be restored any more, the oldest first: for the operator. */
  async *allEntries(): AsyncGenerator<trash.TrashedEntry> {
    let after: string | undefined;
    do {
      const read = await trash.readTrash(this, { from: 0, limit: 1_000, newestFirst: false, after });
      yield* read;
      after = read.length < 1_000 ? undefined : read.at(-1)?.place;
    } while (after !== undefined);
  }

  /** Ends all that was deleted too long ago. @returns whether that was all */
  endExpired(limit: TimeLimit): Promise<boolean> {
    return trash.endExpired(this, limit, Number.POSITIVE_INFINITY);
  }

  /**
   * Stages that a record is there again, as read: with its fields, in all lists, with what it claims and counts. The
   * commit is refused as that of a new record would be.
   */
  restore(trashed: Trashed<T>): Promise<Stored<T>> {
    return this.session.changes.staging(async () => {
      const { record, item: tombstone, deletedAt } = trashed;
      const id = String(tombstone[trash.DELETED]);
      const version = trashed.version + 1;
      const kept = await this.observe({ verb: 'restored', id, version, fields: [], item: tombstone });
      const restored: Item = { ...trash.itemInTrash(tombstone), [schema.VERSION]: version, ...kept };
      const item = { ...this.indexes.withNotes(restored), ...this.keyOf(id) };
      const lacking = this.indexes.leftOut.filter((name) => !indexes.Indexes.isIn(item, name));
      this.noteUnbuilt({ list: this.list, filters: lacking });
      const { entered } = this.indexes.change(undefined, item);
      noteValues(this, this.indexes.openValues(entered));
      this.indexes.stage(this.work, item, { left: [], entered });
      this.work.put(item, () => new StaleRead('it is not in the trash any more'), trash.asTrashed(tombstone));
      this.work.noteSize(schema.keyIn(item), tombstone);
      trash.stageLeaving(this.work, this, id, deletedAt);
      stageClaims(this, undefined, { record, id });
      stageDerived(this, undefined, record);
      return { record, version, item };
    });
  }

  /** Stages that a record, as read, cannot be restored any more. */
  end({ item, deletedAt }: Trashed<T>): void {
    trash.stageEnd(this.work, this, { id: String(item[trash.DELETED]), deletedAt }, item);
    cascadeAfterCommit(this.session, this.tenant);
  }
}
