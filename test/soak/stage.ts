import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { registerIntegration } from '../../functions/integrations/register.ts';
import { localDynamoDbClient } from '../../local/dynamodb/client.ts';
import { createTable } from '../../local/dynamodb/table.ts';
import { setFunctionEnvironment } from '../../local/environment.ts';
import { ensureLocalKeys } from '../../shared/auth/local-keys.ts';
import { systemClock } from '../../shared/clock.ts';
import { environmentTable } from '../../shared/table/connection/client.ts';
import { recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import { TOMBSTONE } from '../../shared/table/lists/read-records.ts';
import { Session } from '../../shared/table/session.ts';
import { stageOrganization } from '../../shared/table/system/organizations.ts';
import { Tenant } from '../../shared/table/tenant.ts';

/** Where runs take place: a table with the functions' environment, and for each run a tenant of its own. */

/** Makes a table in this DynamoDB for the functions of this process. Answers what removes what it left on disk. */
export async function setStage(endpoint: string): Promise<() => Promise<void>> {
  const tableName = `soak-${randomUUID()}`;
  await createTable(localDynamoDbClient(endpoint), tableName);
  const directory = await mkdtemp(join(tmpdir(), 'custodia-soak-'));
  const keyFile = join(directory, 'keys.json');
  setFunctionEnvironment({ tableName, endpoint, keyFile, firstKey: false });
  await ensureLocalKeys(keyFile);
  return () => rm(directory, { recursive: true, force: true });
}

export interface Sender {
  readonly orgId: string;
  readonly integrationId: string;
  readonly appCode: string;
  readonly secret: string;
}

/** A fresh organization with one integration. */
export async function newSender(): Promise<Sender> {
  const session = new Session(environmentTable(), systemClock, Date.now() + 10_000);
  session.origin = { actor: { type: 'operator' }, operation: 'soak', requestId: null, sourceAddress: null };
  const orgId = randomUUID();
  const appCode = `soak-${orgId}`;
  const tenant = Tenant.ofNewOrganization(orgId, session);
  await stageOrganization(tenant, { name: 'Soak', slug: 'soak', settings: {} }, () => new Error('it is there'));
  const integration = {
    app_code: appCode,
    display_name: 'Soak',
    status: 'active',
    permissions: null,
    metadata: null,
    rate_limit: null,
    webhook_tolerance_seconds: null,
  } as const;
  const { stored, secret } = await registerIntegration(tenant, integration, 'operator');
  await session.commit();
  return { orgId, integrationId: stored.record.id, appCode, secret };
}

/** All records of a kind in a tenant, read from the table itself and not through the lists. */
export async function recordsOf({ orgId }: Sender, entity: string): Promise<readonly Record<string, unknown>[]> {
  const { client, name } = environmentTable();
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'PK = :pk',
      ExpressionAttributeValues: { ':pk': recordsPartition(orgId as TenantId, entity) },
      ConsistentRead: true,
    }),
  );
  return Items.filter((item) => item[TOMBSTONE] === undefined);
}
