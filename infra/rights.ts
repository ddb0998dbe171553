import { type Contract, takesHeader } from '#contract';

/** The rights of a function. It has no others. */
export interface Rights {
  /** Works on tenants' records: has no rights on the table itself, but may assume a tenant role (`tenant-role.ts`). */
  readonly tenants?: TenantRights;
  /** Looks up the tenant of an app code: reads `APP#…` and nothing else of the table. */
  readonly findsApps?: true;
  /** Looks up whether users sign in to an organization: reads `SIGN_IN#…`, and what users may do, item by item. */
  readonly findsOrganizations?: true;
  /**
   * Reads the credentials of an integration before a session of its tenant exists, one by one, and nothing else of the
   * table.
   */
  readonly readsCredentials?: true;
  /** Reads what users may do, item by item, and nothing else of the table. */
  readonly readsUserAccess?: true;
  /** Checks for suspension together with the credentials: reads `SUSPENDED#…` and nothing else of the table. */
  readonly seesSuspensions?: true;
  /** Counts failed logins and wrong signatures: reads and changes `LOGIN_FAILURE#…` and nothing else of the table. */
  readonly countsLoginFailures?: true;
  /** Checks that the table can be read: reads the item `HEALTH` and nothing else of the table. */
  readonly checksHealth?: true;
  /** Signs tokens. */
  readonly signs?: true;
  /** Reads the public keys of tokens. */
  readonly verifies?: true;
  /** Encrypts and decrypts secrets, in sessions of their tenant. */
  readonly secrets?: true;
  /** Decrypts the secrets of webhook endpoints, and no others, in sessions of their tenant. */
  readonly endpointSecrets?: true;
  /** Reads who has active webhook endpoints: queries `DELIVERIES` and nothing else of the table. */
  readonly readsRegister?: true;
  /** Deletes entries of that register. */
  readonly tidiesRegister?: true;
  /** Finds alerts that are held, and deletes those entries: queries `HELD_ALERTS` and nothing else of the table. */
  readonly takesHeldAlerts?: true;
  /** Reads how far endpoints and journals are: numbers, and nothing else of the table. */
  readonly readsBacklogs?: true;
  /** Sends wake-ups to the queue of deliveries. */
  readonly wakes?: true;
}

/**
 * - `sign-in`: finds out who signs in: reads users, their identities and their providers, links an identity, and adds
 *   audit events;
 * - `records-without-secrets`: only reaches the tenant's own partition keys;
 * - `alerts`: as that, also registers alerts that are held;
 * - `records`: also decrypts the tenant's secrets, as all following kinds do, but adds no audit events;
 * - `audited-records`: also adds to the audit log, as all following kinds do;
 * - `attachments`: as `records`, also puts, reads and deletes the objects of the tenant's attachments;
 * - `live-callers`: also makes its transactions depend on the caller (`docs/decisions/0073`), as all requests below do;
 * - `grants`: also changes what users may do;
 * - `batches`: as `grants`, also reads the credentials of the caller, while what it sends is carried out;
 * - `organizations`: also creates tenants, which the platform counts, and names by which their users sign in;
 * - `integrations`: also registers app codes, which are unique over all tenants, with their credentials;
 * - `endpoints`: as `grants`, also registers webhook endpoints, and reads the credentials of their integrations;
 * - `deliveries`: reads records, and changes only what a delivery changes (`functions/deliveries/`).
 */
export type TenantRights =
  | 'alerts'
  | 'sign-in'
  | 'records-without-secrets'
  | 'records'
  | 'audited-records'
  | 'attachments'
  | 'live-callers'
  | 'grants'
  | 'batches'
  | 'organizations'
  | 'integrations'
  | 'endpoints'
  | 'deliveries';

/** The function behind the gateway's authorizers; it serves no contract. */
export const AUTHORIZER = 'authorizer';

/** The functions that deliver events, in the background. No contract is served by them. */
export const DELIVERIES = 'deliveries';
export const DELIVERY_WAKE_UP = 'delivery-wake-up';
export const DELIVERY_SCHEDULE = 'delivery-schedule';

/** The function that opens tickets of alerts after a maintenance. */
export const HELD_ALERTS = 'held-alerts';

/**
 * Functions without a contract. That of the stream has no right on the table: it knows of changes by their keys alone.
 */
