/**
 * What the worker reaches besides the table. Locally another queue is behind it; nothing else differs from AWS. What is stored is behind
 * `#tenancy/deliveries`.
 */

/** Wakes the endpoints of a tenant: there may be something to deliver. It may be lost, doubled or wrong: journal and cursors decide. */
export interface Message {
  /** An organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** Only this endpoint. */
  readonly endpointId?: string;
}

/** Longest delay of a message, in seconds. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export const LONGEST_DELAY = 900;

export interface Queue {
  /** Sends messages, each to be received after so many seconds, {@link LONGEST_DELAY} at most. @throws where one of them may not have been sent */
  send(messages: readonly (Message & { readonly delaySeconds?: number })[]): Promise<void>;
}

/** Sends one delivery, and tells how it was answered. */
export type Send = (call: Call) => Promise<Outcome>;

export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Outcome =
  | {
      readonly status: number;
      /** Of the header `Retry-After`, where there is one that can be read. */
      readonly retryAfterSeconds?: number;
    }
  | { readonly error: SendError };

/**
 * Why there is no status:
 * - `name-not-resolved`: the name has no address;
 * - `address-refused`: one of its addresses is not public;
 * - `connection`: it was refused, or ended before the response;
 * - `tls`: no handshake, or a certificate that is not valid for the name;
 * - `timeout`: no response in time;
 * - `response-invalid`: what came is no HTTP response, or has too many headers.
 */
export type SendError = (typeof SEND_ERRORS)[number];

export const SEND_ERRORS = [
  'name-not-resolved',
  'address-refused',
  'connection',
  'tls',
  'timeout',
  'response-invalid',
] as const;
