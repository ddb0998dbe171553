import { hash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Item,
  type Key,
  listErrors,
  type OnConditionFailed,
  readPartition,
  retry,
  schema,
  storedSets,
  type Table,
  type UnitOfWork,
} from '@custodia/counted-lists';
import { keepNewest } from '../../memory.ts';
import { NotUnique, StaleRead } from '../errors.ts';
import { uniqueKey, valueIn, valueKey, valuesPartition } from '../keys.ts';
import type { Records } from './records.ts';

/**
 * Attribute of a record: the value that an upsert has claimed for it, so that two at once make one record:
 * `external_id=<hash>`. The record keeps it, and releases the claim when the value changes or the record is deleted.
 * Records that were created otherwise claim nothing, and several may have one value.
 */
export const CLAIMED = 'CLAIMED';

/** Field and hash of a claim that a record keeps. */
export function claimedIn(item: Item): readonly [field: string, hash: string] | undefined {
  const { [CLAIMED]: claimed } = item;
  if (typeof claimed !== 'string') return undefined;
  const end = claimed.indexOf('=');
  return [claimed.slice(0, end), claimed.slice(end + 1)];
}

const hashOf = (value: string): string => hash('sha256', value, 'base64url');

/** Whether a record has the value that it has claimed. */
export function isClaimOfOwn(item: Item): boolean {
  const [field = '', hashed] = claimedIn(item) ?? [];
  const value = item[field];
  return typeof value === 'string' && hashOf(value) === hashed;
}

/**
 * Stages the claims that a change of a record adds and removes. A claim is an item for a unique value of a tenant.
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

/** Stages that a record claims its value of a field with entries, unless it has done so. */
export function stageClaim(records: Records, item: Item, field: string, value: string): void {
  const { id } = item;
  const hashed = hashOf(value);
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

/** Stages the end of a claim. The claim may be another record's: values were normalized otherwise in the past. */
function free(records: Records, [field, value]: Claim, holder: string): void {
  const key = keyOf(records, field, value);
  const onConditionFailed: OnConditionFailed = (found = {}) => new listErrors.Unexpected(key, found);
  workOf(records).expect(key, (staged, found) => {
    if (found === undefined) staged.delete(key, { equalsOrAbsent: { holder } }, onConditionFailed);
  });
}

/**
 * The values that callers have chosen for the filters of a list (`docs/decisions/0170-filters.md`). The key of a
 * value's set contains the value, and DynamoDB lists no partitions. So one partition has an item for each value.
 * Erasure uses it to find the set of a value that no record has any more.
 */

/** Values that this container has noted, the least recently used first. */
const noted = new Map<string, true>();
const KEPT = 10_000;

const DAY_MS = 86_400_000;

/**
 * Notes values of filters, beside the operation. The commit waits for it: a value is noted before its set exists. One
 * write unit for each value, once in a container; in a list whose records expire once a day.
 */
export function noteValues(
  { session, table, location: { partition }, entity: { retentionDays } }: Records,
  values: readonly FilterValue[],
): void {
  const day = retentionDays === undefined ? '' : Math.floor(session.now / DAY_MS);
  for (const { field, value } of values) {
    const key = valueKey(partition, field, value);
    const name = `${table.name} ${key.PK} ${key.SK} ${day}`;
    if (noted.has(name)) continue;
    session.changes.check(async () => {
      await retry(() => putValue(table, key, valueExpiry(retentionDays, session.now)), session);
      keepNewest(noted, name, true, KEPT);
    });
  }
}

interface FilterValue {
  readonly field: string;
  readonly value: string;
}

/** Expiry of a value's note, where records expire: after that of all items of its set. In epoch seconds. */
export const valueExpiry = (retentionDays: number | undefined, now: number): number | undefined =>
  retentionDays === undefined
    ? undefined
    : storedSets.expiryAfter(Math.ceil((now + 2 * retentionDays * DAY_MS) / 1_000));

/** Notes a value. The expiry is only ever moved forward: another writer's clock may be ahead. */
export async function putValue(table: Table, key: Key, expires: number | undefined): Promise<void> {
  if (expires === undefined) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key } }));
    return;
  }
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: 'SET #ttl = :expires',
    ConditionExpression: 'attribute_not_exists(#ttl) OR #ttl < :expires',
    ExpressionAttributeNames: { '#ttl': schema.TTL },
    ExpressionAttributeValues: { ':expires': expires },
  });
  await table.client.send(command).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

/** The noted values of a list, by field. */
export async function readValues(
  place: Parameters<typeof readPartition>[0],
  partition: string,
): Promise<Map<string, Set<string>>> {
  const values = new Map<string, Set<string>>();
  for await (const { SK } of readPartition(place, valuesPartition(partition))) {
    const [field, value] = valueIn({ SK: String(SK) });
    values.set(field, (values.get(field) ?? new Set<string>()).add(value));
  }
  return values;
}
