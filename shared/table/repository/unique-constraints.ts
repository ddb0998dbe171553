import { type Item, indexes, listErrors, type OnConditionFailed, schema, type UnitOfWork } from '#lists';
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

/** The records that claim values. */
interface Claiming {
  readonly tenant: TenantId;
  readonly entity: { readonly name: string; readonly unique: Entity['unique'] };
}

/**
 * Stages what a change of a record changes in its claims: unique values of a tenant, each an item of its own, written in the record's transaction.
 * @param before as read; undefined for a new record @param after undefined for one that is deleted
 * @param refusalOf returns the error for a value that is taken; by default {@link NotUnique}
 */
export function stageClaims(
  work: UnitOfWork,
  records: Claiming,
  before: { readonly record: object; readonly item: Item } | undefined,
  after: { readonly record: object; readonly id: string } | undefined,
  refusalOf: (field: string) => OnConditionFailed | undefined = () => undefined,
): void {
  const [old, next] = [uniqueIn(records, before?.record), uniqueIn(records, after?.record)];
  for (const [field, value] of next)
    if (old.get(field) !== value) take(work, records, [field, value], after?.id ?? '', refusalOf(field));
  if (before === undefined) return;
  const id = String(before.item.id);
  for (const [field, value] of old) if (next.get(field) !== value) free(work, records, [field, value], id);
  const claimed = claimedIn(before.item);
  if (claimed === undefined || isClaimOfOwn({ ...after?.record, [CLAIMED]: before.item[CLAIMED] })) return;
  free(work, records, claimed, id);
  if (after !== undefined) work.update(schema.keyIn(before.item), { remove: [CLAIMED] });
}

/** Stages that a record, by its key, id and claim, claims its value of a field that is found by entries, unless it has done so. */
export function stageClaim(work: UnitOfWork, records: Claiming, item: Item, field: string, value: string): void {
  const { id } = item;
  const hashed = indexes.hashOf(value);
  const noted = `${field}=${hashed}`;
  if (item[CLAIMED] === noted) return;
  take(work, records, [field, hashed], String(id));
  work.update(schema.keyIn(item), {
    set: { [CLAIMED]: noted },
    condition: { equals: { id, [field]: value, [CLAIMED]: item[CLAIMED] } },
    onConditionFailed: () => new StaleRead('the record has changed'),
  });
}

/** The normalized unique values of a record, by field. */
function uniqueIn({ entity }: Claiming, record: object = {}): ReadonlyMap<string, string> {
  const declared = Object.entries<((value: string) => string) | undefined>(entity.unique);
  return new Map(
    declared.flatMap(([field, normalize]) => {
      const value = (record as Item)[field];
      return typeof value === 'string' && normalize !== undefined ? [[field, normalize(value)] as const] : [];
    }),
  );
}

type Claim = readonly [field: string, value: string];

function take(
  work: UnitOfWork,
  { tenant, entity }: Claiming,
  [field, value]: Claim,
  holder: string,
  onConditionFailed: OnConditionFailed = () => new NotUnique(field),
): void {
  work.put({ ...uniqueKey(tenant, entity.name, field, value), holder }, onConditionFailed);
}

/** Stages that a record has the value no more. The claim is another's where the record was stored before values were normalized as they are now. */
function free(work: UnitOfWork, { tenant, entity }: Claiming, [field, value]: Claim, holder: string): void {
  const key = uniqueKey(tenant, entity.name, field, value);
  const onConditionFailed: OnConditionFailed = (found = {}) => new listErrors.Unexpected(key, found);
  work.expect(key, (staged, found) => {
    if (found === undefined) staged.delete(key, { equalsOrAbsent: { holder } }, onConditionFailed);
  });
}
