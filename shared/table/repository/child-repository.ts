import { schema } from '#lists';
import { StaleRead } from '../errors.ts';
import { CHILDREN, type ChildKeys, readChildKeys, stageDeletionOfAll } from './children.ts';
import { toAttributes } from './entity.ts';
import { checkSize } from './record-size.ts';
import type { Page, PageQuery, Stored } from './records.ts';
import { Repository } from './repository.ts';

/** The records of one kind below one parent, which counts them: the messages of a ticket. Made only by the tenant handle (`tenant.ts`). */
export class ChildRepository<T extends object> extends Repository<T> {
  /** One page of records that their parent numbers. The parent may still be being read. */
  async pageBelow(parent: Promise<Stored<object>>, query: Omit<PageQuery, 'where'>): Promise<Page<T>> {
    const count = parent.then(({ item }) => Number(item[CHILDREN] ?? 0));
    return this.pageIn({ partition: this.location.partition, count }, query);
  }

  /** Stages a new record, numbered by its parent as read. */
  createNumbered(parent: Stored<object>, fields: Omit<T, 'id'>): Stored<T> {
    const count = parent.item[CHILDREN];
    const id = Number(count ?? 0) + 1;
    const record = { id, ...fields } as unknown as T;
    checkSize(this.entity, record);
    const item = { ...this.keyOf(id), ...toAttributes(this.entity, record), [schema.VERSION]: 1 };
    this.work.put(item, () => new StaleRead('the number is taken'));
    this.countChild({ [CHILDREN]: count });
    return { record, version: 1, item };
  }

  /** The keys for {@link deleteAll}. May be read in parallel to the parent. */
  keys(): Promise<ChildKeys> {
    return readChildKeys(this.table, this.location.partition);
  }

  /**
   * Stages the deletion of all records together with their parent: a few in the same transaction, many after it (`cascade-delete.ts`).
   * @returns the condition on the parent's attributes for its deletion
   */
  deleteAll(keys: ChildKeys, parent: Stored<object>): Readonly<Record<string, unknown>> {
    return stageDeletionOfAll(this.session, this.tenant, this.location.partition, keys, parent.item[CHILDREN]);
  }

  /** The condition keeps records from being created below a parent that is deleted at the same time. */
  protected override countChild(equals: Readonly<Record<string, unknown>> = {}): void {
    const { parent } = this.location;
    if (parent === undefined) return;
    this.work.update(parent.key, {
      add: { [CHILDREN]: 1 },
      condition: { equals: { id: parent.id, ...equals } },
      onConditionFailed: () => new StaleRead('the parent is deleted'),
    });
  }
}
