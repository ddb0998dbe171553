import { Problem } from '#contract';
import type { OpenInput } from '#http';
import { invalidCredentials } from './authenticate.ts';
import { login } from './contract.ts';

/** How a client says who it is (RFC 6749 §2.3.1): in the header `Authorization`, or in the body. */

interface InBody {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * The app code and the secret of a client, which are not checked yet.
 * @throws Problem `malformed-request` for both ways at once, `invalid-credentials` for none, or one that is not whole
 */
export function clientOf({ client_id, client_secret }: InBody, { headers }: Pick<OpenInput['request'], 'headers'>) {
  const header = headers.get('authorization');
  // Many programs send their last token with all requests.
  if (header === undefined || /^bearer /i.test(header)) return secretOf(client_id, client_secret);
  // Both are encoded as in a form (RFC 6749 §2.3.1).
  const [id, secret] = basicOf(header).map(formDecoded);
  // An id is no proof: some libraries send it in the body too.
  if (client_secret !== undefined || (client_id !== undefined && client_id !== id)) {
    const detail = 'Authenticate in one way: in the header Authorization, or with client_id and client_secret.';
    throw new Problem('malformed-request', { detail });
  }
  return secretOf(id, secret);
}

/**
 * The app code and the secret in a header of a program that knows nothing of OAuth (RFC 7617): as they are.
 * @throws Problem `invalid-credentials`
 */
export function secretIn({ headers }: Pick<OpenInput['request'], 'headers'>) {
  const [id, secret] = basicOf(headers.get('authorization') ?? '');
  return secretOf(id, secret);
}

/** As a login takes them: an id may be too long for a key of the table. */
function secretOf(app_code: string | undefined, secret: string | undefined) {
  const given = login.schema.safeParse({ app_code, secret });
  if (!given.success) throw invalidCredentials(HOW);
  return given.data;
}

const HOW = 'Send the app code as client_id and the secret as client_secret, in the header (Basic) or in the body.';

/** RFC 7617 §2. */
const BASIC = /^basic +([\w+/-]+={0,2})$/i;

/** @throws Problem `invalid-credentials` for anything else, such as two headers */
function basicOf(header: string): readonly [id: string, secret: string] {
  const text = Buffer.from(BASIC.exec(header)?.[1] ?? '', 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw invalidCredentials(HOW);
  return [text.slice(0, colon), text.slice(colon + 1)];
}

const formDecoded = (text: string): string =>
  new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? '';
