import { readPartition, schema, storedSets } from '@custodia/counted-lists';
import { DEDUPLICATED, type Entity, type TenantId, tenantPartition, uniqueKey, valuesPartition } from '#table';
import { cascadeDeletesOf, DELETED, indexesOf, readValues } from '#table/storage';
import { claimedFieldsOf } from '../verify/claims.ts';
import type { Kind } from '../verify/kinds.ts';
import type { EraseTarget } from './empty.ts';

/**
 * The partitions of a tenant. DynamoDB does not list partitions, so the tenant's records lead to them. That is why
 * records are deleted last, and after the partitions that they name.
 */
export interface Partitions {
  /** Partitions found by records. */
  readonly derived: readonly string[];
  /** The notes of values that callers chose, which lead to sets. They stay until nothing is written any more. */
  readonly notes: readonly string[];
  /** The other partitions that lead to these, in the order of their deletion. */
  readonly records: readonly string[];
}

/** Audited records that name what they have sent. */
const CALLERS = ['Integration', 'User'];

const WITHOUT_RECORDS = [
  ...['ONCE#TOKEN', 'PROVIDER_KEYS', 'REFUSALS', 'READS', 'BUDGET', 'QUOTA', 'DELIVERY', 'TRASH', 'DATA_KEY'],
  ...['USER_ACCESS', 'ALERT'],
] as const;

/** @param integrations the kind of the integrations, which go last */
export async function partitionsOf(
  place: EraseTarget,
  tenant: TenantId,
  kinds: readonly Kind[],
  integrations: Entity,
): Promise<Partitions> {
  const looked = await Promise.all(kinds.map((kind) => lookAt(place, tenant, kind)));
  const idsOf = (entity: Entity): readonly string[] =>
    looked.find(({ kind }) => kind.entity.name === entity.name)?.ids ?? [];
  const audited = [
    tenant,
    ...kinds.filter(({ entity }) => entity.audited !== undefined).flatMap(({ entity }) => idsOf(entity)),
  ];
  const callers = kinds
    .filter(({ entity }) => CALLERS.includes(entity.audited ?? ''))
    .flatMap(({ entity }) => idsOf(entity));
  const unfinished = await cascadeDeletesOf(place.table, tenant);
  const derived = [
    ...unfinished.flatMap(withSet),
    ...looked.flatMap(({ below }) => below.flatMap(withSet)),
    ...looked.flatMap(({ kind, values }) => setsOf(tenant, kind, values, { idsOf, audited })),
    ...kinds.flatMap(({ entity }) =>
      claimedFieldsOf(entity).map((field) => uniqueKey(tenant, entity.name, field, '').PK),
    ),
    ...kinds.flatMap(({ entity }) => listOf(tenant, entity).itemPartitions.map(({ partition }) => partition)),
    ...callers.flatMap((id) => DEDUPLICATED.map((kind) => tenantPartition(tenant, 'ONCE', kind, id))),
    ...kinds.map(({ entity }) => storedSets.partitionOf(tenantPartition(tenant, entity.name))),
    ...WITHOUT_RECORDS.map((name) => tenantPartition(tenant, name)),
  ];
  const names = kinds.map(({ entity }) => entity.name).filter((name) => name !== integrations.name);
  const records = [...names, integrations.name].map((name) => tenantPartition(tenant, name));
  // The notes of pending cascade deletes also name partitions.
  return {
    derived,
    notes: records.map(valuesPartition),
    records: [tenantPartition(tenant, 'CASCADE_DELETE'), ...records],
  };
}

interface Looked {
  readonly kind: Kind;
  readonly ids: readonly string[];
  /** Partitions of the records below each. */
  readonly below: readonly string[];
  /** The values that records have, and those that were noted because callers chose them, by filter field. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads all records of a kind once. */
async function lookAt(place: EraseTarget, tenant: TenantId, kind: Kind): Promise<Looked> {
  const { entity } = kind;
  const ids: string[] = [];
  const below: string[] = [];
  const list = listOf(tenant, entity);
  const values = await readValues(place, tenantPartition(tenant, entity.name));
  for await (const item of readPartition(place, tenantPartition(tenant, entity.name))) {
    // What is below a record stays as long as it can be restored.
    const { id = item[DELETED] } = item;
    if (id === undefined) continue;
    ids.push(String(id));
    below.push(...kind.below.map((child) => tenantPartition(tenant, entity.name, String(id), child.name)));
    if (!schema.isRecord(item)) continue;
    for (const entry of list.entriesIn(list.withNotes(item)))
      if ('field' in entry) values.set(entry.field, (values.get(entry.field) ?? new Set()).add(entry.value));
  }
  return { kind, ids, below, values };
}

interface Known {
  readonly idsOf: (entity: Entity) => readonly string[];
  /** Ids that audit events may be about. */
  readonly audited: readonly string[];
}

/**
 * The sets of all values that records have or may have had: noted ones, declared ones, and ids of the records that are
 * referred to.
 */
function setsOf(
  tenant: TenantId,
  { entity, values: declared }: Kind,
  had: Looked['values'],
  { idsOf, audited }: Known,
): string[] {
  const fields = new Set([...listOf(tenant, entity).setFields, ...had.keys()]);
  return [...fields].flatMap((field) => {
    const known = declared[field] ?? (field === 'record_id' ? audited : []);
    const values = new Set([
      ...(had.get(field) ?? []),
      ...known.flatMap((each) => (typeof each === 'string' ? [each] : idsOf(each))),
    ]);
    return [...values].map((value) => storedSets.partitionOf(tenantPartition(tenant, entity.name), field, value));
  });
}

const listOf = (tenant: TenantId, entity: Entity) => indexesOf(entity, tenant, tenantPartition(tenant, entity.name));

const withSet = (partition: string): readonly string[] => [partition, storedSets.partitionOf(partition)];
