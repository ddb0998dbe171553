import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, schema, serverTime } from '@custodia/counted-lists';
import { type RequestSession, StaleRead, type Tenant, type TenantId, tenantIdOf } from '#table';

/** An integration that has alerts held. */
export interface Holder {
  readonly tenant: TenantId;
  readonly integrationId: string;
}

/**
 * The register of alerts that are held, of all tenants in one partition, so that one function finds them:
 * `HELD_ALERTS` / `<tenant>#<integration id>#<until>#<digest>#<revision>`. By the revision of its episode an entry is
 * of one holding alone: who deletes it leaves those of later ones. A tenant's session can only add to the register,
 * also what is no entry, and an entry alone opens no ticket.
 */
export const heldKey = (...parts: readonly string[]): Key => ({ PK: 'HELD_ALERTS', SK: parts.join('#') });

/** Stages an entry. @param parts of its key, after the tenant. @param expires in epoch seconds */
export const stageHeld = ({ id, session: { changes } }: Tenant, parts: readonly string[], expires: number): void =>
  changes.of(id).put({ ...heldKey(id, ...parts), [schema.TTL]: expires }, () => new StaleRead('the register'), {});

/**
 * Finds those that have alerts due, until it is late: from a tenant id on, and then those before it. With the
 * function's own rights, as in the following; one query for each that has alerts held. Deletes what is no entry.
 */
export async function* holdersFrom(session: RequestSession, start: string): AsyncGenerator<Holder> {
  yield* holdersBetween(session, start, '~');
  yield* holdersBetween(session, ' ', start);
}

async function* holdersBetween(session: RequestSession, first: string, last: string): AsyncGenerator<Holder> {
  for (let after = first; ; ) {
    const [next] = await entriesWhere(session, 'SK > :after', { ':after': after }, 1);
    if (next === undefined || next >= last || isLate(session)) return;
    const holder = holderIn(next);
    if (holder === undefined) await forget(session, next);
    else if (next < firstOf(holder, now(session))) yield holder;
    // `$` follows `#`.
    after = holder === undefined ? next : `${holder.tenant}#${holder.integrationId}$`;
  }
}

/** None is begun so long before the deadline, in milliseconds: what is left is looked at in the next run. */
const NOT_BEGUN_BEFORE_END = 15_000;

export const isLate = ({ clock, deadline }: RequestSession): boolean => clock() >= deadline - NOT_BEGUN_BEFORE_END;

const HOLDER = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})#([\da-f-]{36})#/;

function holderIn(entry: string): Holder | undefined {
  const [, tenant, integrationId] = HOLDER.exec(entry) ?? [];
  return tenant && integrationId ? { tenant: tenantIdOf(tenant), integrationId } : undefined;
}

/** Entries of an integration that are looked at, before those of others are. */
const MOST_DUE = 100;

/** The first entries of an integration, by their sort keys, that were held until now. */
export function dueOf(session: RequestSession, holder: Holder): Promise<readonly string[]> {
  const times = { ':first': firstOf(holder, ''), ':last': firstOf(holder, now(session)) };
  return entriesWhere(session, 'SK BETWEEN :first AND :last', times, MOST_DUE);
}

/** The first sort key that an integration's entry of a time may have. */
const firstOf = ({ tenant, integrationId }: Holder, until: string) => heldKey(tenant, integrationId, until).SK;

const now = ({ tables, clock }: RequestSession): string =>
  new Date(serverTime(tables.environment, clock)).toISOString();

/** What an entry of an integration says, by its sort key. */
export function heldIn(entry: string) {
  const [, , until = '', digest = ''] = entry.split('#');
  return { until, digest };
}

async function entriesWhere(session: RequestSession, condition: string, values: Item, most: number) {
  const { client, name } = session.tables.environment;
  const query = new QueryCommand({
    TableName: name,
    KeyConditionExpression: `PK = :register AND ${condition}`,
    ExpressionAttributeValues: { ':register': heldKey().PK, ...values },
    Limit: most,
  });
  const { Items: items = [] } = await retry(() => client.send(query), session);
  return items.map(({ SK }) => String(SK));
}

/** Deletes an entry. @param entry its sort key */
export async function forget(session: RequestSession, entry: string): Promise<void> {
  const { client, name } = session.tables.environment;
  const command = new DeleteCommand({ TableName: name, Key: { ...heldKey(entry) } });
  await retry(() => client.send(command), session);
}
