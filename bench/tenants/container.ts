import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { configureTable, RequestSession } from '../../shared/table/index.ts';
import type { TenantId } from '../../shared/table/keys.ts';

/** A table that has nothing: requests end without a socket. */
class EmptyTable extends NodeHttpHandler {
  override async handle(): ReturnType<NodeHttpHandler['handle']> {
    const body = new TextEncoder().encode('{}');
    return {
      response: new HttpResponse({ statusCode: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body }),
    };
  }
}

/** Makes this process a container of a function that works in tenants' sessions. @returns what ends its STS */
export async function startContainer(): Promise<() => void> {
  const sts = fork(join(import.meta.dirname, 'sts-server.ts'));
  const [port] = await once(sts, 'message');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    TABLE_NAME: 'records',
    TENANT_ROLE_ARN: 'arn:aws:iam::111122223333:role/tenant',
  });
  emptyContainer();
  return () => sts.disconnect();
}

/** Forgets all clients and sessions. */
export const emptyContainer = (): void => configureTable({ requestHandler: new EmptyTable() });

export const newTenants = (count: number): TenantId[] => Array.from({ length: count }, () => randomUUID() as TenantId);

/** One call of a tenant, by a `GetItem`. */
export async function callOf(tenant: TenantId): Promise<Table> {
  const table = RequestSession.ofEnvironment(10_000).tables.of(tenant);
  await table.client.send(new GetCommand({ TableName: table.name, Key: { PK: `ORG#${tenant}#CLIENT`, SK: '1' } }));
  return table;
}
