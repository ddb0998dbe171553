import type { PermissionCode } from '#contract';
import { projectionOf } from '#http';
import { type Entity, eventTypeOf, recordTypeOf } from '#table';
import { organizationEntity } from '#tenancy';
import { contracts } from '../all-contracts.ts';
import { declaredEntities } from '../all-entities.ts';
import { organization } from '../orgs/contract.ts';

/** A kind of records whose changes are in the journal. */
export interface JournaledKind extends StoredKind {
  readonly recordType: string;
  /** The types of its events: `ticket.updated`. */
  readonly types: readonly string[];
  /** Lets callers read such records, and so their events. */
  readonly permission: PermissionCode;
  /** How reading shows such a record, without fields that are stored as ciphertext, or elsewhere. */
  readonly shape: ReturnType<typeof projectionOf>;
  /** Shown fields that say whether a stored counter is more than 0. */
  readonly counted: readonly { readonly flag: string; readonly counter: string }[];
  /** Shown fields that are not stored, and are true from some time on. */
  readonly momentary?: NonNullable<Entity['momentary']>;
  readonly parent?: StoredKind;
}

/** How records are stored, as far as reading by id needs it. */
interface StoredKind extends Pick<Entity, 'name' | 'json' | 'single' | 'byTime'> {}

const entities = [...(await declaredEntities()), { ...organizationEntity, record: organization } as unknown as Entity];
const routes = contracts.flatMap((contract) => Object.values(contract.routes));

/**
 * Every kind of records that are journaled, as their domains declare them. A bundle holds this list and no domain's
 * contract.
 */
export const kinds: readonly JournaledKind[] = entities
  .filter(({ journaled }) => journaled !== undefined)
  .map((entity) => ({
    ...storedKind(entity),
    ...(entity.parent === undefined ? {} : { parent: storedKind(entity.parent) }),
    recordType: recordTypeOf(entity),
    types: verbsOf(entity).map((verb) => eventTypeOf(recordTypeOf(entity), verb)),
    permission: readingOf(entity),
    shape: shapeOf(entity),
    counted: countedIn(entity),
    ...(entity.momentary === undefined ? {} : { momentary: entity.momentary }),
  }));

function storedKind({ name, json, single, byTime }: Entity): StoredKind {
  return { name, json, ...(single ? { single } : {}), ...(byTime ? { byTime } : {}) };
}

function shapeOf({ name, record, encrypted, elsewhere = [] }: Entity): ReturnType<typeof projectionOf> {
  if (record === undefined) throw new TypeError(`no contract declares the records ${name}`);
  const { fields = {}, standard } = projectionOf(record.schema);
  const shown = Object.entries(fields).filter(([field]) => ![...encrypted, ...elsewhere].includes(field));
  return { standard, fields: Object.fromEntries(shown) };
}

type Verb = Parameters<typeof eventTypeOf>[1];

/** What may happen to records: what their routes do, and trials. */
function verbsOf({ record, journaled, restorable }: Entity): readonly Verb[] {
  const name = record?.name;
  const takes = (...bodies: readonly string[]): boolean =>
    routes.some(({ body }) => bodies.some((suffix) => body?.name === `${name}${suffix}`));
  const read = routes.filter(({ method, response }) => method === 'GET' && response?.schema === record?.schema);
  // Such as the end of a service action.
  const isUpdated = routes.some(
    ({ method, params, response }) =>
      method === 'POST' &&
      response.status === 200 &&
      response.schema === record?.schema &&
      Object.keys(params.shape).length > 0,
  );
  const isDeleted = routes.some(({ method, path }) => method === 'DELETE' && read.some((route) => route.path === path));
  const isMoved = routes.some(
    ({ method, path }) => method === 'POST' && read.some((route) => path === `${route.path}/move`),
  );
  return [
    ...(takes('Create', 'Upsert') ? (['created'] as const) : []),
    ...(takes('Patch', 'Upsert') || isUpdated ? (['updated'] as const) : []),
    ...(isMoved ? (['moved'] as const) : []),
    ...(isDeleted ? (['deleted'] as const) : []),
    ...(restorable === undefined ? [] : (['restored'] as const)),
    ...(journaled?.trials ? (['pinged'] as const) : []),
  ];
}

function countedIn({ indexes }: Entity): JournaledKind['counted'] {
  return indexes.flatMap(({ fields: [flag = ''], counter }) => (counter === undefined ? [] : [{ flag, counter }]));
}

/** The permission to read what the routes return that return such a record. */
function readingOf({ name, record }: Entity): PermissionCode {
  const codes = routes.flatMap(({ permission, response }) =>
    permission && record !== undefined && response?.schema === record.schema ? [permission] : [],
  );
  const areas = [...new Set(codes.map((code) => code.slice(0, code.indexOf(':'))))];
  if (areas.length !== 1) throw new TypeError(`${name} is read with the permission of ${areas.join(' or ')}`);
  return `${areas[0]}:read` as PermissionCode;
}
