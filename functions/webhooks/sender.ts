import { type Caller, callerOf } from '../../shared/auth/caller.ts';
import { environmentSecretBox } from '../../shared/auth/environment.ts';
import { checkGuessing, FAILURES_KEPT } from '../../shared/auth/guess-throttle.ts';
import { openSecrets } from '../../shared/auth/integration-secrets.ts';
import { sourceNetwork } from '../../shared/auth/source-network.ts';
import { Problem } from '../../shared/contract/problem.ts';
import type { OpenInput } from '../../shared/http/operation.ts';
import { type Credentials, orgIdOf, readCredentials } from '../../shared/table/credentials.ts';
import {
  countFailedGuess,
  forgetFailedGuesses,
  type Guess,
  readFailedGuesses,
} from '../../shared/table/failed-guesses.ts';
import type { Session } from '../../shared/table/session.ts';
import { recordRefusal } from '../audit/refusals.ts';
import { looksSigned, signedBody } from './signature.ts';

/** The integration that has signed a delivery. */
export type Sender = Credentials;

/**
 * Who sent a delivery, and the body as it was signed. The order of the checks gives the spec's statuses (§6) and tells a stranger as
 * little as they allow: without the form of a signature nothing is looked up, and without a right one nothing is told but whether the
 * app code exists, which the spec's 404 demands. Wrong signatures are guesses at the secret, and slowed like failed logins.
 * @throws Problem `invalid-signature`, `not-found`, `too-many-requests` while guesses from the network have to wait, or `forbidden`
 * for an integration that is inactive
 */
export async function senderOf(
  session: Session,
  appCode: string,
  { headers, bytes, sourceAddress }: OpenInput['request'],
): Promise<{ readonly sender: Sender; readonly signed: Buffer }> {
  const signature = headers.get('x-signature');
  if (!looksSigned(signature)) throw invalidSignature();
  const guess: Guess = { kind: 'signature', appCode, network: sourceNetwork(sourceAddress) };
  const [sender, failures] = await Promise.all([
    readCredentials(session.table, appCode),
    readFailedGuesses(session, guess),
  ]);
  if (sender === undefined) throw new Problem('not-found', { detail: 'There is no integration with this app code.' });
  checkGuessing(guess, failures, session.now);
  const secrets = await openSecrets(await environmentSecretBox(), sender, session.now);
  const signed = signedBody(bytes, signature, secrets);
  if (signed === undefined) {
    await Promise.all([
      countFailedGuess(session, guess, FAILURES_KEPT),
      recordRefusal(session, sender, 'signature_refused'),
    ]);
    throw invalidSignature();
  }
  if (failures.count > 0) await forgetFailedGuesses(session, guess);
  if (sender.status !== 'active') throw new Problem('forbidden', { detail: 'The integration is inactive.' });
  return { sender, signed };
}

/** RFC 9110 §11.6.1 wants a challenge with every 401; the scheme says what is missing. */
const invalidSignature = (): Problem =>
  new Problem('invalid-signature', { headers: { 'WWW-Authenticate': 'HMAC-SHA256 header="X-Signature"' } });

/** The sender as the operations know callers: the integration itself, with its own permissions. */
export function callerOfSender(sender: Sender): Caller {
  const caller = callerOf({
    integration_id: sender.integration_id,
    app_code: sender.app_code,
    org_id: orgIdOf(sender) ?? '',
    token_epoch: String(sender.token_epoch ?? 0),
    expires_at: '0',
    permissions: sender.permissions === null ? '*' : sender.permissions.join(' '),
    rate_limit: String(sender.rate_limit ?? ''),
  });
  if (caller === undefined) throw new Error('stored credentials are incomplete');
  return caller;
}
