import { ThrottledLogin } from '#auth';
import { Problem } from '#contract';
import type { OpenInput } from '#http';
import { type Caller, callerBySignature } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { type Credentials, findIntegration } from '#tenancy';
import * as integrationSecrets from '../integrations/secrets.ts';
import { looksSigned, sign, signedBody } from './signature.ts';

type FoundIntegration = NonNullable<Awaited<ReturnType<typeof findIntegration>>>;

/** The integration that has signed a delivery. */
export interface Sender extends FoundIntegration {
  readonly caller: Caller;
}

/**
 * Verifies the sender of a delivery, and returns the body as it was signed. The order of the checks follows from the
 * spec's statuses (§6) and reveals as little as these allow: without a well-formed signature nothing is read, and
 * without a valid one nothing is revealed but whether the app code exists, which the spec's 404 requires. Wrong
 * signatures are slowed like failed logins.
 * @throws Problem `invalid-signature`, `not-found`, or `too-many-requests` during a wait
 */
export async function senderOf(
  session: RequestSession,
  appCode: string,
  { headers, bytes, sourceAddress }: OpenInput['request'],
): Promise<Sender & { readonly signed: Buffer }> {
  const signature = headers.get('x-signature');
  if (!looksSigned(signature)) throw invalidSignature(wrongFormOf(signature));
  const [found, attempt] = await Promise.all([
    findIntegration(session, appCode),
    ThrottledLogin.begin(session, 'signature', appCode, sourceAddress),
  ]);
  if (found === undefined) throw new Problem('not-found', { detail: 'There is no integration with this app code.' });
  const { credentials } = found;
  attempt.requireNoWait();
  const secrets = await integrationSecrets.open(credentials, session.now);
  const signed = signedBody(
    bytes,
    signature,
    secrets.map(({ text }) => text),
  );
  if (signed === undefined) {
    await attempt.fail(credentials);
    throw invalidSignature(
      'X-Signature is not the HMAC-SHA256 of the body as it was sent, under the secret of the integration.',
    );
  }
  await attempt.succeed();
  const secret = secrets.find(({ text }) => sign(signed, text) === signature.toLowerCase());
  return {
    ...found,
    caller: callerOfSender(Tenant.ofCredentials(credentials, session), credentials, secret?.id ?? null),
    signed,
  };
}

/** RFC 9110 §11.6.1: every 401 has a challenge. */
const invalidSignature = (detail: string): Problem =>
  new Problem('invalid-signature', { detail, headers: { 'WWW-Authenticate': 'HMAC-SHA256 header="X-Signature"' } });

/** What is wrong with a header that is no signature. It depends on nothing but the header. */
function wrongFormOf(header: string | undefined): string {
  if (header === undefined || header === '') return 'The header X-Signature is missing.';
  return /^sha256=/i.test(header)
    ? 'X-Signature must be the 64 hex digits alone, without sha256= before them.'
    : 'X-Signature must be 64 hex digits, given once: the HMAC-SHA256 of the body.';
}

/**
 * The sender as a caller: the integration, with its own permissions. `secretId`: of the secret that it has signed with.
 */
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
