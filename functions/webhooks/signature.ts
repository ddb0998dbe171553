import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature of a delivery (spec §6): HMAC-SHA256 of the body, hex-encoded, keyed with the integration secret. The spec signs
 * "the JSON serialization of the body", which two libraries may write differently; so the bytes as sent are tried first, then
 * the two compact texts of the same value (`docs/decisions/0061`). Whoever sends has shown nothing yet: every step here is linear in
 * the body's length.
 */

const SIGNATURE = /^[\da-f]{64}$/i;

/**
 * Whether a header has the form of a signature, given once. `Buffer.from(x, 'hex')` would silently drop a bad tail, and a header that
 * was sent twice is both values with a comma between.
 */
export const looksSigned = (header: string | undefined): header is string =>
  header !== undefined && SIGNATURE.test(header);

/**
 * The body as it was signed with one of the secrets: the first of its forms that the signature fits. Read this one and no other: many
 * bodies have the same compact form (`9007199254740993456` and `9007199254740993000` do), but only this one the sender has signed.
 * @returns undefined where none fits, whatever the header holds
 */
export function signedBody(body: Buffer, header: string | undefined, secrets: readonly string[]): Buffer | undefined {
  if (!looksSigned(header)) return undefined;
  const signature = Buffer.from(header, 'hex');
  for (const form of formsOf(body)) {
    if (secrets.some((secret) => timingSafeEqual(hmac(secret, form), signature))) return form;
  }
  return undefined;
}

/** The HMAC of a body, as a sender makes it. */
export const sign = (body: string | Buffer, secret: string): string => hmac(secret, body).toString('hex');

const hmac = (secret: string, text: string | Buffer): Buffer => createHmac('sha256', secret).update(text).digest();

/** What a sender may have signed: the bytes, the text without its white space, the value as `JSON.stringify` writes it. */
function* formsOf(body: Buffer): Generator<Buffer> {
  yield body;
  if (!isUtf8(body)) return;
  // Some libraries send a byte order mark that the text they signed had not; a decoder takes it off (RFC 8259 §8.1).
  const text = new TextDecoder().decode(body);
  yield Buffer.from(withoutWhiteSpace(text));
  const written = restringified(text);
  if (written !== undefined) yield Buffer.from(written);
}

/** Keeps order, escapes, duplicate keys and the form of numbers, which parsing loses. */
function withoutWhiteSpace(json: string): string {
  let compact = '';
  let kept = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === '"') inString = !inString;
    else if (inString && character === '\\') index++;
    else if (!inString && isWhiteSpace(character)) {
      compact += json.slice(kept, index);
      kept = index + 1;
    }
  }
  return compact + json.slice(kept);
}

/** The four of JSON (RFC 8259 §2). */
const isWhiteSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

function restringified(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return undefined;
  }
}
