import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { answerTo } from '../../functions/events/endpoints/proof.ts';
import { listening } from './listening.ts';

/** What a webhook endpoint has received. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly events: readonly DeliveredEvent[];
}

interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly record_id: string;
  readonly version: number;
  readonly challenge?: string;
}

/** A receiver of deliveries on this machine, until it is closed. */
export interface Receiver {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** All events that have come, repeated ones included, once this is true of them. */
  readonly until: (isEnough: (events: readonly DeliveredEvent[]) => boolean) => Promise<readonly DeliveredEvent[]>;
  /** Lets it answer the pings that ask for proof, which wait for this. They are no deliveries. @param secret of the endpoint */
  readonly prove: (secret: string) => void;
  readonly close: () => Promise<void>;
}

/** @param respond its status; by default it accepts everything */
export async function startReceiver(
  respond: (delivery: Delivery) => number | Promise<number> = () => 204,
): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const { promise: proving, resolve: prove } = Promise.withResolvers<string>();
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { data } = JSON.parse(body) as { readonly data: DeliveredEvent | DeliveredEvent[] };
    const challenge = [data].flat()[0]?.challenge;
    if (challenge !== undefined) return response.end(answerTo(challenge, await proving));
    const delivery = { headers: request.headers, body, events: [data].flat() };
    deliveries.push(delivery);
    for (const look of waiting) look();
    return response.writeHead(await respond(delivery)).end();
  });
  const url = await listening(server);
  const until: Receiver['until'] = (isEnough) =>
    new Promise((resolve) => {
      const look = (): void => {
        const events = deliveries.flatMap((delivery) => delivery.events);
        if (!isEnough(events)) return;
        waiting.delete(look);
        resolve(events);
      };
      waiting.add(look);
      look();
    });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, deliveries, until, prove, close };
}
