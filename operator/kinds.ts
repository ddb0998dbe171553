import type * as z from 'zod';
import { declaredValues } from '#contract';
import { auditEventEntity, type Entity } from '#table';
import { userEntity } from '../functions/access/store.ts';
import { declaredEntities } from '../functions/all-entities.ts';
import { endpointEntity, type StoredEndpoint } from '../functions/events/store.ts';
import type { IdentityProvider } from '../functions/identity-providers/contract.ts';
import { identityProviderEntity } from '../functions/identity-providers/store.ts';
import type { Integration } from '../functions/integrations/contract.ts';
import { hasFullAccess, isActive } from '../functions/integrations/quota.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { countedBy, type Kind, kind, quotaOf } from './maintenance/verify/kinds.ts';

/** Values of filters for the storage code's own records, which no contract declares. */
const VALUES: Readonly<Record<string, Kind['values']>> = {
  [auditEventEntity.name]: { actor_id: [integrationEntity, userEntity] },
};

/** The records that a quota counts, by entity. */
const QUOTAS: Readonly<Record<string, Kind['quota']>> = {
  [endpointEntity.name]: quotaOf<StoredEndpoint>({ USED: () => true }),
  [identityProviderEntity.name]: quotaOf<IdentityProvider>({ USED: () => true }),
  [integrationEntity.name]: quotaOf<Integration>({ USED: isActive, FULL: hasFullAccess }),
};

const entities = await declaredEntities();

/** Every kind of record of a tenant, as its domain declares it, with the counters and quotas that depend on it. */
export const kinds: readonly Kind[] = entities
  .filter(({ parent }) => parent === undefined)
  .map((entity) =>
    kind(entity, {
      below: entities.filter(({ parent }) => parent === entity),
      counters: countersOf(entity),
      values: { ...valuesOf(entity), ...VALUES[entity.name] },
      quota: QUOTAS[entity.name] ?? {},
    }),
  );

/** The counters of a kind, as the entities declare them that they count. */
function countersOf({ name }: Entity): Kind['counters'] {
  const all = entities.flatMap((entity) =>
    Object.entries(entity.counted).flatMap(([reference, declared]) =>
      declared?.by.name !== name
        ? []
        : Object.entries(declared.counts).map(([field, which]) => ({
            field,
            counted: countedBy<never>(entity, reference as never, which === 'all' ? undefined : which),
          })),
    ),
  );
  const byField = Map.groupBy(all, ({ field }) => field);
  return Object.fromEntries(Array.from(byField, ([field, found]) => [field, found.map(({ counted }) => counted)]));
}

/** The values of a filter's field, where the contract's record declares them. */
function valuesOf({ record, indexes }: Entity): Kind['values'] {
  const known = indexes.flatMap(({ kind, fields }) =>
    kind !== 'set' && kind !== 'flag'
      ? []
      : fields.map((field) => [field, kind === 'flag' ? ['true'] : valuesIn(record?.fieldOf(field))] as const),
  );
  return Object.fromEntries(known.filter((entry) => entry[1] !== undefined)) as Kind['values'];
}

function valuesIn(schema: z.ZodType | undefined): Kind['values'][string] | undefined {
  const values = declaredValues(schema);
  return values !== undefined && 'record' in values
    ? entities.filter(({ record }) => record?.name === values.record)
    : values;
}
