import { type Item, indexes, listErrors, type OnConditionFailed, type UnitOfWork } from '#lists';
import { NotUnique, StaleRead } from '../errors.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Entity } from './entity.ts';

/**
 * Attribute of a record: the value that an upsert has claimed for it, so that two at once make one record: `external_id=<hash>`. The record keeps it,
 * and releases the claim when the value changes or the record is deleted. Records that were created otherwise claim nothing, and several may have one
 * value.
 */
export const CLAIMED = 'CLAIMED';

/** Field and hash of a claim that a record keeps. */
export function claimedIn(item: Item): readonly [field: string, hash: string] | undefined {
  const { [CLAIMED]: claimed } = item;
  if (typeof claimed !== 'string') return undefined;
  const end = claimed.indexOf('=');
  return [claimed.slice(0, end), claimed.slice(end + 1)];
}

/** Whether a record has the value that it has claimed. */
export function isClaimOfOwn(item: Item): boolean {
  const [field = '', hashed] = claimedIn(item) ?? [];
  const value = item[field];
  return typeof value === 'string' && indexes.hashOf(value) === hashed;
}

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

  /** Stages the deletion of the claims of a record as read. */
  unclaim(work: UnitOfWork, record: T, item: Item): void {
    const id = String(item.id);
    for (const [field, value] of this.#of(record)) this.#free(work, field, value, id);
    const claimed = claimedIn(item);
    if (claimed !== undefined) this.#free(work, ...claimed, id);
  }

  /** Stages that a record, by its key, id and claim, claims its value of a field that is found by entries, unless it has done so. */
  claimValue(work: UnitOfWork, item: Item, field: string, value: string): void {
    const { PK, SK, id } = item;
    const hashed = indexes.hashOf(value);
    const noted = `${field}=${hashed}`;
    if (item[CLAIMED] === noted) return;
    this.#take(work, field, hashed, String(id));
    work.update(
      { PK: String(PK), SK: String(SK) },
      {
        set: { [CLAIMED]: noted },
        condition: { equals: { id, [field]: value, [CLAIMED]: item[CLAIMED] } },
        onConditionFailed: () => new StaleRead('the record has changed'),
      },
    );
  }

  /** Stages that a changed record releases the value that it has claimed and has no more. */
  releaseValue(work: UnitOfWork, item: Item, after: Item): void {
    const claimed = claimedIn(item);
    if (claimed === undefined || isClaimOfOwn({ ...after, [CLAIMED]: item[CLAIMED] })) return;
    this.#free(work, ...claimed, String(item.id));
    work.update({ PK: String(item.PK), SK: String(item.SK) }, { remove: [CLAIMED] });
  }

  /** Stages the changes of a changed record's claims. */
  move(work: UnitOfWork, before: T, after: T, id: string): void {
    const old = this.#of(before);
    const next = this.#of(after);
    for (const [field, value] of next) if (old.get(field) !== value) this.#take(work, field, value, id);
    for (const [field, value] of old) if (next.get(field) !== value) this.#free(work, field, value, id);
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

  /** Stages that a record has the value no more. The claim is another's where the record was stored before values were normalized as they are now. */
  #free(work: UnitOfWork, field: string, value: string, id: string): void {
    const key = uniqueKey(this.#tenant, this.#entity.name, field, value);
    const onConditionFailed: OnConditionFailed = (found = {}) => new listErrors.Unexpected(key, found);
    work.expect(key, (staged, found) => {
      if (found === undefined) staged.delete(key, { equalsOrAbsent: { holder: id } }, onConditionFailed);
    });
  }
}
