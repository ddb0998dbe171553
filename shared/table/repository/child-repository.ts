import { StaleRead } from '../errors.ts';
import { readNumbered } from '../lists/page.ts';
import { VERSION } from '../schema.ts';
import { CHILDREN, type ChildKeys, readChildKeys, stageDeletionOfAll } from './children.ts';
import { toAttributes } from './entity.ts';
import { checkSize } from './record-size.ts';
import type { Page, PageQuery, Stored } from './records.ts';
import { Repository } from './repository.ts';

/** The records of one kind below one parent: the messages of a ticket. The parent counts them. Made by the tenant handle (`tenant.ts`) only. */
export class ChildRepository<T extends object> extends Repository<T> {
  /** One page of records that their parent numbers. It is read beside the parent. */
  async pageBelow(parent: Promise<Stored<object>>, query: Omit<PageQuery, 'filter'>): Promise<Page<T>> {
    const count = parent.then(({ item }) => Number(item[CHILDREN] ?? 0));
    const request = this.requestOf(query);
    return this.pageOf(await readNumbered(this.table, this.location.partition, count, request));
  }

  /** Stages a new record that its parent, as read, numbers. */
  createNumbered(parent: Stored<object>, fields: Omit<T, 'id'>): Stored<T> {
    const count = parent.item[CHILDREN];
    const id = Number(count ?? 0) + 1;
    const record = { id, ...fields } as unknown as T;
    checkSize(this.entity, record);
    const item = { ...this.keyOf(id), ...toAttributes(this.entity, record), [VERSION]: 1 };
    this.work.put(item, () => new StaleRead('the number is given'));
    this.countChild({ [CHILDREN]: count });
    return { record, version: 1, item };
  }

  /** What lies here, for {@link deleteAll}: may be read beside the parent. */
  keys(): Promise<ChildKeys> {
    return readChildKeys(this.table, this.location.partition);
  }

  /**
   * Stages the end of all records here, together with their parent: a few in its transaction, many after it (`cascade-delete.ts`).
   * @returns what must hold of the parent for its deletion
   */
  deleteAll(keys: ChildKeys, parent: Stored<object>): Readonly<Record<string, unknown>> {
    return stageDeletionOfAll(this.session, this.tenant, this.location.partition, keys, parent.item[CHILDREN]);
  }

  /** Also holds the parent in place: no record comes to lie below one that is being deleted. */
  protected override countChild(equals: Readonly<Record<string, unknown>> = {}): void {
    const { parent } = this.location;
    if (parent === undefined) return;
    this.work.update(parent.key, {
      add: { [CHILDREN]: 1 },
      condition: { equals: { id: parent.id, ...equals } },
      onConditionFailed: () => new StaleRead('the parent is gone'),
    });
  }
}
