import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readPartition, type Table } from '#lists';
import { type RequestSession, StaleRead, type Tenant } from '#table';
import { registeredIn, registerKey } from '#tenancy/keys';

export { tenantOfJournal } from '#tenancy/keys';

/**
 * The register of endpoints that may be active (`docs/decisions/0201-events.md`): outside of the tenants' own keys, so
 * that one query finds all. An endpoint is registered when it is made, and each time that it is activated, confirmed or
 * replayed; a worker that finds it otherwise removes it.
 */
export interface Registration {
  readonly tenant: Tenant['id'];
  readonly endpointId: string;
  /** The endpoint's version when it was registered. */
  readonly version: number;
}

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
  for await (const item of readPartition({ table: tables.environment, clock }, REGISTER))
    all.push(...registrationIn(item));
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

const REGISTER = registerKey('' as Tenant['id'], '').PK;

/**
 * None for what is no entry: any tenant's session may put items there, and one with a bug must not stop deliveries to
 * others.
 */
const registrationIn = ({ SK, version }: Item): readonly Registration[] => {
  const registered = registeredIn({ SK: String(SK) });
  return registered === undefined || !Number.isInteger(version) ? [] : [{ ...registered, version: Number(version) }];
};