const WITHOUT_CONTRACT = {
  [AUTHORIZER]: { readsCredentials: true, readsUserAccess: true, verifies: true },
  [DELIVERIES]: {
    tenants: 'deliveries',
    endpointSecrets: true,
    readsRegister: true,
    tidiesRegister: true,
    wakes: true,
  },
  [DELIVERY_WAKE_UP]: { wakes: true },
  [DELIVERY_SCHEDULE]: { readsRegister: true, readsBacklogs: true, wakes: true },
  [HELD_ALERTS]: { tenants: 'alerts', takesHeldAlerts: true },
} as const satisfies Readonly<Record<string, Rights>>;

type WithoutContract = keyof typeof WITHOUT_CONTRACT;

export const isWithoutContract = (name: string): name is WithoutContract => Object.hasOwn(WITHOUT_CONTRACT, name);

/** The functions of the background. */
export const BACKGROUND = [
  DELIVERIES,
  DELIVERY_WAKE_UP,
  DELIVERY_SCHEDULE,
  HELD_ALERTS,
] as const satisfies readonly WithoutContract[];

/** Nobody waits for them. */
export const isOfBackground = (name: string): boolean => BACKGROUND.some((each) => each === name);

/** Rights outside of a tenant's session. */
const FINDS_INTEGRATIONS: Rights = {
  findsApps: true,
  readsCredentials: true,
  seesSuspensions: true,
  countsLoginFailures: true,
};

/** Rights of a domain beyond those that its routes imply. */
const BEYOND: Readonly<Record<string, Rights>> = {
  access: { tenants: 'grants' },
  alerts: { ...FINDS_INTEGRATIONS, tenants: 'alerts', verifies: true },
  attachments: { tenants: 'attachments' },
  // Carries requests to the routes of `access`, `users` and all others that write records.
  batch: { tenants: 'batches', secrets: true },
  auth: {
    ...FINDS_INTEGRATIONS,
    findsOrganizations: true,
    tenants: 'sign-in',
    signs: true,
    verifies: true,
  },
  health: { checksHealth: true },
  'identity-providers': { tenants: 'grants' },
  integrations: { tenants: 'integrations', secrets: true },
  // Carries requests to the routes of others that read records, and to those that write tickets.
  mcp: { secrets: true },
  orgs: { tenants: 'organizations' },
  trash: { tenants: 'live-callers' },
  users: { tenants: 'grants' },
  'webhook-endpoints': { tenants: 'endpoints', secrets: true },
  // Events run the operations of `access` and `users`.
  webhooks: { ...FINDS_INTEGRATIONS, tenants: 'grants', secrets: true },
  'well-known': { verifies: true },
  services: { secrets: true },
  resources: { secrets: true },
};

/**
 * The rights of the function that serves a contract, or of one without. A new domain needs no entry to work on its
 * tenant's records.
 */
export function rightsOf(served: Contract | WithoutContract): Rights {
  if (typeof served === 'string') return WITHOUT_CONTRACT[served];
  const routes = Object.values(served.routes);
  const beyond = BEYOND[served.name];
  // The stored response of an idempotency key is encrypted.
  const secrets = beyond?.secrets ?? routes.some((route) => takesHeader(route, 'Idempotency-Key'));
  return {
    ...(routes.some(({ auth }) => auth !== 'none') ? { tenants: recordsOf(served, secrets) } : {}),
    ...(secrets ? { secrets } : {}),
    ...beyond,
  };
}

/** Whether a function reads the table, on its own or in sessions of tenants. */
export const readsTable = ({
  signs: _,
  verifies: __,
  secrets: ___,
  endpointSecrets: ____,
  wakes: _____,
  ...ofTable
}: Rights): boolean => Object.keys(ofTable).length > 0;

export const usesKeys = ({ signs, verifies, secrets, endpointSecrets }: Rights): boolean =>
  [signs, verifies, secrets, endpointSecrets].some(Boolean);

/** The rights of a tenant role on keys, by those of the functions that work under it. */
export const keyOfTenantRole = (rights: readonly Rights[]): 'secrets' | 'endpoint-secrets' | 'no-key' => {
  if (rights.some(({ secrets }) => secrets)) return 'secrets';
  return rights.some(({ endpointSecrets }) => endpointSecrets) ? 'endpoint-secrets' : 'no-key';
};

/** Reads and changes of protected fields are audited (`docs/decisions/0071`). */
function recordsOf({ fieldPermissions }: Contract, secrets: boolean): TenantRights {
  if (!secrets) return 'records-without-secrets';
  return fieldPermissions === undefined ? 'records' : 'audited-records';
}
