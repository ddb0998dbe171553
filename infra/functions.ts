import { Construct } from 'constructs';
import type { Bundles } from '#bundling';
import type { Contract } from '#contract';
import { ApiFunction } from './api-function.ts';
import { HEARTBEAT } from './heartbeat.ts';
import type { Keys } from './keys.ts';
import { AUTHORIZER, type Rights, rightsOf, type TenantRights } from './rights.ts';
import type { Settings } from './settings.ts';
import type { TableReference } from './table.ts';
import { TenantRole } from './tenant-role.ts';

interface FunctionsProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly table: TableReference;
  readonly keys: Keys;
  readonly settings: Settings;
}

/** Every function that serves requests: one per contract, and the authorizer. */
export const functionNames = (contracts: readonly Contract[]): readonly string[] => [
  AUTHORIZER,
  ...contracts.map(({ name }) => name),
];

/** The functions to bundle: those that serve requests, and the heartbeat that calls them (`heartbeat.ts`). */
export const bundleNames = (contracts: readonly Contract[]): readonly string[] => [
  ...functionNames(contracts),
  HEARTBEAT,
];

/** The functions, and the tenant roles under which they work on the table. */
export class Functions extends Construct {
  readonly byName: ReadonlyMap<string, ApiFunction>;
  readonly #props: FunctionsProps;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.#props = props;
    refuseUnknown(props);
    this.byName = new Map([
      [AUTHORIZER, this.#make(AUTHORIZER, rightsOf(AUTHORIZER))],
      ...props.contracts.map((contract) => [contract.name, this.#make(contract.name, rightsOf(contract))] as const),
    ]);
    const { authorizerCacheSeconds } = props.settings;
    this.named(AUTHORIZER).lambda.addEnvironment('AUTHORIZER_CACHE_SECONDS', String(authorizerCacheSeconds));
    this.#tenantRole('AuditRole', 'audit');
    this.#tenantRole('PlainTenantRole', 'records-without-secrets');
    this.#tenantRole('TenantRole', 'records');
    this.#tenantRole('AuditedRecordsRole', 'audited-records');
    this.#tenantRole('GrantsRole', 'grants');
    this.#tenantRole('OrganizationsRole', 'organizations');
    this.#tenantRole('IntegrationsRole', 'integrations');
  }

  /** @throws TypeError where the stack has no such function */
  named(name: string): ApiFunction {
    return found(this.byName, name, 'function');
  }

  #make(name: string, rights: Rights): ApiFunction {
    const { bundles, table, keys, settings } = this.#props;
    return new ApiFunction(this, name, {
      name,
      bundle: found(bundles, name, 'bundle'),
      rights,
      table,
      keys,
      settings,
    });
  }

  #tenantRole(id: string, kind: TenantRights): void {
    const functions = [...this.byName.values()].filter(({ rights }) => rights.tenants === kind);
    if (functions.length === 0) return;
    const { table, keys } = this.#props;
    const secrets = functions.some(({ rights }) => rights.secrets);
    const { role } = new TenantRole(this, id, { table, kind, secrets });
    for (const each of functions) each.workUnder(role);
    if (secrets) keys.allowSecretsOfTenant(role);
  }
}

/** @throws Error a setting names a function that the stack does not have */
function refuseUnknown({ contracts, settings: { reservedConcurrency, provisionedConcurrency } }: FunctionsProps) {
  const known = functionNames(contracts);
  for (const [setting, byName] of Object.entries({ reservedConcurrency, provisionedConcurrency })) {
    const unknown = [...byName.keys()].filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new Error(`${setting}: there is no function ${unknown.join()}`);
  }
}

export function found<T>(map: ReadonlyMap<string, T>, name: string, what: string): T {
  const value = map.get(name);
  if (value === undefined) throw new TypeError(`there is no ${what} for ${name}`);
  return value;
}
