import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { PLATFORM, type RequestSession, Tenant } from '#table';
import { finishCascadeDeletes, recordsPartition } from '#table/storage';
import { listedEntity } from './organizations.ts';

/** Tenants that are handled in parallel. */
const AT_ONCE = 50;

/**
 * Finishes the pending cascade deletes of the platform and of all organizations, as long as the session has time. Only for local installations:
 * in AWS no session has access to several tenants.
 */
export async function finishAllCascadeDeletes(session: RequestSession): Promise<void> {
  await finish(Tenant.ofPlatform(session));
  const pages = paginateQuery(
    { client: session.tables.environment.client, pageSize: AT_ONCE },
    {
      TableName: session.tables.environment.name,
      KeyConditionExpression: 'PK = :organizations',
      ExpressionAttributeValues: { ':organizations': recordsPartition(PLATFORM, listedEntity.name) },
      ProjectionExpression: 'id',
    },
  );
  for await (const { Items: organizations = [] } of pages) {
    const ids = organizations.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    await Promise.all(ids.map((id) => finish(Tenant.ofOperator(id, session))));
  }
}

const finish = ({ id, session }: Tenant): Promise<boolean> => finishCascadeDeletes(session.tables.of(id), id, session);
