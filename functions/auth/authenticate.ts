import { ThrottledLogin } from '#auth';
import { Problem } from '#contract';
import { type OpenInput, refuseSuspended } from '#http';
import { Tenant } from '#table';
import { annotate } from '#telemetry';
import { findIntegration } from '#tenancy';
import * as integrationSecrets from '../integrations/secrets.ts';

const NOBODY: Partial<NonNullable<Awaited<ReturnType<typeof findIntegration>>>> = {};

interface Secret {
  readonly app_code: string;
  readonly secret: string;
}

/**
 * Finds out who an integration is, by its app code and secret.
 * @returns its identity for a token, its permissions and its limit of requests
 * @throws Problem where it is not who it says, must wait or is suspended
 */
export async function authenticate(
  { app_code, secret: given }: Secret,
  { session, request }: Pick<OpenInput, 'session' | 'request'>,
) {
  const [{ credentials, suspension } = NOBODY, attempt] = await Promise.all([
    findIntegration(session, app_code),
    ThrottledLogin.begin(session, 'login', app_code, request.sourceAddress),
  ]);
  attempt.requireNoWait();
  // Compares even for an unknown app code, so that every failure takes the same time.
  const secret = integrationSecrets.find(credentials?.secrets ?? [], given, session.now);
  if (credentials === undefined || secret === undefined || credentials.status !== 'active') {
    await attempt.fail(credentials);
    throw invalidCredentials();
  }
  refuseSuspended({ id: credentials.tenant }, suspension);
  await attempt.succeed();

  const { orgId } = Tenant.ofCredentials(credentials, session);
  const { integration_id: integrationId, app_code: appCode, token_epoch: tokenEpoch = 0, permissions } = credentials;
  annotate({ integration_id: integrationId, tenant: credentials.tenant });
  const rateLimit = credentials.rate_limit ?? null;
  return { integrationId, appCode, orgId, tokenEpoch, secretId: secret.id ?? null, permissions, rateLimit };
}

export const invalidCredentials = (
  detail = 'Send the app code of an active integration and its whole secret: it begins with cst_, unless you have ' +
    'chosen it.',
): Problem => new Problem('invalid-credentials', { detail });
