import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Condition, type Item, type Key, type Table } from '@custodia/counted-lists';
import { codesThatAllow, type Permissions } from '#identity';
import { NotUnique, type RequestSession, StaleRead, type Tenant, type TenantId, tenantIdOf, tenantKey } from '#table';
import { appKey } from './keys.ts';

/**
 * The credentials of an integration, by its app code, in a partition of its tenant that only few roles reach. Its
 * record is another item; both change in one transaction (`docs/decisions/0012`).
 */
export interface Credentials {
  readonly app_code: string;
  readonly tenant: TenantId;
  readonly integration_id: string;
  readonly status: 'active' | 'inactive';
  readonly permissions: Permissions;
  /** Requests a minute; null or absent: the stage's standard. */
  readonly rate_limit?: number | null;
  /** Largest difference of a webhook's `X-Timestamp` from now, in seconds; null or absent: that of the stage. */
  readonly webhook_tolerance_seconds?: number | null;
  /** One, or two during a rotation; the newest first. */
  readonly secrets: readonly StoredSecret[];
  /**
   * How often the integration's tokens were revoked ({@link stageTokensEnd}); valid tokens have the same count. Absent:
   * 0.
   */
  readonly token_epoch?: number;
}

/** The stored attributes; the key names their tenant. */
type StoredCredentials = Omit<Credentials, 'tenant' | 'app_code'>;

/**
 * A stored secret of an integration: hashed, for login, and encrypted, for the HMAC of webhooks
 * (`docs/decisions/0011`).
 */
export interface StoredSecret {
  /** Random id, which tokens carry. Absent for a secret from before such ids. */
  readonly id?: string;
  /** SHA-256, base64url. */
  readonly hash: string;
  /** Encrypted (`functions/integrations/secrets.ts`). */
  readonly encrypted: string;
  /** Expiry in epoch seconds; null: never. */
  readonly expires_at: number | null;
  /**
   * The permissions of the caller that has set or seen it, at that moment; null: all (`docs/decisions/0070`). Absent
   * for older secrets: they count as known with the integration's permissions.
   */
  readonly known_with?: Permissions;
}

/** The user of credentials, from its token or from the verification of a webhook. */
interface KeyHolder {
  readonly integrationId: string;
  readonly tokenEpoch: number;
  /** Id of the secret behind the token or signature. */
  readonly secretId: string | null;
}

/**
 * The condition that credentials are live for their holder: of the same integration, active, with its token and secret
 * not ended, and with all of `permissions`, by their own codes or by ones that include them; null: with all
 * permissions. `now` in epoch milliseconds.
 */
export const liveCredentials = (
  { integrationId, tokenEpoch, secretId }: KeyHolder,
  now: number,
  permissions: Credentials['permissions'] = [],
): Condition => ({
  exists: true,
  equals: {
    integration_id: integrationId,
    status: 'active',
    ...(permissions === null ? { permissions } : {}),
    ...(tokenEpoch === 0 ? {} : { token_epoch: tokenEpoch }),
  },
  equalsOrAbsent: tokenEpoch === 0 ? { token_epoch: 0 } : {},
  holds: permissions === null ? {} : { permissions: permissions.map(codesThatAllow) },
  anyOf: hasSecret(secretId ?? undefined, Math.floor(now / 1000)),
});

/**
 * Whether the secret is the newest, which does not expire, or the previous one and not expired. Undefined: a secret
 * without an id.
 */
const hasSecret = (id: string | undefined, seconds: number): readonly Condition[] => [
  { equals: { 'secrets[0].id': id } },
  { equals: { 'secrets[1].id': id }, moreThan: { 'secrets[1].expires_at': seconds } },
];

/**
 * Whether credentials that were read are live for their holder: {@link liveCredentials}.
 * @example areLive(await readCredentialsOf(tenant, caller.appCode), caller, session.now)
 */
export const areLive = (
  credentials: StoredCredentials | undefined,
  ...of: Parameters<typeof liveCredentials>
): boolean => Condition.isMet(liveCredentials(...of), credentials as Item | undefined);

