import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature of a delivery (spec §6): HMAC-SHA256 of the body, hex-encoded, keyed with the integration secret. The spec signs
 * "the JSON serialization of the body", which two libraries may write differently; so the bytes as sent are tried first, then
 * the two compact texts of the same value (`docs/decisions/0061`). Whoever sends has shown nothing yet: every step here is linear in
 * the body's length.
 */

const SIGNATURE = /^[\da-f]{64}$/i;

/** Whether a header could be a signature at all. `Buffer.from(x, 'hex')` would silently drop a bad tail. */
const looksSigned = (header: string | undefined): header is string => header !== undefined && SIGNATURE.test(header);

/** Whether the body was signed with one of the secrets. False, never an error, for whatever the header holds. */
export function isSigned(body: Buffer, header: string | undefined, secrets: readonly string[]): boolean {
  if (!looksSigned(header)) return false;
  const signature = Buffer.from(header, 'hex');
  for (const text of signedTexts(body)) {
    if (secrets.some((secret) => timingSafeEqual(hmac(secret, text), signature))) return true;
  }
  return false;
}

/** The HMAC of a body, as a sender makes it. */
export const sign = (body: string | Buffer, secret: string): string => hmac(secret, body).toString('hex');

const hmac = (secret: string, text: string | Buffer): Buffer => createHmac('sha256', secret).update(text).digest();

/** What a sender may have signed: the bytes, the text without its white space, the value as `JSON.stringify` writes it. */
function* signedTexts(body: Buffer): Generator<string | Buffer> {
  yield body;
  // Some libraries send a byte order mark that the text they signed had not; a decoder takes it off (RFC 8259 §8.1).
  const text = new TextDecoder().decode(body);
  yield withoutWhiteSpace(text);
  const written = restringified(text);
  if (written !== undefined) yield written;
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
