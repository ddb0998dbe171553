import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature of a delivery (spec §6): HMAC-SHA256 of the body, hex-encoded, keyed with the integration secret. The spec signs
 * "the JSON serialization of the body", which two libraries may write differently; so the bytes as sent are tried first, then
 * the two compact texts of the same value.
 */

const SIGNATURE = /^[\da-f]{64}$/i;

/** Whether a header could be a signature at all. `Buffer.from(x, 'hex')` would silently drop a bad tail. */
export const looksSigned = (header: string | undefined): header is string =>
  header !== undefined && SIGNATURE.test(header);

/** Whether the body was signed with one of the secrets. False, never an error, for whatever the header holds. */
export function isSigned(body: Buffer, header: string | undefined, secrets: readonly string[]): boolean {
  if (!looksSigned(header)) return false;
  const signature = Buffer.from(header, 'hex');
  const texts = signedTexts(body);
  return secrets.some((secret) => texts.some((text) => timingSafeEqual(hmac(secret, text), signature)));
}

/** The HMAC of a body, as a sender makes it. */
export const sign = (body: string | Buffer, secret: string): string => hmac(secret, body).toString('hex');

const hmac = (secret: string, text: string | Buffer): Buffer => createHmac('sha256', secret).update(text).digest();

/** What a sender may have signed: the bytes, the text without its white space, the value as `JSON.stringify` writes it. */
function signedTexts(body: Buffer): (string | Buffer)[] {
  const text = body.toString('utf8');
  return [body, withoutWhiteSpace(text), ...restringified(text)];
}

/** Keeps order, escapes, duplicate keys and the form of numbers, which parsing loses. */
const withoutWhiteSpace = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|[ \t\n\r]+/g, (part) => (part.startsWith('"') ? part : ''));

function restringified(json: string): string[] {
  try {
    return [JSON.stringify(JSON.parse(json))];
  } catch {
    return [];
  }
}
