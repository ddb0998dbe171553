import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { codesThatAllow } from '../../contract/permissions.ts';
import type { Table } from '../connection/client.ts';
import { NotUnique, StaleRead } from '../errors.ts';
import { appKey, PLATFORM, type TenantId } from '../keys.ts';
import type { Item } from '../schema.ts';
import type { Session } from '../session.ts';
import type { Tenant } from '../tenant.ts';
import { isMet } from '../transaction/conditions.ts';
import type { Condition } from '../transaction/pending-write.ts';

/**
 * What must be known of an integration before its tenant is: found by its app code, which is unique everywhere. The integration's
 * own record is in its tenant; the two change in one transaction (`docs/decisions/0012`).
 */
export interface Credentials {
  readonly app_code: string;
  readonly tenant: TenantId;
  readonly integration_id: string;
  readonly status: 'active' | 'inactive';
  /** Permission codes; null: all of the tenant. */
  readonly permissions: readonly string[] | null;
  /** Requests a minute; null or absent: the stage's standard. */
  readonly rate_limit?: number | null;
  /** How far from now an event's time may be, in seconds; null or absent: as far as the stage says. */
  readonly webhook_tolerance_seconds?: number | null;
  /** One, or two while a new one is brought in; the newest first. */
  readonly secrets: readonly StoredSecret[];
  /** How often the integration's tokens were ended ({@link stageTokensEnd}); good are those that carry this count. Absent: 0. */
  readonly token_epoch?: number;
}

/** A secret of an integration as it is stored: as a hash, for login, and encrypted, for the HMAC of webhooks (`docs/decisions/0011`). */
export interface StoredSecret {
  /** What a token names the secret by that made it; tells nothing of it. Absent where the secret is older than such ids. */
  readonly id?: string;
  /** SHA-256, base64url. */
  readonly hash: string;
  /** Encrypted (`shared/auth/integration-secrets.ts`). */
  readonly encrypted: string;
  /** Epoch seconds from which on it opens nothing; null: never. */
  readonly expires_at: number | null;
}

/** Who uses a key: what its token says, or what was read with a webhook's sender. */
interface KeyHolder {
  readonly integrationId: string;
  readonly tokenEpoch: number;
  /** Of the secret that made the token, or the signature. */
  readonly secretId: string | null;
}

/**
 * What credentials are like that are alive for their holder: still of this integration, active, its token not ended, nor the secret that made
 * it, and permitted all of `permissions`, by their own codes or by ones that include them; null: permitted everything. `now` in epoch
 * milliseconds.
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

/** That a secret is the newest, which does not expire, or the one before, which does. Undefined: one without an id. */
const hasSecret = (id: string | undefined, seconds: number): readonly Condition[] => [
  { equals: { 'secrets[0].id': id } },
  { equals: { 'secrets[1].id': id }, moreThan: { 'secrets[1].expires_at': seconds } },
];

/** Whether credentials that were read are as expected. */
export const areAsExpected = (credentials: Credentials | undefined, condition: Condition): boolean =>
  isMet(condition, credentials as Item | undefined);

/**
 * The credentials of an app code as they are now: one strongly consistent `GetItem`, for they may just have been cut off. `table` as the
 * function itself reaches it: no tenant is known yet.
 */
export async function readCredentials(table: Table, appCode: string): Promise<Credentials | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...appKey(appCode) }, ConsistentRead: true }),
  );
  // Written by `stageCredentials` only.
  return item as Credentials | undefined;
}

/** The same for an integration of this tenant, as the tenant's own session reaches it. */
export const readCredentialsOf = (tenant: Tenant, appCode: string): Promise<Credentials | undefined> =>
  readCredentials(tenant.session.tableOf(tenant.id), appCode);

/** The organization that credentials are good for; null: the platform. */
export const orgIdOf = ({ tenant }: Credentials): string | null => (tenant === PLATFORM ? null : tenant);

/** Stages new credentials. The commit throws {@link NotUnique} when another integration anywhere has the app code. */
export function stageCredentials(session: Session, credentials: Credentials): void {
  session
    .unitOfWork(credentials.tenant)
    .put({ ...appKey(credentials.app_code), ...credentials }, () => new NotUnique('app_code'));
}

/**
 * Stages a change of the credentials of a tenant's integration. `asRead`: what the change was made from and must hold still. The commit
 * throws {@link StaleRead} when it does not, or when they are another's by now.
 */
export function stageCredentialsChange(
  tenant: Tenant,
  integration: { readonly id: string; readonly app_code: string },
  changes: Partial<Omit<Credentials, 'app_code' | 'tenant' | 'integration_id'>>,
  asRead: Partial<Pick<Credentials, 'permissions' | 'secrets'>> = {},
): void {
  tenant.session.unitOfWork(tenant.id).update(appKey(integration.app_code), {
    set: changes,
    condition: { exists: true, equals: { integration_id: integration.id, ...asRead } },
    onConditionFailed: () => new StaleRead('the credentials have changed'),
  });
}

/**
 * Stages that all tokens of an integration made so far end. A count and no time: neither a clock that is behind nor a login under way can
 * bring forth a token that outlives it (`docs/decisions/0073`).
 */
export function stageTokensEnd(
  tenant: Tenant,
  integration: { readonly id: string; readonly app_code: string },
  asRead: Partial<Pick<Credentials, 'permissions'>> = {},
): void {
  stageCredentialsChange(tenant, integration, {}, asRead);
  tenant.session.unitOfWork(tenant.id).update(appKey(integration.app_code), { add: { token_epoch: 1 } });
}

/**
 * Stages that the credentials of an app code are as expected when the work commits. They may be of another tenant: a platform caller's,
 * who acts in an organization.
 */
export function requireCredentials(
  tenant: Tenant,
  appCode: string,
  condition: Condition,
  onConditionFailed: (found: Credentials | undefined) => Error,
): void {
  tenant.session.unitOfWork(tenant.id).update(appKey(appCode), {
    condition,
    onConditionFailed: (found) => onConditionFailed(found as Credentials | undefined),
  });
}
