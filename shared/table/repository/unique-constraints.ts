import {
  type Item,
  indexes,
  listErrors,
  type OnConditionFailed,
  schema,
  type UnitOfWork,
} from '@custodia/counted-lists';
import { NotUnique, StaleRead } from '../errors.ts';
import { uniqueKey } from '../keys.ts';
import type { Records } from './record-reader.ts';

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

/**
 * Stages what a change of a record changes in its claims: unique values of a tenant, each an item of its own, written in the record's transaction.
 * @param before as read; undefined for a new record @param after undefined for one that is deleted
 * @param refusalOf returns the error for a value that is taken; by default {@link NotUnique}
 */
export function stageClaims(
  records: Records,
  before: { readonly record: object; readonly item: Item } | undefined,
  after: { readonly record: object; readonly id: string } | undefined,
  refusalOf: (field: string) => OnConditionFailed | undefined = () => undefined,
): void {
  const [old, next] = [uniqueIn(records, before?.record), uniqueIn(records, after?.record)];
  for (const [field, value] of next)
    if (old.get(field) !== value) take(records, [field, value], after?.id ?? '', refusalOf(field));
  if (before === undefined) return;
  const id = String(before.item.id);
  for (const [field, value] of old) if (next.get(field) !== value) free(records, [field, value], id);
  const claimed = claimedIn(before.item);
  if (claimed === undefined || isClaimOfOwn({ ...after?.record, [CLAIMED]: before.item[CLAIMED] })) return;
  free(records, claimed, id);
  if (after !== undefined) workOf(records).update(schema.keyIn(before.item), { remove: [CLAIMED] });
}

/** Stages that a record, by its key, id and claim, claims its value of a field that is found by entries, unless it has done so. */
export function stageClaim(records: Records, item: Item, field: string, value: string): void {
  const { id } = item;
  const hashed = indexes.hashOf(value);
  const noted = `${field}=${hashed}`;
  if (item[CLAIMED] === noted) return;
  take(records, [field, hashed], String(id));
  workOf(records).update(schema.keyIn(item), {
    set: { [CLAIMED]: noted },
    condition: { equals: { id, [field]: value, [CLAIMED]: item[CLAIMED] } },
    onConditionFailed: () => new StaleRead('the record has changed'),
  });
}

/** The normalized unique values of a record, by field. */
function uniqueIn({ entity }: Records, record: object = {}): ReadonlyMap<string, string> {
  const declared = Object.entries<((value: string) => string) | undefined>(entity.unique);
  return new Map(
    declared.flatMap(([field, normalize]) => {
      const value = (record as Item)[field];
      return typeof value === 'string' && normalize !== undefined ? [[field, normalize(value)] as const] : [];
    }),
  );
}

const workOf = ({ session, tenant }: Records): UnitOfWork => session.changes.of(tenant);
const keyOf = ({ tenant, entity }: Records, field: string, value: string) =>
  uniqueKey(tenant, entity.name, field, value);

type Claim = readonly [field: string, value: string];

function take(
  records: Records,
  [field, value]: Claim,
  holder: string,
  onConditionFailed: OnConditionFailed = () => new NotUnique(field),
): void {
  workOf(records).put({ ...keyOf(records, field, value), holder }, onConditionFailed);
}

/** Stages that a record has the value no more. The claim is another's where the record was stored before values were normalized as they are now. */
function free(records: Records, [field, value]: Claim, holder: string): void {
  const key = keyOf(records, field, value);
  const onConditionFailed: OnConditionFailed = (found = {}) => new listErrors.Unexpected(key, found);
  workOf(records).expect(key, (staged, found) => {
    if (found === undefined) staged.delete(key, { equalsOrAbsent: { holder } }, onConditionFailed);
  });
}
