import type * as z from 'zod';
import { declaredValues } from '#contract/derived';
import { countedBy, type Kind, kind, quotaOf } from '#maintenance';
import { auditEventEntity, type Entity } from '#table';
import { declaredEntities } from '../functions/all-entities.ts';
import { clientEntity } from '../functions/clients/store.ts';
import type { Integration } from '../functions/integrations/contract.ts';
import { hasFullAccess, isActive } from '../functions/integrations/quota.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { isResourceRisk as isResourceAtRisk } from '../functions/resources/risk.ts';
import { resourceEntity } from '../functions/resources/store.ts';
import { isServiceRisk as isServiceAtRisk } from '../functions/services/health.ts';
import { serviceEntity } from '../functions/services/store.ts';
import { endpointEntity, type StoredEndpoint } from '../functions/webhook-endpoints/store.ts';

/** The records that a counter field counts, by entity and field. */
const COUNTERS: Readonly<Record<string, Kind['counters']>> = {
  [clientEntity.name]: {
    services_count: [countedBy(serviceEntity, 'client_id')],
    total_resources: [countedBy(resourceEntity, 'client_id')],
    risks: [
      countedBy(serviceEntity, 'client_id', isServiceAtRisk),
      countedBy(resourceEntity, 'client_id', isResourceAtRisk),
    ],
  },
  [serviceEntity.name]: { resource_count: [countedBy(resourceEntity, 'service_id')] },
};

/** Values of filters for the storage code's own records, which no contract declares. */
const VALUES: Readonly<Record<string, Kind['values']>> = {
  [auditEventEntity.name]: { actor_id: integrationEntity },
};

/** The records that a quota counts, by entity. */
const QUOTAS: Readonly<Record<string, Kind['quota']>> = {
  [endpointEntity.name]: quotaOf<StoredEndpoint>({ USED: () => true }),
  [integrationEntity.name]: quotaOf<Integration>({ USED: isActive, FULL: hasFullAccess }),
};

const entities = await declaredEntities();

/** Every kind of record of a tenant, as its domain declares it, with the counters and quotas that depend on it. */
export const kinds: readonly Kind[] = entities
  .filter(({ parent }) => parent === undefined)
  .map((entity) =>
    kind(entity, {
      below: entities.filter(({ parent }) => parent === entity),
      counters: COUNTERS[entity.name] ?? {},
      values: { ...valuesOf(entity), ...VALUES[entity.name] },
      quota: QUOTAS[entity.name] ?? {},
    }),
  );

/** The values of a filter's field, where the contract's record declares them. */
function valuesOf({ record, filters, flags }: Entity): Kind['values'] {
  const known = filters.map((field) => [field, field in flags ? ['true'] : valuesIn(record?.fieldOf(field))] as const);
  return Object.fromEntries(known.filter((entry) => entry[1] !== undefined)) as Kind['values'];
}

function valuesIn(schema: z.ZodType | undefined): Kind['values'][string] | undefined {
  const values = declaredValues(schema);
  return values !== undefined && 'record' in values
    ? entities.find(({ record }) => record?.name === values.record)
    : values;
}
