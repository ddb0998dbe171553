import { type Item, type Key, schema, storedSets, type UnitOfWork } from '@custodia/counted-lists';
import { StaleRead } from '../errors.ts';
import { CHILDREN, cascadeAfterCommit, FEW, keysIn, stageCascadeDelete, stageDeletions } from './cascade-delete.ts';
import { toAttributes } from './entity.ts';
import { checkSize, type Page, type PageQuery, type Stored } from './records.ts';
import { Repository } from './repository.ts';

/** The keys of records below a parent, and of the items of their list's sets: all of them where there are few. */
interface ChildKeys {
  readonly records: readonly Key[];
  readonly list: readonly Key[];
}

/**
 * The records of one kind below one parent, such as the messages of a ticket. The transaction that creates one also
 * raises the parent's count. So a parent with few of them is deleted in one transaction with them. Made only by the
 * tenant handle (`tenant.ts`).
 */
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
    this.countChild(1, { [CHILDREN]: count });
    return { record, version: 1, item };
  }

  /** The keys for {@link deleteAll}. Strongly consistent. May be read in parallel to the parent. */
  async keys(): Promise<ChildKeys> {
    const { partition } = this.location;
    const keys = [partition, storedSets.partitionOf(partition)].map((each) => keysIn(this.table, each));
    const [records = [], list = []] = await Promise.all(keys);
    return { records, list };
  }

  /**
   * Stages the deletion of all records together with their parent as found (`Repository.remove`): a few in the same
   * transaction; many, and all where others were added since they were read, after it (`cascade-delete.ts`).
   * @param others further records of the parent, whose keys were not read
   */
  deleteAll(
    { records, list }: ChildKeys,
    ...others: Pick<ChildRepository<object>, 'location'>[]
  ): (work: UnitOfWork, parent: Item) => Item {
    // The value that was staged last is the committed one.
    let isCascade = false;
    cascadeAfterCommit(this.session, this.tenant, () => isCascade);
    return (work, { [CHILDREN]: count }) => {
      isCascade = records.length + list.length > FEW || records.length !== Number(count ?? 0);
      if (isCascade) {
        for (const { location } of [this, ...others]) stageCascadeDelete(work, this.tenant, location.partition);
        return {};
      }
      stageDeletions(work, [...records, ...list]);
      return { [CHILDREN]: count };
    };
  }

  /** The condition keeps records from being created below a parent that is deleted at the same time. */
  protected override countChild(by: 1 | -1, equals: Readonly<Record<string, unknown>> = {}): void {
    const { parent } = this.location;
    if (parent === undefined) return;
    this.work.update(parent.key, {
      add: { [CHILDREN]: by },
      condition: { equals: { id: parent.id, ...equals } },
      onConditionFailed: () => new StaleRead('the parent is deleted'),
    });
  }
}
