import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, readPartition, retry } from '@custodia/counted-lists';
import type { Entity, Tenant } from '#table';
import { tenantPartition } from '#table';
import { accessItems, appKey } from '#tenancy';
import type { Kind } from '../verify/kinds.ts';
import { concurrently } from '../verify/reading.ts';
import {
  deleteItem,
  deleteKey,
  deletePointer,
  type EraseTarget,
  emptyPartition,
  emptyRegisters,
  registersOf,
} from './empty.ts';
import { partitionsOf } from './partitions.ts';

interface Options {
  readonly kinds: readonly Kind[];
  /** The kind of the integrations. */
  readonly integrations: Entity;
  /** Is called with the number of deleted items, as it goes. */
  readonly onDelete: (items: number) => void;
}

/** Deletes what there is of a tenant. Interrupted anywhere, it is run again from the start. */
export class Eraser {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Deletes the credentials of all integrations of a tenant, and what its users may do: from then on nobody can log in
   * or sign a webhook.
   * @returns how many credentials there were
   */
  async deleteKeys(tenant: Tenant): Promise<number> {
    const { id, session } = tenant;
    const { integrations, onDelete } = this.#options;
    const place: EraseTarget = { table: session.tables.of(id), clock: session.clock };
    let deleted = 0;
    const slug = (await accessItems.ofOrganization(tenant))?.slug;
    if (slug) await deletePointer(place, id, accessItems.signInNameKey(slug));
    await emptyPartition(place, tenantPartition(id, 'USER_ACCESS'), onDelete);
    for await (const { app_code } of readPartition(place, tenantPartition(id, integrations.name))) {
      if (typeof app_code !== 'string' || !(await deleteKey(place, id, app_code))) continue;
      deleted += 1;
      onDelete(1);
    }
    return deleted;
  }

  /**
   * Deletes everything else: first what is found by records, then the records, integrations last.
   * @param isLast whether no request is under way any more. One that was has perhaps changed a record after its sets
   *   were deleted, and so made the   set of a value that no record has: the notes of values stay for the next pass to
   *   find it.
   */
  async deleteRecords({ id, session }: Tenant, isLast: boolean): Promise<void> {
    const { kinds, integrations, onDelete } = this.#options;
    const place: EraseTarget = { table: session.tables.of(id), clock: session.clock };
    const { derived, notes, records } = await partitionsOf(place, id, kinds, integrations);
    await concurrently(derived, async (partition) => {
      await emptyPartition(place, partition, onDelete);
      return [];
    });
    await emptyRegisters(place, id, onDelete);
    for (const partition of [...(isLast ? notes : []), ...records]) await emptyPartition(place, partition, onDelete);
  }

  /** Deletes what is known of uploads, when their objects are gone. */
  deleteUploads({ id, session }: Tenant): Promise<void> {
    const place: EraseTarget = { table: session.tables.of(id), clock: session.clock };
    return emptyPartition(place, tenantPartition(id, 'UPLOAD'), this.#options.onDelete);
  }

  /** Deletes what is left under the tenant's keys in the whole table, which needs credentials that may scan it. */
  sweep(tenant: Tenant): Promise<void> {
    return sweep(tenant, this.#options.onDelete);
  }
}

/**
 * Scans the whole table for remaining items of a tenant: the only scan of the service. No role of a stage may scan, so
 * it needs an administrator's own credentials, or the data of `npm start`.
 */

/** Segments of the table that are scanned in parallel. */
const SEGMENTS = 8;
/** Longest time for one request, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The prefixes of the keys by which it is found whose an app code or a sign-in name is. */
const [APPS, NAMES] = [appKey('').PK, accessItems.signInNameKey('').PK];

/**
 * Deletes all items under the tenant's keys, the pointers of app codes to them, and what the registers of all
 * tenants have of it.
 * @param onDelete is called with the number of deleted items, as it goes
 */
export async function sweep(tenant: Tenant, onDelete: (items: number) => void): Promise<void> {
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => sweepSegment(tenant, segment, onDelete)));
}

async function sweepSegment(
  { id, session }: Tenant,
  segment: number,
  onDelete: (items: number) => void,
): Promise<void> {
  const table = session.tables.of(id);
  const { clock } = session;
  const [endpoints, alerts] = registersOf(id);
  let start: Record<string, unknown> | undefined;
  do {
    const command = new ScanCommand({
      TableName: table.name,
      FilterExpression:
        'begins_with(PK, :records) OR ((begins_with(PK, :apps) OR begins_with(PK, :names)) AND #tenant = :tenant) OR ' +
        '(PK IN (:endpoints, :alerts) AND begins_with(SK, :registered))',
      ProjectionExpression: 'PK, SK',
      ExpressionAttributeNames: { '#tenant': 'tenant' },
      ExpressionAttributeValues: {
        ':records': tenantPartition(id, ''),
        ':apps': APPS,
        ':names': NAMES,
        ':tenant': id,
        ':endpoints': endpoints.PK,
        ':alerts': alerts.PK,
        ':registered': endpoints.SK,
      },
      Segment: segment,
      TotalSegments: SEGMENTS,
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const { Items = [], LastEvaluatedKey } = await retry(() => table.client.send(command), {
      clock,
      deadline: clock() + TIMEOUT_MS,
    });
    await Promise.all(
      (Items as Key[]).map((key) =>
        key.PK.startsWith(APPS) || key.PK.startsWith(NAMES)
          ? deletePointer({ table, clock }, id, key)
          : deleteItem({ table, clock }, key),
      ),
    );
    onDelete(Items.length);
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
