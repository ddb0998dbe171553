import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, readItems, readPartition, schema, type Table } from '@custodia/counted-lists';
import { JournalReader, type RequestSession, StaleRead, type Tenant, tenantIdOf, tenantKey } from '#table';
import { type DeliveryState, stateIn } from './state.ts';

/**
 * The register of endpoints that may be active: outside of the tenants' own keys, so that one query finds all. An
 * endpoint is registered when it is made, activated, confirmed or replayed; a worker that finds it otherwise removes
 * it.
 */
export interface Registration {
  readonly tenant: Tenant['id'];
  readonly endpointId: string;
  /** The endpoint's version when it was registered. */
  readonly version: number;
}

/**
 * The register of active webhook endpoints, of all tenants in one partition: `DELIVERIES` / `<tenant>#<endpoint id>`.
 * It is outside of the tenants' own keys, so that what wakes deliveries reads no key of a tenant, and a tenant's
 * session can only add to it.
 */
export const registerKey = (tenant: Tenant['id'], endpointId: string): Key => ({
  PK: 'DELIVERIES',
  SK: `${tenant}#${endpointId}`,
});

/** Stages that an endpoint is active from this version on. */
export const stageRegistration = (tenant: Tenant, endpointId: string, version: number): void =>
  tenant.session.changes
    .of(tenant.id)
    .put({ ...registerKey(tenant.id, endpointId), version }, () => new StaleRead('the register'), {});

/**
 * The registered endpoints of a tenant. Strongly consistent.
 * @param table with the function's own rights, as in the following
 */
export async function registeredOf(table: Table, tenant: string): Promise<readonly Registration[]> {
  const { PK, SK } = registerKey(tenant as Tenant['id'], '');
  const { Items: items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :register AND begins_with(SK, :tenant)',
      ExpressionAttributeValues: { ':register': PK, ':tenant': SK },
      ConsistentRead: true,
    }),
  );
  return items.flatMap(registrationIn);
}

/** Those of all tenants: one query for every 10,000. */
export async function allRegistered({ tables, clock }: RequestSession): Promise<readonly Registration[]> {
  const all: Registration[] = [];
  const { PK } = registerKey('' as Tenant['id'], '');
  for await (const item of readPartition({ table: tables.environment, clock }, PK)) all.push(...registrationIn(item));
  return all;
}

/** Removes an entry, unless the endpoint was activated since it was read. */
export async function unregister(table: Table, { tenant, endpointId, version }: Registration): Promise<void> {
  const command = new DeleteCommand({
    TableName: table.name,
    Key: { ...registerKey(tenant, endpointId) },
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': version },
  });
  await table.client.send(command).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

const ENTRY = /^(?<tenant>PLATFORM|[\da-f-]{36})#(?<endpointId>[\da-f-]{36})$/;

/** Ignores what is no entry: any tenant's session may put one, and a faulty one must not stop deliveries to others. */
function registrationIn({ SK, version }: Item): readonly Registration[] {
  const { tenant, endpointId } = ENTRY.exec(String(SK))?.groups ?? {};
  if (tenant === undefined || endpointId === undefined || !Number.isInteger(version)) return [];
  return [{ tenant: tenantIdOf(tenant), endpointId, version: Number(version) }];
}

/** The tenant whose journal has items with this partition key; undefined for other items. */
export const tenantOfJournal = (partition: string): string | undefined => /^ORG#([^#]+)#EVENT$/.exec(partition)?.[1];

/** How far the deliveries to a registered endpoint are, and its tenant's journal: numbers, and nothing of a record. */
export interface Backlog {
  readonly registration: Registration;
  /** Undefined where there is none. */
  readonly state: DeliveryState | undefined;
  /** The journal's next number. */
  readonly end: number;
  /** The journal's. */
  readonly generation: string;
}

/** Endpoints of a call, each of which takes two of the 100 keys that DynamoDB allows. */
const A_CALL = 50;
/** In milliseconds. */
const TIMEOUT = 10_000;

/**
 * The backlogs of these endpoints, with the function's own rights: half a unit for each, and one for each tenant.
 * Eventually consistent.
 */
export async function* readBacklogs(
  { tables, clock, observer }: RequestSession,
  registrations: readonly Registration[],
): AsyncGenerator<Backlog> {
  for (let start = 0; start < registrations.length; start += A_CALL) {
    const some = registrations.slice(start, start + A_CALL);
    const keys = some.flatMap((each) => [stateKeyOf(each), endKeyOf(each)]);
    const distinct = [...new Map(keys.map((key) => [schema.nameOf(key), key])).values()];
    const timeLimit = { clock, deadline: clock() + TIMEOUT, observer };
    const { items } = await readItems(tables.environment, distinct, timeLimit, { ConsistentRead: false });
    for (const registration of some) {
      const state = items.get(schema.nameOf(stateKeyOf(registration)));
      const end = items.get(schema.nameOf(endKeyOf(registration)));
      const { next, generation } = await JournalReader.endIn(tables.environment, end);
      yield { registration, state: state && stateIn(state), end: next, generation };
    }
  }
}

const stateKeyOf = ({ tenant, endpointId }: Registration): Key => tenantKey(tenant, 'DELIVERY', endpointId);
const endKeyOf = ({ tenant }: Registration): Key => JournalReader.endKeyOf(tenant);
