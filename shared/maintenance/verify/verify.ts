import type { Tenant } from '#table';
import { PLATFORM, recordsPartition } from '#table/keys';
import { cascadeDeletesOf, finishCascadeDeletes, readValues } from '#table/storage';
import { listedEntity } from '#tenancy';
import { Children } from './children.ts';
import { Claims } from './claims.ts';
import { Counters } from './counters.ts';
import type { Verified, VerifyContext } from './difference.ts';
import { FeedOrder } from './feed-order.ts';
import { type NotedValues, verifyValues } from './filter-values.ts';
import { type Kind, kind } from './kinds.ts';
import { verifyList } from './list.ts';
import { verifyOrganization } from './organization.ts';
import { Quota } from './quota.ts';
import { type RecordScan, scanRecords } from './scan-records.ts';
import { deleteTombstones } from './tombstones.ts';

/**
 * Verifies all data of a tenant that is derived from its records: lists and filters, counters, quotas, unique values,
 * the list of organizations, the order of the journal. It is safe while the API is in use: it reads each suspected difference again, as of one
 * moment, and repairs it on condition that it is unchanged. A concurrent request takes precedence, and the verification
 * is repeated.
 */

interface Verification {
  /** Records that were verified. */
  readonly records: number;
  readonly differences: readonly Verified[];
  /** Tombstones that were deleted. */
  readonly tombstones: number;
}

interface Options {
  readonly repair: boolean;
  /** Is called for each difference when it is found. */
  readonly report?: (difference: Verified) => void;
}

export async function verify(
  tenant: Tenant,
  kinds: readonly Kind[],
  { repair, report = () => undefined }: Options,
): Promise<Verification> {
  const { session, id } = tenant;
  const scope: VerifyContext = { table: session.tables.of(id), tenant: id, clock: session.clock, repair };
  const differences: Verified[] = [];
  const add = (found: readonly Verified[]): void => {
    for (const difference of found) {
      differences.push(difference);
      report(difference);
    }
  };

  const pending = await cascadeDeletesOf(scope.table, id);
  const listed = id === PLATFORM ? [...kinds, kind(listedEntity)] : kinds;
  const counters = listed.map((each) => new Counters(scope, each));
  const scanned = await Promise.all(listed.map((each) => scanKind(scope, each, counters)));
  let tombstones = 0;
  for (const { scan, kind, noted, order } of scanned) {
    add(await verifyList(scope, scan, (field) => [...(noted.get(field) ?? []), ...valuesOf(kind, field, scanned)]));
    add(await verifyValues(scope, scan, noted));
    add(order?.differences ?? []);
    tombstones += await deleteTombstones(scope, scan);
  }
  for (const each of counters) add(await each.verify());
  for (const { claims, children, quota } of scanned)
    add([...(await claims.verify()), ...(await children.verify()), ...(await quota.verify())]);
  add(await verifyOrganization(scope));
  add(await verifyCascadeDeletes(scope, pending));
  return { records: scanned.reduce((sum, { scan }) => sum + scan.count, 0), differences, tombstones };
}

interface ScannedKind {
  readonly kind: Kind;
  readonly scan: RecordScan;
  readonly noted: NotedValues;
  readonly ids: readonly string[];
  readonly claims: Claims;
  readonly children: Children;
  readonly quota: Quota;
  /** Of the journal. */
  readonly order: FeedOrder | undefined;
}

/** Reads all records of a kind once. */
async function scanKind(scope: VerifyContext, kind: Kind, counters: readonly Counters[]): Promise<ScannedKind> {
  const { entity } = kind;
  const claims = new Claims(scope, entity);
  const children = new Children(scope, kind);
  const quota = new Quota(scope, kind);
  const order = entity.ordered ? new FeedOrder(entity) : undefined;
  const ids: string[] = [];
  const visitors = [
    ...counters.map((each) => each.visitor(entity.name)),
    ...[claims.visit, children.visit, quota.visit],
    ...(order === undefined ? [] : [order.visit]),
  ];
  const scan = await scanRecords(scope, entity, (record, number) => {
    ids.push(String(record.id));
    for (const visit of visitors) visit(record, number);
  });
  const noted = await readValues(scope, recordsPartition(scope.tenant, entity.name));
  return { kind, scan, noted, ids, claims, children, quota, order };
}

/** Values of a filter to verify even if no record has them: the declared ones, else those of the same field of any kind. */
function valuesOf({ values }: Kind, field: string, scanned: readonly ScannedKind[]): readonly string[] {
  const known = values[field];
  if (known === undefined) return scanned.flatMap(({ scan }) => [...(scan.values.get(field) ?? [])]);
  return 'name' in known ? (scanned.find(({ scan }) => scan.entity.name === known.name)?.ids ?? []) : known;
}

/** Cascade deletes that were already pending before, so that the requests that began them are over. */
async function verifyCascadeDeletes(scope: VerifyContext, before: readonly string[]): Promise<Verified[]> {
  const { table, tenant, clock, repair } = scope;
  const left = (await cascadeDeletesOf(table, tenant)).filter((partition) => before.includes(partition));
  if (left.length === 0) return [];
  const repaired = repair && (await finishCascadeDeletes(table, tenant, { clock, deadline: Number.POSITIVE_INFINITY }));
  return left.map((partition) => {
    const [, , entity = '', id] = partition.split('#');
    const text = `${partition} belonged to a deleted record and is not empty yet`;
    return { kind: 'unfinished-delete', entity, id, text, repaired };
  });
}
