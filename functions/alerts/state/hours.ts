import { schema } from '@custodia/counted-lists';
import { StaleRead, type Tenant } from '#table';
import type { Named } from './episodes.ts';
import { alertKey, changeItem, inSeconds, readItem } from './items.ts';

/** The alerts of an integration that began in an hour, and the ticket that collects those that are too many. */
export interface Hour extends Named {
  readonly count: number;
}

const DAY = 86_400;

const keyOf = (tenant: Tenant, integrationId: string) =>
  alertKey(tenant, integrationId, `~hour ${tenant.session.timestamp.slice(0, 13)}`);

const hourIn = ({ count, ticket_id = null, ticket_code = null }: Partial<Hour> = {}): Hour => ({
  count: Number(count ?? 0),
  ...{ ticket_id, ticket_code },
});

/** Counts an alert that begins. It counts twice where a response was lost. */
export async function countAlert(tenant: Tenant, integrationId: string): Promise<Hour> {
  const set = { [schema.TTL]: inSeconds(tenant, DAY) };
  return hourIn(await changeItem(tenant, keyOf(tenant, integrationId), { set, add: { count: 1 } }));
}

export const readHour = async (tenant: Tenant, integrationId: string): Promise<Hour> =>
  hourIn(await readItem(tenant, keyOf(tenant, integrationId)));

/** Stages the ticket that collects the others of the hour. The commit throws {@link StaleRead} where there is one. */
export const stageCollector = (tenant: Tenant, integrationId: string, { ticket_id, ticket_code }: Named): void =>
  tenant.session.changes.of(tenant.id).update(keyOf(tenant, integrationId), {
    set: { ticket_id, ticket_code },
    condition: { equals: { ticket_id: undefined } },
    onConditionFailed: () => new StaleRead('another alert has opened that ticket'),
  });
