import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sts } from './sts.ts';

/**
 * Credentials with which a function works for one tenant: a session of the tenant role, tagged with the tenant. The role's policy compares
 * the tag with the partition key of every item (`infra/tenant-role.ts`), so that AWS itself keeps the function inside the tenant
 * (`docs/decisions/0050-tenant-sessions.md`).
 */

/** The session tag that names the tenant; the policy of the tenant role reads it. */
export const TENANT_TAG = 'tenant';

/** As long as a role that assumes a role may have (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). In seconds. */
const LIFETIME = 3_600;

/** An organization's id or `PLATFORM`; nothing else may become a tag, least of all a pattern. */
const TENANT = /^(PLATFORM|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
}

/**
 * Opens sessions of the role for one tenant. The SDK calls this when it first needs credentials and again within five minutes of their
 * end, once for all requests that wait; what failed is asked for anew.
 * @throws TypeError when the tenant is none; the errors of STS, of which those that pass are a 503 (`retry.ts`)
 */
export const tenantCredentials = (role: string, tenant: string) => async (): Promise<SessionCredentials> => {
  if (!TENANT.test(tenant)) throw new TypeError('a tenant is named by a UUID or PLATFORM');
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
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('STS answered no credentials');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: Expiration,
  };
};

/** Has a client open a new session where DynamoDB finds its own expired after all, and send its request once more. */
export function renewExpired(client: Pick<DynamoDBClient, 'middlewareStack' | 'config'>): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
        await client.config.credentials({ forceRefresh: true });
        return next(request);
      }
    },
    { step: 'initialize', name: 'renewExpired' },
  );
}
