import { type Contract, takesIdempotencyKey } from '../shared/contract/route.ts';

/** What a function may reach. Anything not said here it may not. */
export interface Rights {
  /** Works on tenants' records: has no rights on the table itself, but may assume a tenant role (`tenant-role.ts`). */
  readonly tenants?: TenantRights;
  /** Finds an integration by its app code before the tenant is known: reads `APP#…` and nothing else of the table. */
  readonly findsApps?: true;
  /** Refuses integrations of suspended organizations before it works for a tenant: reads `SUSPENDED#…` and nothing else of the table. */
  readonly seesSuspensions?: true;
  /** Counts failed logins and wrong signatures: reads and changes `LOGIN_FAILURE#…` and nothing else of the table. */
  readonly countsLoginFailures?: true;
  /** Checks that the table can be read: reads the item `HEALTH` and nothing else of the table. */
  readonly checksHealth?: true;
  /** Signs tokens. */
  readonly signs?: true;
  /** Reads the public keys of tokens. */
  readonly verifies?: true;
  /** Encrypts and decrypts what is secret, in sessions of the tenant whose it is. */
  readonly secrets?: true;
}

/**
 * - `audit`: adds to the tenant's audit trail, and reads nothing;
 * - `records-without-secrets`: on the tenant's own keys alone;
 * - `records`: that, and opens the tenant's secrets, as all that follow do;
 * - `grants`: also has what it does depend on its caller's credentials (`docs/decisions/0073`);
 * - `organizations`: on the tenant's own keys, and makes a tenant, which the platform counts;
 * - `integrations`: that, and registers app codes, which are unique over all tenants.
 */
export type TenantRights =
  | 'audit'
  | 'records-without-secrets'
  | 'records'
  | 'grants'
  | 'organizations'
  | 'integrations';

/** The function behind the gateway's authorizers; no contract is served by it. */
export const AUTHORIZER = 'authorizer';

const AUTHORIZER_RIGHTS: Rights = { findsApps: true, verifies: true };

/** Rights of a domain beyond what its routes ask for. */
const BEYOND: Readonly<Record<string, Rights>> = {
  access: { tenants: 'grants' },
  auth: {
    tenants: 'audit',
    findsApps: true,
    seesSuspensions: true,
    countsLoginFailures: true,
    signs: true,
    verifies: true,
  },
  health: { checksHealth: true },
  integrations: { tenants: 'integrations', secrets: true },
  orgs: { tenants: 'organizations' },
  users: { tenants: 'grants' },
  // Events run the operations of `access` and `users`.
  webhooks: { tenants: 'grants', findsApps: true, countsLoginFailures: true, secrets: true },
  'well-known': { verifies: true },
  services: { secrets: true },
  resources: { secrets: true },
};

/** The rights of the function that serves a contract, or of the authorizer. A new domain needs no entry to work on its tenant's records. */
export function rightsOf(served: Contract | typeof AUTHORIZER): Rights {
  if (served === AUTHORIZER) return AUTHORIZER_RIGHTS;
  const routes = Object.values(served.routes);
  const beyond = BEYOND[served.name];
  // The answer that an idempotency key is remembered with is kept encrypted.
  const secrets = beyond?.secrets ?? routes.some(takesIdempotencyKey);
  return {
    ...(routes.some(({ auth }) => auth !== 'none') ? { tenants: secrets ? 'records' : 'records-without-secrets' } : {}),
    ...(secrets ? { secrets } : {}),
    ...beyond,
  };
}
