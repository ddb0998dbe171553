import type { RequestSession } from '#table';
import type { Clock } from '../../../shared/clock.ts';

/** What a turn depends on; `../state/` stores how far deliveries are. Locally the queue is another one, and nothing else. */
export interface Ports {
  /** A session of this function that begins now. */
  readonly open: () => RequestSession;
  readonly clock: Clock;
  readonly send: Send;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  readonly queue: Queue;
  /** Most workers that a tenant holds at a time: at most half of all, so that others have theirs. */
  readonly slots: number;
}

/** Wakes the endpoints of a tenant: there may be something to deliver. It may be lost, doubled or wrong: journal and cursors decide. */
export interface Message {
  /** An organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** Only this endpoint. */
  readonly endpointId?: string;
}

/** Longest delay of a message, in seconds. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export const LONGEST_DELAY = 900;

/** Where messages go. */
export interface Queue {
  /** Sends messages, each to be received after so many seconds, {@link LONGEST_DELAY} at most. @throws where one of them may not have been sent */
  send(messages: readonly (Message & { readonly delaySeconds?: number })[]): Promise<void>;
}

/** Sends one delivery. @returns what came of it */
export type Send = (call: Call) => Promise<Outcome>;

export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bodies of a response that prove something; of a ping, not of a delivery. */
  readonly expects?: readonly string[];
}

export type Outcome =
  | {
      readonly status: number;
      /** Of the header `Retry-After`, where there is one that can be read. */
      readonly retryAfterSeconds?: number;
      /** Whether the body is one that the call expects. */
      readonly isExpected?: boolean;
    }
  | { readonly error: SendError };

/** Why there is no status. */
export type SendError =
  /** The name has no address. */
  | 'name-not-resolved'
  /** One of its addresses is not public, or the URL may not be called. */
  | 'address-refused'
  /** It was refused, or ended before the response. */
  | 'connection'
  /** No handshake, or a certificate that is not valid for the name. */
  | 'tls'
  /** No response in time. */
  | 'timeout'
  /** What came is no HTTP response, or has too many headers. */
  | 'response-invalid';
