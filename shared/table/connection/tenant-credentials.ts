import { sts } from './sts.ts';

/**
 * Credentials with which a function works for one tenant: a session of the tenant role, tagged with the tenant. The role's policy compares
 * the tag with the partition key of every item (`infra/tenant-role.ts`), the policy of the secrets' key with the encryption context, so that
 * AWS itself keeps the function inside the tenant (`docs/decisions/0050-tenant-sessions.md`).
 */

/** The session tag with the tenant, which the tenant role's policy reads. */
export const TENANT_TAG = 'tenant';

/** Longest session of a role that assumes another role (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). In seconds. */
const LIFETIME = 3_600;

/** An organization's id or `PLATFORM`. Nothing else may become a tag, above all no wildcard. */
const TENANT = /^(PLATFORM|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
}

/**
 * Opens sessions of the role for one tenant. The SDK calls this when it first needs credentials, and again in the last five minutes before they
 * expire, once for all waiting requests. Failures are not cached.
 * @throws TypeError for an invalid tenant; the errors of STS, of which transient ones become a 503 (`retry.ts`)
 */
export const tenantCredentials = (role: string, tenant: string) => async (): Promise<SessionCredentials> => {
  if (!TENANT.test(tenant)) throw new TypeError('a tenant must be a UUID or PLATFORM');
  const { client, commands } = await sts();
  const { Credentials: session } = await client.send(
    new commands.AssumeRoleCommand({
      RoleArn: role,
      RoleSessionName: `tenant-${tenant}`,
      DurationSeconds: LIFETIME,
      Tags: [{ Key: TENANT_TAG, Value: tenant }],
    }),
  );
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = session ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('STS returned no credentials');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: Expiration,
  };
};
