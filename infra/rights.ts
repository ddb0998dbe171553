import type { Contract } from '#contract';
import { takesIdempotencyKey } from '#contract/derived';

/** What a function may reach. Anything not said here it may not. */
export interface Rights {
  /** Works on tenants' records: has no rights on the table itself, but may assume a tenant role (`tenant-role.ts`). */
  readonly tenants?: TenantRights;
  /** Finds out whose an app code is: reads `APP#…` and nothing else of the table. */
  readonly findsApps?: true;
  /** Reads the credentials of an integration before there is a session of its tenant, one by one, and nothing else of the table. */
  readonly readsCredentials?: true;
  /** Refuses integrations of suspended organizations, beside their credentials: reads `SUSPENDED#…` and nothing else of the table. */
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
 * - `audit`: adds to the tenant's audit log, and reads nothing;
 * - `records-without-secrets`: on the tenant's own keys alone;
 * - `records`: that, and opens the tenant's secrets, as all that follow do; it puts no audit events, which only those below do;
 * - `audited-records`: that, and adds to the audit log;
 * - `grants`: also has what it does depend on its caller's credentials (`docs/decisions/0073`);
 * - `organizations`: on the tenant's own keys, and makes a tenant, which the platform counts;
 * - `integrations`: that, and registers app codes, which are unique over all tenants, with their credentials.
 */
export type TenantRights =
  | 'audit'
  | 'records-without-secrets'
  | 'records'
  | 'audited-records'
  | 'grants'
  | 'organizations'
  | 'integrations';

/** The function behind the gateway's authorizers; no contract is served by it. */
export const AUTHORIZER = 'authorizer';

const AUTHORIZER_RIGHTS: Rights = { readsCredentials: true, verifies: true };

/** Before a tenant is known, or there is a session for it. */
const FINDS_INTEGRATIONS: Rights = {
  findsApps: true,
  readsCredentials: true,
  seesSuspensions: true,
  countsLoginFailures: true,
};

/** Rights of a domain beyond what its routes ask for. */
const BEYOND: Readonly<Record<string, Rights>> = {
  access: { tenants: 'grants' },
  auth: {
    ...FINDS_INTEGRATIONS,
    tenants: 'audit',
    signs: true,
    verifies: true,
  },
  health: { checksHealth: true },
  integrations: { tenants: 'integrations', secrets: true },
  orgs: { tenants: 'organizations' },
  users: { tenants: 'grants' },
  // Events run the operations of `access` and `users`.
  webhooks: { ...FINDS_INTEGRATIONS, tenants: 'grants', secrets: true },
  'well-known': { verifies: true },
  services: { secrets: true },
  resources: { secrets: true },
};

/** The rights of the function that serves a contract, or of the authorizer. A new domain needs no entry to work on its tenant's records. */
export function rightsOf(served: Contract | typeof AUTHORIZER): Rights {
  if (served === AUTHORIZER) return AUTHORIZER_RIGHTS;
  const routes = Object.values(served.routes);
  const beyond = BEYOND[served.name];
  // The response that an idempotency key is remembered with is kept encrypted.
  const secrets = beyond?.secrets ?? routes.some(takesIdempotencyKey);
  return {
    ...(routes.some(({ auth }) => auth !== 'none') ? { tenants: recordsOf(served, secrets) } : {}),
    ...(secrets ? { secrets } : {}),
    ...beyond,
  };
}

/** Who reads and sets protected fields is audited (`docs/decisions/0071`). */
function recordsOf({ fieldPermissions }: Contract, secrets: boolean): TenantRights {
  if (!secrets) return 'records-without-secrets';
  return fieldPermissions === undefined ? 'records' : 'audited-records';
}
