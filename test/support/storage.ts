import type { Table } from '@custodia/counted-lists';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { runToCommit } from '#http';
import { localConnection } from '#local-dynamodb';
import { configureTable, RequestSession, Tenant, tableOf } from '#table';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { aCaller } from './caller.ts';
import type { FreshTable } from './dynamodb.ts';

/** The storage code as one process of the service uses it. */

type Place = Pick<FreshTable, 'tableName' | 'endpoint'>;

/** The SDK's tries of a call, in one of our own attempts. */
export const SDK_ATTEMPTS = 4;

/** All of the SDK's retries, but not their waits. */
const retriesAtOnce = (attempts: number) => ({
  ...localConnection(),
  retryStrategy: new ConfiguredRetryStrategy(attempts, 1),
});

/**
 * Makes the API call its table by this handler, with all retries of a new client: the SDK makes fewer after many
 * failures.
 */
export const useTableOver = (requestHandler: NodeHttpHandler, attempts = SDK_ATTEMPTS): void =>
  configureTable({ ...retriesAtOnce(attempts), requestHandler });

/** The table over a connection of its own. */
export const tableAt = ({ tableName, endpoint }: Place, requestHandler?: NodeHttpHandler): Table => {
  return tableOf(tableName, {
    ...retriesAtOnce(SDK_ATTEMPTS),
    ...localConnection(endpoint),
    ...(requestHandler === undefined ? {} : { requestHandler }),
  });
};

/** A handle to one tenant in a new session with this timeout in milliseconds. */
export function openTenant(table: Table, orgId: string, clock: Clock = systemClock, patience = 10_000): Tenant {
  return Tenant.of(aCaller(orgId), new RequestSession(table, clock, clock() + patience));
}

/** Does something in a tenant as the pipeline does: again when a record has changed meanwhile, and all or nothing. */
export function doIn<T>(tenant: Tenant, operation: (tenant: Tenant) => Promise<T>): Promise<T> {
  return runToCommit(tenant.session, () => operation(tenant));
}
