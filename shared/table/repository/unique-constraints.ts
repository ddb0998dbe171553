import type { OnConditionFailed, UnitOfWork } from '#lists';
import { NotUnique } from '../errors.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Entity } from './entity.ts';

/** Unique values in a tenant: each is claimed by an item of its own, written in the record's transaction. */
export class UniqueConstraints<T extends object> {
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;

  constructor(tenant: TenantId, entity: Entity<T>) {
    this.#tenant = tenant;
    this.#entity = entity;
  }

  /** Stages the claims of a new record. `refusalOf` returns the error for a value that is taken; by default {@link NotUnique}. */
  claim(work: UnitOfWork, record: T, id: string, refusalOf: (field: string) => OnConditionFailed | undefined): void {
    for (const [field, value] of this.#of(record)) this.#take(work, field, value, id, refusalOf(field));
  }

  /** Stages the deletion of a record's claims. */
  unclaim(work: UnitOfWork, record: T): void {
    for (const [field, value] of this.#of(record)) this.#free(work, field, value);
  }

  /** Stages the changes of a changed record's claims. */
  move(work: UnitOfWork, before: T, after: T, id: string): void {
    const old = this.#of(before);
    const next = this.#of(after);
    for (const [field, value] of next) if (old.get(field) !== value) this.#take(work, field, value, id);
    for (const [field, value] of old) if (next.get(field) !== value) this.#free(work, field, value);
  }

  /** The normalized unique values of a record, by field. */
  #of(record: T): Map<string, string> {
    const declared = Object.entries<((value: string) => string) | undefined>(this.#entity.unique);
    return new Map(
      declared.flatMap(([field, normalize]) => {
        const value = (record as Record<string, unknown>)[field];
        return typeof value === 'string' && normalize !== undefined ? [[field, normalize(value)] as const] : [];
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
    work.delete(key, {}, () => new Error('a delete without a condition was refused'));
  }
}
