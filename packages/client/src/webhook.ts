import { hexOf } from './hex.ts';

/** Signatures of webhooks, as docs/webhooks.md has them: HMAC-SHA256 of the body, keyed with the integration's secret, in hex. */

/** The `X-Signature` of a body: sign the very text that is sent. */
export async function signWebhook(body: string | Uint8Array, secret: string): Promise<string> {
  return hexOf(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), bytesOf(body)));
}

export interface ReceivedWebhook {
  /** As it arrived, before anything parsed it. */
  readonly body: string | Uint8Array;
  /** `X-Signature`. */
  readonly signature: string | null | undefined;
  /** `X-Timestamp`, of 40 characters at most. It is compared where a tolerance is set; it is not signed. */
  readonly timestamp?: string | null | undefined;
}

export interface VerifyOptions {
  /** Two while a secret is rotated. */
  readonly secrets: readonly string[];
  /** Seconds that the timestamp may be from now, in either direction; any time and none unless told. */
  readonly tolerance?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The text that was signed, which is the one to parse: the body, or its compact JSON where that was signed.
 * @returns undefined where no secret has made this signature, or the timestamp is outside the tolerance or too long
 */
export async function verifyWebhook(
  { body, signature, timestamp }: ReceivedWebhook,
  { secrets, tolerance, now = Date.now }: VerifyOptions,
): Promise<string | undefined> {
  // Whoever sends has shown nothing yet: what is looked at before the signature is short.
  if ((timestamp?.length ?? 0) > LONGEST_TIMESTAMP) return undefined;
  if (!/^[\da-f]{64}$/i.test(signature ?? '')) return undefined;
  if (tolerance !== undefined && !(Math.abs(now() - timeOf(timestamp)) <= tolerance * 1000)) return undefined;
  const digest = Uint8Array.from((signature as string).match(/../g) as string[], (pair) => Number.parseInt(pair, 16));
  const keys = await Promise.all(secrets.map((secret) => keyOf(secret, 'verify')));
  for (const form of formsOf(bytesOf(body))) {
    for (const key of keys) {
      // In constant time (https://w3c.github.io/webcrypto/#hmac-operations-verify).
      if (await crypto.subtle.verify('HMAC', key, digest, form)) return new TextDecoder().decode(form);
    }
  }
  return undefined;
}

const LONGEST_TIMESTAMP = 40;

type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (text: string | Uint8Array): Bytes =>
  typeof text === 'string' ? new TextEncoder().encode(text) : new Uint8Array(text);

const keyOf = (secret: string, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);

/** In UTC where it has no zone; not a number where it is no time. */
const timeOf = (timestamp: string | null | undefined): number => {
  const text = timestamp ?? '';
  const time = text.slice(text.indexOf('T'));
  return Date.parse(/^T[^Z+-]*(Z|[+-]\d\d(:?\d\d)?)$/i.test(time) || !text.includes('T') ? text : `${text}Z`);
};

/** What may have been signed: the bytes, the text without white space, or the value as `JSON.stringify` writes it. */
function* formsOf(body: Bytes): Generator<Bytes> {
  yield body;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return;
  }
  // White space outside of strings (RFC 8259 §2).
  yield bytesOf(text.replace(/("[^"\\]*(?:\\[\s\S]?[^"\\]*)*"?)|[ \t\r\n]+/g, '$1'));
  try {
    yield bytesOf(JSON.stringify(JSON.parse(text)));
  } catch {
    // It is no JSON, and the server refuses it.
  }
}
