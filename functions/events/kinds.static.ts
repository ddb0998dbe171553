import type { PermissionCode } from '#contract';
import { type Entity, eventTypesOf, recordTypeOf } from '#table';
import { organizationEntity } from '#tenancy';
import { contracts } from '../all-contracts.ts';
import { declaredEntities } from '../all-entities.ts';
import { organization } from '../orgs/contract.ts';

/** A kind of records whose changes are in the journal. */
export interface JournaledKind {
  /** Of the entity: part of every key. */
  readonly name: string;
  readonly recordType: string;
  /** The types of its events: `ticket.updated`. */
  readonly types: readonly string[];
  /** Lets callers read such records, and so their events. */
  readonly permission: PermissionCode;
}

const entities = [...(await declaredEntities()), { ...organizationEntity, record: organization } as unknown as Entity];
const routes = contracts.flatMap((contract) => Object.values(contract.routes));

/** Every kind of records that are journaled, as their domains declare them. A bundle holds this list and no domain's contract. */
export const kinds: readonly JournaledKind[] = entities
  .filter(({ journaled }) => journaled !== undefined)
  .map((entity) => ({
    name: entity.name,
    recordType: recordTypeOf(entity),
    types: eventTypesOf(entity),
    permission: readingOf(entity),
  }));

/** The permission to read what the routes return that return such a record. */
function readingOf({ name, record }: Entity): PermissionCode {
  const codes = routes.flatMap(({ permission, response }) =>
    permission && record !== undefined && response?.schema === record.schema ? [permission] : [],
  );
  const areas = [...new Set(codes.map((code) => code.slice(0, code.indexOf(':'))))];
  if (areas.length !== 1) throw new TypeError(`${name} is read with the permission of ${areas.join(' or ')}`);
  return `${areas[0]}:read` as PermissionCode;
}
