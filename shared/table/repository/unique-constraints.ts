import { NotUnique } from '../errors.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import type { Entity } from './entity.ts';

/** Values that one record of a tenant has at most: each is claimed by an item of its own, in the record's transaction. */
export class UniqueConstraints<T extends object> {
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;

  constructor(tenant: TenantId, entity: Entity<T>) {
    this.#tenant = tenant;
    this.#entity = entity;
  }

  /** Stages the claims of a new record. `refusalOf` gives the error where a value is taken, if not {@link NotUnique}. */
  claim(work: UnitOfWork, record: T, id: string, refusalOf: (field: string) => OnConditionFailed | undefined): void {
    for (const [field, value] of this.#of(record)) this.#take(work, field, value, id, refusalOf(field));
  }

  /** Stages that a record's values are free again. */
  release(work: UnitOfWork, record: T): void {
    for (const [field, value] of this.#of(record)) this.#free(work, field, value);
  }

  /** Stages what a change of a record means for its claims. */
  move(work: UnitOfWork, before: T, after: T, id: string): void {
    const old = this.#of(before);
    const next = this.#of(after);
    for (const [field, value] of next) if (old.get(field) !== value) this.#take(work, field, value, id);
    for (const [field, value] of old) if (next.get(field) !== value) this.#free(work, field, value);
  }

  /** A record's values, each in the spelling that stands for all that count as the same. */
  #of(record: T): Map<string, string> {
    const declared = Object.entries<((value: string) => string) | undefined>(this.#entity.unique);
    return new Map(
      declared.flatMap(([field, same]) => {
        const value = (record as Record<string, unknown>)[field];
        return typeof value === 'string' && same !== undefined ? [[field, same(value)] as const] : [];
      }),
    );
  }

  #take(
    work: UnitOfWork,
    field: string,
    value: string,
    id: string,
    onConditionFailed: OnConditionFailed = () => new NotUnique(field),
  ): void {
    work.put({ ...uniqueKey(this.#tenant, this.#entity.name, field, value), holder: id }, onConditionFailed);
  }

  #free(work: UnitOfWork, field: string, value: string): void {
    const key = uniqueKey(this.#tenant, this.#entity.name, field, value);
    work.delete(key, {}, () => new Error('giving a value up has no condition'));
  }
}
