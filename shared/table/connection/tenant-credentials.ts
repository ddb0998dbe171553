import type { Table } from '@custodia/counted-lists';
import { assumeRole, type CallerClient } from '@custodia/lean-dynamodb';
import { increment } from '#telemetry';
import { LIFETIME, type SessionSource, type TenantCredentials, TenantSessions } from './tenant-sessions.ts';

/**
 * A function's credentials for one tenant: a session of the tenant role, tagged with the tenant. The role's policy
 * compares the tag with the partition key of every item (`infra/roles/tenant-role.ts`), and the policy of the key of secrets
 * compares it with the encryption context, so that AWS itself keeps the function inside the tenant
 * (`docs/decisions/0050-tenant-sessions.md`).
 */

/** The session tag with the tenant, which the tenant role's policy reads. */
export const TENANT_TAG = 'tenant';

/** An organization's id or `PLATFORM`. Nothing else may become a tag, above all no wildcard. */
const TENANT = /^(PLATFORM|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

/** A credential provider of the SDK. `forceRefresh` asks for new credentials. */
type Provider = (options?: { readonly forceRefresh?: boolean }) => Promise<TenantCredentials>;

/**
 * The credential provider of a tenant's client.
 * It throws TypeError for an invalid tenant, and the errors of STS, of which transient ones become a 503 (`retry.ts`).
 */
export function tenantCredentials(sessions: TenantSessions, tenant: string): Provider {
  const provide: Provider = async ({ forceRefresh } = {}) => {
    if (!TENANT.test(tenant)) throw new TypeError('a tenant must be a UUID or PLATFORM');
    return sessions.credentialsOf(tenant, forceRefresh);
  };
  // Otherwise the SDK would cache them by its own rules, which wait for each renewal.
  return Object.assign(provide, { memoized: true });
}

/**
 * Sessions of the tenant role.
 * @param functionClient the client of the function, whose role assumes the tenant role
 */
export const tenantSessions = (
  functionClient: CallerClient,
  role: string,
  source: Pick<SessionSource, 'clock' | 'random'>,
): TenantSessions =>
  new TenantSessions({
    ...source,
    lifetime: LIFETIME * 1000,
    open: (tenant) => openSession(functionClient, role, tenant),
  });

async function openSession(functionClient: CallerClient, role: string, tenant: string): Promise<TenantCredentials> {
  increment('StsCalls');
  const tag = { key: TENANT_TAG, value: tenant };
  const session = await assumeRole(functionClient, { role, name: `tenant-${tenant}`, duration: LIFETIME, tag });
  return {
    accessKeyId: copyOf(session.accessKeyId),
    secretAccessKey: copyOf(session.secretAccessKey),
    sessionToken: copyOf(session.sessionToken),
  };
}

/** A part of a longer text keeps all of it in memory, and a session is kept for long. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** Makes a client retry a request once in a new session where AWS reports its session as expired. */
export function renewExpired({ middlewareStack, config }: Table['client']): void {
  middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
        await config.credentials({ forceRefresh: true });
        return next(request);
      }
    },
    { step: 'initialize', name: 'renewExpired' },
  );
}
