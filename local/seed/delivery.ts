import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SeedApi } from './api.ts';

/** An event that came to a receiver of the seed. */
export interface Delivered {
  readonly type: string;
  readonly recordId: string;
  /** From the change to the delivery. */
  readonly seconds: number;
}

/** Longest time to wait for it, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Shows how events are delivered: to an endpoint on this machine, which is there for one change with an event of this type.
 * @returns undefined where nothing came in time
 * @throws SeedError
 */
export async function showDelivery(
  api: SeedApi,
  type: string,
  change: () => Promise<unknown>,
): Promise<Delivered | undefined> {
  const secret = Promise.withResolvers<string>();
  const { promise: delivered, resolve } = Promise.withResolvers<Delivered | undefined>();
  const receiver = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request));
    // A ping asks for proof (docs/events.md).
    response.end(
      data.challenge &&
        createHmac('sha256', await secret.promise)
          .update(data.challenge)
          .digest('hex'),
    );
    if (data.challenge !== undefined) return;
    resolve({ type: data.type, recordId: data.record_id, seconds: (performance.now() - start) / 1_000 });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const endpoint = await api.post('/webhook-endpoints', { url, event_types: [type], description: 'The seed' });
  const { id } = endpoint;
  secret.resolve(String(endpoint.secret));
  const start = performance.now();
  const timer = setTimeout(resolve, PATIENCE, undefined);
  try {
    await change();
    return await delivered;
  } finally {
    clearTimeout(timer);
    await api.delete(`/webhook-endpoints/${id}`);
    receiver.closeAllConnections();
    receiver.close();
  }
}
