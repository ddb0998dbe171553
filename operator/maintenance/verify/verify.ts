import { type Entity, PLATFORM, type Tenant } from '#table';
import { cascadeDeletesOf, finishCascadeDeletes } from '#table/storage';
import { listedEntity } from '#tenancy';
import { ticketEntity } from '../../../functions/tickets/store.ts';
import { Claims } from './claims.ts';
import { RecordCounts, verifyQuota } from './counts.ts';
import type { Verified, VerifyContext } from './difference.ts';
import { FeedOrder } from './feed-order.ts';
import { type Kind, kind } from './kinds.ts';
import { verifyList } from './list.ts';
import { verifyOrganization } from './organization.ts';
import { type Check, type RecordScan, scanRecords } from './scan-records.ts';
import { deleteTombstones } from './tombstones.ts';
import { endExpiredTrash, verifyTrash } from './trash.ts';
import { settleAllUploads, verifyBytes } from './uploads.ts';
import { UserAccessCheck, verifySignIn } from './user-access.ts';

/**
 * Verifies all data of a tenant that is derived from its records: lists and filters, counters, quotas, unique values,
 * what users may do, the list of organizations, the order of the journal. It is safe while the API is in use: it reads
 * each suspected difference again, as of one moment, and repairs it on condition that it is unchanged. A concurrent
 * request takes precedence, and the verification is repeated.
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

  if (repair) await endExpiredTrash(tenant, kinds);
  const pending = await cascadeDeletesOf(scope.table, id);
  const listed = id === PLATFORM ? [...kinds, kind(listedEntity)] : kinds;
  const checks: readonly Check[] = [
    new FeedOrder(),
    await UserAccessCheck.of(scope, tenant),
    ...listed.flatMap((each) => [new RecordCounts(scope, each), new Claims(scope, each.entity)]),
  ];
  const scanned = await Promise.all(listed.map((each) => scanKind(scope, each, checks)));
  let tombstones = 0;
  for (const each of scanned) {
    add(await verifyList({ ...scope, valuesOf: (field) => valuesOf(each, field, scanned) }, each.scan));
    tombstones += await deleteTombstones(scope, each.scan);
    add(await verifyTrash(scope, tenant, each.scan));
  }
  for (const check of checks) add(await check.verify());
  for (const each of listed) add(await verifyQuota(scope, each));
  add(await verifyOrganization(scope));
  add(await verifySignIn(scope, tenant));
  add(await verifyCascadeDeletes(scope, pending));
  const tickets = scanned.find(({ kind: { entity } }) => entity.name === ticketEntity.name);
  add(await verifyBytes(scope, [...(tickets?.ids ?? []), ...(tickets?.scan.trashed.keys() ?? [])]));
  if (repair) await settleAllUploads(tenant);
  return { records: scanned.reduce((sum, { scan }) => sum + scan.count, 0), differences, tombstones };
}

interface ScannedKind {
  readonly kind: Kind;
  readonly scan: RecordScan;
  readonly ids: readonly string[];
}

/** Reads all records of a kind once. */
async function scanKind(scope: VerifyContext, kind: Kind, checks: readonly Check[]): Promise<ScannedKind> {
  const ids: string[] = [];
  const scan = await scanRecords(scope, kind.entity, (entity, record, number) => {
    ids.push(String(record.id));
    for (const check of checks) check.visit(entity, record, number);
  });
  return { kind, scan, ids };
}

/**
 * Values of a filter to verify even if no record has them: noted and declared ones, else those of the same field of any
 * kind.
 */
function valuesOf({ scan, kind: { values } }: ScannedKind, field: string, scanned: readonly ScannedKind[]): string[] {
  const { [field]: known = scanned.flatMap((each) => [...(each.scan.values.get(field) ?? [])]) } = values;
  const idsOf = ({ name }: Entity) => scanned.find((each) => each.kind.entity.name === name)?.ids ?? [];
  const ofKinds = known.flatMap((each) => (typeof each === 'string' ? [each] : idsOf(each)));
  return [...(scan.notedValues.get(field) ?? []), ...ofKinds];
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
