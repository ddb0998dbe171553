import { flagsAt } from '@custodia/counted-lists';
import type { JsonObject } from '#contract/field';
import { present } from '#http';
import { includeAll, type Permissions } from '#identity';
import { escapedSize } from '#json';
import { type Entity, entity, type JournalEvent, recordsById, type Tenant } from '#table';
import { maintenanceOf } from '../clients/maintenance.ts';
import { type JournaledKind, kinds } from './kinds.static.ts';
import { withVisibleAddress } from './visible.ts';

/** A kind with the entity by which its records are read. */
interface ReadableKind extends JournaledKind {
  readonly entity: Entity;
}

const byType: ReadonlyMap<string, ReadableKind> = new Map(
  kinds.map((kind) => [kind.recordType, { ...kind, entity: entityOf(kind) }]),
);

function entityOf({ name, json, single, byTime, parent }: JournaledKind): Entity {
  return entity<Record<string, unknown>>(name, {
    json,
    ...(single && { single }),
    ...(byTime && { byTime }),
    ...(parent && { parent: entity<Record<string, unknown>>(parent.name) }),
  });
}

/**
 * The records of events, each as reading it returns it now, but always without `credentials`; null where it was
 * deleted, or these permissions do not include reading it. Fewer than there are events where more would take more than
 * `mostBytes` as JSON in a response, or 4 MB to read; one at least, because no record has more than 230,000.
 * @throws TableUnavailable when time runs out
 */
export async function embedRecords(
  tenant: Tenant,
  events: readonly JournalEvent[],
  permissions: Permissions,
  mostBytes: number,
): Promise<readonly (JsonObject | null)[]> {
  const readable = events.map((event) => kindOf(event, permissions));
  const wanted = events.map(({ record_id: id, parent_id: parentId, version }, index) => {
    const entity = readable[index]?.entity;
    return entity && { entity, id, parentId, version };
  });
  const records: (JsonObject | null)[] = [];
  const isMaintained = readable.some((kind) => kind?.shape.fields?.[MAINTAINED]) && (await maintenanceOf(tenant));
  const at = { permissions, timestamp: tenant.session.timestamp, isMaintained };
  let left = mostBytes;
  for await (const batch of recordsById(tenant, wanted)) {
    for (const stored of batch) {
      const kind = readable[records.length];
      const record = stored === undefined || kind === undefined ? null : shown(kind, stored, at);
      left -= escapedSize(JSON.stringify(record));
      if (left < 0 && records.length > 0) return records;
      records.push(record);
    }
  }
  return records;
}

/** The kind of an event's record, where it may be read. */
function kindOf({ record_type }: JournalEvent, permissions: Permissions): ReadableKind | undefined {
  const kind = byType.get(record_type);
  return kind !== undefined && includeAll(permissions, [kind.permission]) ? kind : undefined;
}

/** The field that maintenance windows decide, which the kinds do not know. */
const MAINTAINED = 'under_maintenance';

interface Shown {
  readonly permissions: Permissions;
  readonly timestamp: string;
  readonly isMaintained: Awaited<ReturnType<typeof maintenanceOf>> | false;
}

function shown(
  { recordType, shape, counted, momentary }: JournaledKind,
  stored: object,
  { permissions, timestamp, isMaintained }: Shown,
): JsonObject {
  const item = stored as Readonly<Record<string, unknown>>;
  const flags = [
    ...counted.map(({ flag, counter }) => [flag, Number(item[counter] ?? 0) > 0] as const),
    ...(isMaintained && shape.fields?.[MAINTAINED] ? [[MAINTAINED, isMaintained(item)] as const] : []),
    ...Object.entries(flagsAt(timestamp, momentary)).map(([flag, { isTrue }]) => [flag, isTrue(item)] as const),
  ];
  const record = present(shape, { ...stored, ...Object.fromEntries(flags) }) as JsonObject;
  return recordType === 'WebhookEndpoint' ? withVisibleAddress(record as { url: string }, permissions) : record;
}
