import { type Caller, callerOf } from '../../shared/auth/caller.ts';
import { environmentSecretBox } from '../../shared/auth/environment.ts';
import { openSecrets } from '../../shared/auth/integration-secrets.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { type Credentials, orgIdOf, readCredentials } from '../../shared/table/credentials.ts';
import type { Session } from '../../shared/table/session.ts';
import { isSigned } from './signature.ts';

/**
 * Who sent a delivery. The order of the checks gives the spec's statuses (§6) and tells a stranger as little as they allow:
 * without a signature nothing is looked up, and without a right one nothing is told but whether the app code exists, which the
 * spec's 404 demands.
 * @throws Problem `invalid-signature`, `not-found`, or `forbidden` for an integration that is inactive
 */
export async function senderOf(
  session: Session,
  appCode: string,
  delivery: { readonly signature: string | undefined; readonly bytes: Buffer },
): Promise<Credentials> {
  if ((delivery.signature ?? '') === '') throw invalidSignature();
  const credentials = await readCredentials(session.table, appCode);
  if (credentials === undefined)
    throw new Problem('not-found', { detail: 'There is no integration with this app code.' });
  const secrets = await openSecrets(await environmentSecretBox(), credentials, session.now);
  if (!isSigned(delivery.bytes, delivery.signature, secrets)) throw invalidSignature();
  if (credentials.status !== 'active') throw new Problem('forbidden', { detail: 'The integration is inactive.' });
  return credentials;
}

/** RFC 9110 §11.6.1 wants a challenge with every 401; the scheme says what is missing. */
const invalidSignature = (): Problem =>
  new Problem('invalid-signature', { headers: { 'WWW-Authenticate': 'HMAC-SHA256 header="X-Signature"' } });

/** The sender as the operations know callers: the integration itself, with its own permissions. */
export function callerOfSender(credentials: Credentials): Caller {
  const caller = callerOf({
    integration_id: credentials.integration_id,
    app_code: credentials.app_code,
    org_id: orgIdOf(credentials) ?? '',
    expires_at: '0',
    permissions: credentials.permissions === null ? '*' : credentials.permissions.join(' '),
  });
  if (caller === undefined) throw new Error('stored credentials are incomplete');
  return caller;
}
