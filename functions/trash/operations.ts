import { Problem } from '#contract';
import { type Operations, requireLivePermissions } from '#http';
import { type Caller, mayDo } from '#identity';
import { entity, type Tenant } from '#table';
import type { TrashedRecord, trash } from './contract.ts';
import { kinds } from './kinds.static.ts';

type Kind = (typeof kinds)[number];

export const trashOperations: Operations<typeof trash> = {
  listTrash: async ({ query: { kind: wanted, limit, after }, tenant, caller }) => {
    requirePermission(caller, wanted, 'read');
    const [kind] = kinds.filter((each) => each.kind === wanted);
    if (kind === undefined) return { body: { data: [], next: null, more: false } };
    const found = await trashOf(tenant, kind).entries(limit, after);
    const data = found.slice(0, limit);
    const next = (found.length > limit ? data.at(-1)?.place : undefined) ?? null;
    return { body: { data: data.map((entry) => shown(wanted, entry)), next, more: next !== null } };
  },

  endTrashed: async ({ params: { id }, tenant, caller, getOrThrow }) => {
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const records = trashOf(tenant, kind);
        const trashed = await records.get(id);
        return trashed === undefined ? [] : [{ kind, records, trashed }];
      }),
    );
    const [one] = found.flat();
    if (one === undefined) throw new Problem('not-found', { detail: 'No record with this id can be restored.' });
    requirePermission(caller, one.kind.kind, 'write');
    requireLivePermissions(tenant, caller, `${one.kind.kind}:write`);
    await getOrThrow(one.records, id);
    one.records.end(one.trashed);
    await tenant.auditLog(one.kind.recordType).changed(id, []);
    return { body: undefined };
  },
};

const trashOf = (tenant: Tenant, { name, below }: Kind) => {
  const children = below.map((child) => ({ name: child }));
  return tenant.trashOf(entity<{ readonly id: string }>(name, { restorable: { title: 'id', below: () => children } }));
};

/** @throws Problem `forbidden` */
function requirePermission(caller: Caller, kind: TrashedRecord['kind'], verb: 'read' | 'write'): void {
  const permission = `${kind}:${verb}` as const;
  if (!mayDo(caller, permission))
    throw new Problem('forbidden', { detail: `This needs the permission ${permission}.` });
}

type Entry = Awaited<ReturnType<ReturnType<typeof trashOf>['entries']>>[number];

const shown = (kind: TrashedRecord['kind'], { id, title, deletedAt, endsAt, deletedBy }: Entry): TrashedRecord => ({
  id,
  kind,
  title,
  deleted_at: new Date(deletedAt).toISOString(),
  restorable_until: new Date(endsAt).toISOString(),
  deleted_by: deletedBy,
});
