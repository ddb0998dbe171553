import type { Table } from '#lists';
import type { TenantId } from '../keys.ts';

/** The table with the rights of this function, and of each tenant. */
export class TenantTables {
  /** The table with the function's own rights, for reads before the tenant is known (`#tenancy`, `readCredentials`). */
  readonly environment: Table;
  readonly #ofTenant: (tenant: TenantId) => Table;

  constructor(environment: Table, ofTenant: (tenant: TenantId) => Table) {
    this.environment = environment;
    this.#ofTenant = ofTenant;
  }

  /** The table with the rights of this tenant only. */
  of(tenant: TenantId): Table {
    return this.#ofTenant(tenant);
  }

  /** Begins to open the tenant's STS session for the following calls. After a failure, a call tries again. */
  open(tenant: TenantId): void {
    this.of(tenant)
      .client.config.credentials()
      .catch(() => undefined);
  }
}
