import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, schema } from '@custodia/counted-lists';
import { type RequestSession, StaleRead, type Tenant, type TenantId, tenantIdOf } from '#table';

/** An integration that has alerts held. */
export interface Holder {
  readonly tenant: TenantId;
  readonly integrationId: string;
}

/** An alert that is held. */
export interface Held extends Holder {
  /** A timestamp as in records. */
  readonly until: string;
  /** The digest of its fingerprint. */
  readonly digest: string;
}

/**
 * The register of alerts that are held, of all tenants in one partition, so that one function finds them:
 * `HELD_ALERTS` / `<tenant>#<integration id>#<until>#<digest>`. A tenant's session can only add to it, and an entry
 * alone opens no ticket.
 */
export const heldKey = (...parts: readonly string[]): Key => ({ PK: 'HELD_ALERTS', SK: parts.join('#') });

const keyOf = ({ tenant, integrationId, until, digest }: Held): Key => heldKey(tenant, integrationId, until, digest);

/** Stages an entry. @param expires in epoch seconds */
export const stageHeld = ({ id, session }: Tenant, held: Omit<Held, 'tenant'>, expires: number): void =>
  session.changes
    .of(id)
    .put({ ...keyOf({ ...held, tenant: id }), [schema.TTL]: expires }, () => new StaleRead('the register'), {});

/**
 * Those that have alerts held, with the function's own rights as in the following: one query for each.
 * @param after begins behind this tenant id; by default with the first
 */
export async function* holdersAfter(session: RequestSession, after = ' '): AsyncGenerator<Holder> {
  for (let first = after; ; ) {
    const [next] = await entriesWhere(session, 'SK > :first', { ':first': first }, 1);
    if (next === undefined) return;
    const held = heldIn(next);
    if (held !== undefined) yield held;
    first = held === undefined ? String(next.SK) : heldKey(held.tenant, held.integrationId, LAST).SK;
  }
}

/** After all that begins with the same. */
const LAST = '~';

/** Alerts of an integration that are looked at in one run. */
const MOST_DUE = 100;

/** The first alerts of an integration that were held until now. @param now a timestamp as in records */
export async function dueOf(session: RequestSession, holder: Holder, now: string): Promise<readonly Held[]> {
  const { SK } = heldKey(holder.tenant, holder.integrationId, '');
  const times = { ':first': SK, ':last': `${SK}${now}` };
  const due = await entriesWhere(session, 'SK BETWEEN :first AND :last', times, MOST_DUE);
  return due.flatMap((entry) => heldIn(entry) ?? []);
}

async function entriesWhere(session: RequestSession, condition: string, values: Item, most: number) {
  const { client, name } = session.tables.environment;
  const query = new QueryCommand({
    TableName: name,
    KeyConditionExpression: `PK = :register AND ${condition}`,
    ExpressionAttributeValues: { ':register': heldKey().PK, ...values },
    Limit: most,
  });
  return (await retry(() => client.send(query), session)).Items ?? [];
}

/** Deletes an entry: the alert is not looked at again. */
export async function forget(session: RequestSession, held: Held): Promise<void> {
  const { client, name } = session.tables.environment;
  const command = new DeleteCommand({ TableName: name, Key: { ...keyOf(held) } });
  await retry(() => client.send(command), session);
}

const ENTRY = /^(?<tenant>[\da-f-]{36})#(?<integrationId>[\da-f-]{36})#(?<until>[\dTZ:.-]{24})#(?<digest>[\w-]{43})$/;

/** Undefined for what is no entry: any tenant's session may put one, and a faulty one must not stop others. */
function heldIn({ SK }: Item): Held | undefined {
  const { tenant, integrationId, until, digest } = ENTRY.exec(String(SK))?.groups ?? {};
  if (tenant === undefined || integrationId === undefined || until === undefined || digest === undefined) return;
  return { tenant: tenantIdOf(tenant), integrationId, until, digest };
}
