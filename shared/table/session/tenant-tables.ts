import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { listErrors, type Table } from '@custodia/counted-lists';
import { sessionsSettled } from '../connection/client.ts';
import { EMPTY_KEYS, type TenantId } from '../keys.ts';

/** The longest wait of a response for a session that is being renewed, in milliseconds. */
const LONGEST_WAIT = 500;

/** The table with the rights of this function, and of each tenant. */
export class TenantTables {
  /** The table with the function's own rights, for reads before the tenant is known (`#tenancy`, `readCredentials`). */
  readonly environment: Table;
  /** The table with the rights of this tenant only. */
  readonly of: (tenant: TenantId) => Table;

  constructor(environment: Table, open: (tenant: TenantId) => Table) {
    this.environment = environment;
    // To look into the environment takes a microsecond, and a request asks ten times.
    const opened = new Map<TenantId, Table>();
    const of = (tenant: TenantId): Table => opened.get(tenant) ?? remember(opened, tenant, open(tenant));
    this.of = of;
  }

  /** Begins to open the tenant's STS session for the following calls. After a failure, a call tries again. */
  open(tenant: TenantId): void {
    this.of(tenant)
      .client.config.credentials()
      .catch(() => undefined);
  }

  /**
   * Waits for STS sessions that were asked for since then and are still being opened. Lambda may freeze the container after the response: the call
   * would time out when it runs again, and be sent again.
   * @param since in epoch milliseconds
   */
  async settleSessions(since: number): Promise<void> {
    const settled = sessionsSettled(since);
    if (settled !== undefined) await Promise.race([settled, sleep(LONGEST_WAIT, undefined, { ref: false })]);
  }

  /**
   * Checks that the table can be read, with the function's own rights: one eventually consistent `GetItem` of a key that has no item, which is
   * half a read unit.
   * @throws TableUnavailable for any reason, also where other requests get 500: a missing right or a missing table
   */
  async check(): Promise<void> {
    const { client, name } = this.environment;
    try {
      await client.send(new GetCommand({ TableName: name, Key: { ...EMPTY_KEYS.health } }));
    } catch (cause) {
      throw new listErrors.TableUnavailable('the table cannot be read', { cause });
    }
  }
}

function remember(opened: Map<TenantId, Table>, tenant: TenantId, table: Table): Table {
  opened.set(tenant, table);
  return table;
}
