import { checkLoginThrottle, environmentEncryption, openSecrets, sourceNetwork } from '#auth';
import { Problem } from '#contract/problem';
import { type OpenInput, recordRefusal } from '#http';
import { type Caller, callerBySignature } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { type Credentials, type FoundIntegration, findIntegration, LoginAttempt } from '#tenancy/credentials';
import { allDone } from '../../shared/all-done.ts';
import { looksSigned, sign, signedBody } from './signature.ts';

/** The integration that has signed a delivery. */
export interface Sender extends FoundIntegration {
  readonly caller: Caller;
}

/**
 * Verifies the sender of a delivery, and returns the body as it was signed. The order of the checks follows from the spec's statuses (§6) and
 * reveals as little as these allow: without a well-formed signature nothing is read, and without a valid one nothing is revealed but whether
 * the app code exists, which the spec's 404 requires. Wrong signatures are slowed like failed logins.
 * @throws Problem `invalid-signature`, `not-found`, or `too-many-requests` during a wait
 */
export async function senderOf(
  session: RequestSession,
  appCode: string,
  { headers, bytes, sourceAddress }: OpenInput['request'],
): Promise<Sender & { readonly signed: Buffer }> {
  const signature = headers.get('x-signature');
  if (!looksSigned(signature)) throw invalidSignature();
  const attempt = new LoginAttempt(session, { kind: 'signature', appCode, network: sourceNetwork(sourceAddress) });
  const [found, failures] = await Promise.all([findIntegration(session, appCode), attempt.failures()]);
  if (found === undefined) throw new Problem('not-found', { detail: 'There is no integration with this app code.' });
  const { credentials } = found;
  checkLoginThrottle(attempt, failures, session.now);
  const secrets = await openSecrets(await environmentEncryption(), credentials, session.now);
  const signed = signedBody(
    bytes,
    signature,
    secrets.map(({ text }) => text),
  );
  if (signed === undefined) {
    await allDone([attempt.countFailure(), recordRefusal(session, credentials, 'signature_refused')]);
    throw invalidSignature();
  }
  if (failures.count > 0) await attempt.forgetFailures();
  const secret = secrets.find(({ text }) => sign(signed, text) === signature.toLowerCase());
  return {
    ...found,
    caller: callerOfSender(Tenant.ofCredentials(credentials, session), credentials, secret?.id ?? null),
    signed,
  };
}

/** RFC 9110 §11.6.1: every 401 has a challenge. */
const invalidSignature = (): Problem =>
  new Problem('invalid-signature', { headers: { 'WWW-Authenticate': 'HMAC-SHA256 header="X-Signature"' } });

/** The sender as a caller: the integration, with its own permissions. `secretId`: of the secret that it has signed with. */
export const callerOfSender = (
  { orgId }: Pick<Tenant, 'orgId'>,
  credentials: Credentials,
  secretId: string | null,
): Caller =>
  callerBySignature({
    integrationId: credentials.integration_id,
    appCode: credentials.app_code,
    orgId,
    tokenEpoch: credentials.token_epoch ?? 0,
    secretId,
    permissions: credentials.permissions,
    rateLimit: credentials.rate_limit ?? null,
  });
