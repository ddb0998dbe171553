import type { IncomingMessage } from 'node:http';
import { failure } from './failure.ts';

/** The client closed the connection before its request was complete: there is nobody to respond to. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The whole body. No more than `maxBytes` is kept of a body that is too large.
 * @throws GatewayFailure 413
 * @throws ClientGone
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (hasNone(request)) return resolve(Buffer.alloc(0));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reject(failure('REQUEST_TOO_LARGE'));
    const chunks: Buffer[] = [];
    let size = 0;
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      request.off('data', keep).pause();
      reject(failure('REQUEST_TOO_LARGE'));
    };
    request.on('data', keep);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(new ClientGone()));
    // Creating an error takes time for its stack, and this event comes after every request.
    request.once('close', () => request.readableEnded || reject(new ClientGone()));
  });

/** A request that names neither a length nor an encoding has no body (RFC 9112 §6.3). */
const hasNone = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** The longest time and the largest part in which an unread body is still received, in milliseconds and bytes. */
const DISCARD = { forMs: 5_000, bytes: 33_554_432 } as const;

/**
 * Receives and discards the rest of a body, up to a bound. A connection closed while the client still writes is reset,
 * and the client then loses the response that came before.
 */
export const discardBody = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    const timer = setTimeout(resolve, DISCARD.forMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > DISCARD.bytes) done();
    });
    request.once('close', done).once('end', done).resume();
  });