/**
 * Identifies credentials: an app code, and the organization according to a token, a signature or a pointer; null: the
 * platform.
 */
export interface Holder {
  readonly orgId: string | null;
  readonly appCode: string;
}

const keyOf = ({ orgId, appCode }: Holder): Key => tenantKey(tenantIdOf(orgId), 'CREDENTIALS', appCode);

/**
 * The item that leads from an app code to its integration, in the tenant of that integration alone: app codes are
 * unique over all tenants.
 */
export const itemOfAppCode = (tenant: TenantId, appCode: string) =>
  ({ key: tenantKey(tenant, 'CREDENTIALS', appCode), id: 'integration_id' }) as const;

/**
 * The credentials of an app code of this organization: one strongly consistent `GetItem`, because they may just have
 * been revoked. The key decides whose they are, whatever is in the item.
 * @param table with the function's own rights, or the tenant's
 */
export async function readCredentials(table: Table, holder: Holder): Promise<Credentials | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...keyOf(holder) }, ConsistentRead: true }),
  );
  if (item === undefined) return undefined;
  // Written by `stageCredentials` only.
  return { ...(item as StoredCredentials), tenant: tenantIdOf(holder.orgId), app_code: holder.appCode };
}

/** The same for an integration of this tenant, with the tenant's own rights. */
export const readCredentialsOf = ({ id, orgId, session }: Tenant, appCode: string): Promise<Credentials | undefined> =>
  readCredentials(session.tables.of(id), { orgId, appCode });

/**
 * Stages new credentials, and the pointer that finds them before their tenant is known. The commit throws {@link
 * NotUnique} when another integration anywhere has the app code.
 */
export function stageCredentials(session: RequestSession, { tenant, app_code, ...stored }: Credentials): void {
  const work = session.changes.of(tenant);
  const isTaken = () => new NotUnique('app_code');
  work.put({ ...appKey(app_code), tenant }, isTaken);
  work.put({ ...tenantKey(tenant, 'CREDENTIALS', app_code), ...stored }, isTaken);
}

/**
 * Stages a change of the credentials of a tenant's integration. The commit throws {@link StaleRead} when they belong to
 * another integration by now, or when `asRead`, the values that the change depends on, has changed.
 */
export function stageCredentialsChange(
  tenant: Tenant,
  integration: { readonly id: string; readonly app_code: string },
  changes: Partial<Omit<Credentials, 'app_code' | 'tenant' | 'integration_id'>>,
  asRead: Partial<Pick<Credentials, 'permissions' | 'secrets'>> = {},
): void {
  tenant.session.changes.of(tenant.id).update(tenantKey(tenant.id, 'CREDENTIALS', integration.app_code), {
    set: changes,
    condition: { exists: true, equals: { integration_id: integration.id, ...asRead } },
    onConditionFailed: () => new StaleRead('the credentials have changed'),
  });
}

/**
 * Stages the revocation of all existing tokens of an integration. It is a counter and not a time, so that no slow clock
 * and no concurrent login can issue a token that survives it (`docs/decisions/0073`).
 */
export function stageTokensEnd(
  tenant: Tenant,
  integration: { readonly id: string; readonly app_code: string },
  asRead: Partial<Pick<Credentials, 'permissions'>> = {},
): void {
  stageCredentialsChange(tenant, integration, {}, asRead);
  tenant.session.changes
    .of(tenant.id)
    .update(tenantKey(tenant.id, 'CREDENTIALS', integration.app_code), { add: { token_epoch: 1 } });
}

/**
 * Stages a condition on the credentials of a caller. They may be another tenant's: those of a platform caller that acts
 * in an organization.
 */
export function requireCredentials(
  tenant: Tenant,
  caller: Holder,
  condition: Condition,
  onConditionFailed: (found: StoredCredentials | undefined) => Error,
): void {
  tenant.session.changes.of(tenant.id).update(keyOf(caller), {
    condition,
    onConditionFailed: (found) => onConditionFailed(found as StoredCredentials | undefined),
  });
}
