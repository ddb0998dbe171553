import { hexOf } from './hex.ts';
import type { Event } from './schema.ts';

/** Signatures of deliveries to webhook endpoints: https://github.com/standard-webhooks/standard-webhooks, docs/events.md. */

/** What a webhook endpoint has received. */
export interface EventDelivery {
  /** `webhook-id`: the same when the same events are sent again. To handle each event once, compare their own ids. */
  readonly id: string;
  /** One event, or those of a batch, in the order of their changes. */
  readonly events: readonly Event[];
  /** The body to respond with: for a ping that asks an endpoint for proof, what proves it, else empty. */
  readonly answer: string;
}

/** `Headers`, or those of a request of `node:http`. */
type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyEventOptions {
  /** Seconds that `webhook-timestamp` may be from now, in either direction: 300 unless told. */
  readonly tolerance?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The events of a delivery.
 * @param body as it arrived, before anything parsed it
 * @param secret of the endpoint (`whsec_…`); two while it is rotated
 * @returns undefined where no secret has signed it, or its time is outside the tolerance: refuse it with 401
 * @throws TypeError for a secret that is none of a webhook endpoint, such as the integration's
 */
export async function verifyEvent(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now }: VerifyEventOptions = {},
): Promise<EventDelivery | undefined> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  // Whoever sends has shown nothing yet: what is looked at before the signature is short.
  if (!id || !/^\d{1,12}$/.test(timestamp ?? '') || (signatures?.length ?? LONGEST) >= LONGEST) return undefined;
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= tolerance)) return undefined;

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const each of [secret].flat()) {
    const key = await keyOf(each);
    for (const signature of (signatures ?? '').split(' ').map(signatureOf)) {
      // In constant time (https://w3c.github.io/webcrypto/#hmac-operations-verify).
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return deliveryOf(id, eventsOf(text), each);
    }
  }
  return undefined;
}

/** As newer challenges are, too. */
const CHALLENGE = /^[\w-]{16,100}$/;

async function deliveryOf(id: string, events: readonly Event[], secret: string): Promise<EventDelivery> {
  const challenge = events.find((event) => CHALLENGE.test(event.challenge ?? ''))?.challenge;
  if (challenge === undefined) return { id, events, answer: '' };
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['sign']);
  return { id, events, answer: hexOf(await crypto.subtle.sign('HMAC', key, encoder.encode(challenge))) };
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/** Characters of `webhook-signature`: twenty signatures, where the sender makes two at most. */
const LONGEST = 1000;

/** Frameworks have a `Headers` of their own, which is no instance of the global one. */
const isHeaders = (headers: ReceivedHeaders): headers is Headers => typeof headers.get === 'function';

function headerOf(headers: ReceivedHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return value?.toString();
}

/** @throws TypeError where it is another secret, such as the integration's */
function keyOf(secret: string) {
  const [, text] = /^whsec_([A-Za-z\d+/]+=*)$/.exec(secret) ?? [];
  if (text === undefined) throw new TypeError('The secret of a webhook endpoint begins with whsec_');
  return crypto.subtle.importKey('raw', decoded(text), HMAC, false, ['verify']);
}

/** Of `v1,<base64>`; undefined where it is anything else, such as a signature of a later version. */
function signatureOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  const [, base64] = /^v1,([A-Za-z\d+/]{43}=)$/.exec(text) ?? [];
  return base64 === undefined ? undefined : decoded(base64);
}

const decoded = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const eventsOf = (text: string): readonly Event[] =>
  [(JSON.parse(text) as { readonly data: Event | Event[] }).data].flat();
