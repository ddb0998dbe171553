import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature of a delivery (spec §6): HMAC-SHA256 of the body, hex-encoded, keyed with the integration secret. The
 * spec signs "the JSON serialization of the body", which libraries write differently; so the bytes as sent are tried
 * first, then two compact forms of the same value (`docs/decisions/0061`). The sender is still unverified, so every
 * step here is linear in the body's length.
 */

const SIGNATURE = /^[\da-f]{64}$/i;

/**
 * Whether a header is one well-formed signature. `Buffer.from(x, 'hex')` would silently drop an invalid end. The joined
 * values of a repeated header do not match.
 */
export const looksSigned = (header: string | undefined): header is string =>
  header !== undefined && SIGNATURE.test(header);

/**
 * The form of the body that was signed with one of the secrets. Only this form may be parsed: different bodies can have
 * the same compact form (`9007199254740993456` and `9007199254740993000` do), and only this form was signed.
 * @returns undefined where the signature is invalid
 */
export function signedBody(body: Buffer, header: string | undefined, secrets: readonly string[]): Buffer | undefined {
  if (!looksSigned(header)) return undefined;
  const signature = Buffer.from(header, 'hex');
  for (const form of formsOf(body)) {
    if (secrets.some((secret) => timingSafeEqual(hmac(secret, form), signature))) return form;
  }
  return undefined;
}

/** The HMAC of a body in hex. */
export const sign = (body: string | Buffer, secret: string): string => hmac(secret, body).toString('hex');

const hmac = (secret: string, text: string | Buffer): Buffer => createHmac('sha256', secret).update(text).digest();

/**
 * The texts that a sender may have signed: the bytes, the text without white space, or the value as `JSON.stringify`
 * writes it.
 */
function* formsOf(body: Buffer): Generator<Buffer> {
  yield body;
  if (!isUtf8(body)) return;
  // Some libraries send a byte order mark that they did not sign; the decoder removes it (RFC 8259 §8.1).
  const text = new TextDecoder().decode(body);
  yield Buffer.from(withoutWhiteSpace(text));
  const written = restringified(text);
  if (written !== undefined) yield Buffer.from(written);
}

/** Preserves the order of keys, escapes, duplicate keys and the form of numbers, which parsing would lose. */
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

/** White space in JSON (RFC 8259 §2). */
const isWhiteSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

function restringified(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return undefined;
  }
}
