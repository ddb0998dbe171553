import { present, projectionOf } from '#http';
import { auditEventEntity, type Entity, journalEntity, type Tenant } from '#table';
import { organizationEntity } from '#tenancy';
import { identityEntity } from '../functions/access/store.ts';
import { auditEvent } from '../functions/audit/contract.ts';
import { withMaintenance } from '../functions/clients/maintenance.ts';
import { clientEntity, toClient } from '../functions/clients/store.ts';
import { progressOf, showEndpoint } from '../functions/events/endpoints/progress.ts';
import { attemptEntity, endpointEntity, type StoredEndpoint } from '../functions/events/store.ts';
import { organization } from '../functions/orgs/contract.ts';
import { resourceEntity, type StoredResource } from '../functions/resources/store.ts';
import { type StoredService, serviceEntity } from '../functions/services/store.ts';
import { type StoredTicket, ticketAt, ticketEntity } from '../functions/tickets/store.ts';
import { showIdentity } from '../functions/users/identities.ts';
import { eventEntity } from '../functions/webhooks/store.ts';
import { kinds } from './kinds.ts';

/**
 * All records of a tenant, as the API returns them to a caller without access to secrets
 * (`docs/decisions/0096-suspending-exporting-erasing.md`): without integrations' secrets, and with null for the
 * `credentials` of services and resources and for the data of webhook events, which stay encrypted. The journal is left
 * out: its events only say when these records changed, and expire within a month. So are failed deliveries, which
 * expire within a week.
 */
export interface Exported {
  /** Name of the record in the OpenAPI document: `Client`. */
  readonly type: string;
  readonly record: unknown;
}

/** Contracts of the records that only the storage code declares. */
const DECLARED = { [auditEventEntity.name]: auditEvent, [organizationEntity.name]: organization };

type Form = (record: never, tenant: Tenant) => object | Promise<object>;
/** Names of entities whose response is not the stored record. */
const FORMS: Readonly<Record<string, Form>> = {
  [clientEntity.name]: toClient satisfies Form,
  [identityEntity.name]: showIdentity satisfies Form,
  [serviceEntity.name]: (service: StoredService, tenant) => withMaintenance(tenant)(service),
  [resourceEntity.name]: (resource: StoredResource, tenant) => withMaintenance(tenant)(resource),
  [ticketEntity.name]: (ticket: StoredTicket, { session }) => ticketAt(session.timestamp)(ticket),
  [eventEntity.name]: (event: object) => ({ ...event, data: null }),
  [endpointEntity.name]: async (endpoint: StoredEndpoint, tenant: Tenant) =>
    showEndpoint(endpoint, await progressOf(tenant, endpoint.id)),
};

const LEFT_OUT: readonly string[] = [journalEntity.name, attemptEntity.name];
const isExported = ({ name }: Entity): boolean => !LEFT_OUT.includes(name);

export const exportedKinds = kinds
  .filter(({ entity }) => isExported(entity))
  .map((kind) => ({ ...kind, below: kind.below.filter(isExported) }));

/** Yields the organization, then the records kind by kind, the oldest first. Child records follow their parent. */
export async function* recordsOf(tenant: Tenant): AsyncGenerator<Exported> {
  if (tenant.orgId !== null) yield* shownAll(organizationEntity as unknown as Entity, tenant);
  for (const { entity, below } of exportedKinds) yield* shownAll(entity, tenant, below);
}

async function* shownAll(entity: Entity, tenant: Tenant, below: readonly Entity[] = []): AsyncGenerator<Exported> {
  for await (const { record } of tenant.records(entity).all()) {
    yield await exported(entity, record, tenant);
    for (const child of below) {
      for await (const { record: belonging } of tenant.below(child, String(record.id)).all())
        yield await exported(child, belonging, tenant);
    }
  }
}

/** The contract's record of an entity. */
export function declaredOf(entity: Entity): NonNullable<Entity['record']> {
  const declared = entity.record ?? DECLARED[entity.name];
  if (declared === undefined) throw new TypeError(`no contract declares the records ${entity.name}`);
  return declared;
}

async function exported(entity: Entity, stored: object, tenant: Tenant): Promise<Exported> {
  const declared = declaredOf(entity);
  const secrets = Object.fromEntries(entity.encrypted.map((field) => [field, null]));
  const form = FORMS[entity.name] as ((record: object, tenant: Tenant) => ReturnType<Form>) | undefined;
  return {
    type: declared.name,
    record: present(projectionOf(declared.schema), { ...((await form?.(stored, tenant)) ?? stored), ...secrets }),
  };
}
