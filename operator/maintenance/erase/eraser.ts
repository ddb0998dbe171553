import { readPartition } from '@custodia/counted-lists';
import type { Entity, Tenant } from '#table';
import { recordsPartition } from '#table/keys';
import { concurrently, type Kind } from '#verify';
import { deleteKey, type EraseTarget, emptyPartition, emptyRegister } from './empty.ts';
import { partitionsOf } from './partitions.ts';
import { sweep } from './sweep.ts';

interface Options {
  readonly kinds: readonly Kind[];
  /** The kind of the integrations. */
  readonly integrations: Entity;
  /** Is told how many items were deleted, as it goes. */
  readonly onDelete: (items: number) => void;
}

/** Deletes what there is of a tenant. Interrupted anywhere, it is run again from the start. */
export class Eraser {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Deletes the credentials of all integrations of a tenant: from then on nobody can log in or sign a webhook.
   * @returns how many there were
   */
  async deleteKeys({ id, session }: Tenant): Promise<number> {
    const { integrations, onDelete } = this.#options;
    const place: EraseTarget = { table: session.tables.of(id), clock: session.clock };
    let deleted = 0;
    for await (const { app_code } of readPartition(place, recordsPartition(id, integrations.name))) {
      if (typeof app_code !== 'string' || !(await deleteKey(place, id, app_code))) continue;
      deleted += 1;
      onDelete(1);
    }
    return deleted;
  }

  /**
   * Deletes everything else: first what is found by records, then the records, integrations last.
   * @param isLast whether no request is under way any more. One that was has perhaps changed a record after its sets
   *   were deleted, and so made the   set of a value that no record has: the notes of values stay for the next pass to
   *   find it.
   */
  async deleteRecords({ id, session }: Tenant, isLast: boolean): Promise<void> {
    const { kinds, integrations, onDelete } = this.#options;
    const place: EraseTarget = { table: session.tables.of(id), clock: session.clock };
    const { derived, notes, records } = await partitionsOf(place, id, kinds, integrations);
    await concurrently(derived, async (partition) => {
      await emptyPartition(place, partition, onDelete);
      return [];
    });
    await emptyRegister(place, id, onDelete);
    for (const partition of [...(isLast ? notes : []), ...records]) await emptyPartition(place, partition, onDelete);
  }

  /** Deletes what is left under the tenant's keys in the whole table, which needs credentials that may scan it. */
  sweep(tenant: Tenant): Promise<void> {
    return sweep(tenant, this.#options.onDelete);
  }
}
