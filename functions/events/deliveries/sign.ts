import { createHmac } from 'node:crypto';

interface Signed {
  /** The event's id, or that of a batch: the same when it is sent again, so that the receiver recognizes it. */
  readonly id: string;
  /** When it is sent, in epoch seconds: the receiver refuses what is too old. */
  readonly seconds: number;
  readonly body: string;
  /** `whsec_…`; two while a rotation lets both live. */
  readonly secrets: readonly string[];
}

/**
 * The headers of Standard Webhooks: HMAC-SHA256 over id, time and body, once for each secret, so that a receiver that
 * knows either accepts the delivery
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function signed({ id, seconds, body, secrets }: Signed): Record<string, string> {
  const content = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(content, secret)}`).join(' '),
  };
}

const signatureOf = (content: string, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(content)
    .digest('base64');
