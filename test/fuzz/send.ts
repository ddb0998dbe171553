import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, else the text. */
  readonly body: unknown;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Longer than the gateway waits for a function. In milliseconds. */
const PATIENCE = 35_000;

/** Sends a request as it is: `fetch` would correct paths and refuse headers and methods. */
export const send = (url: string, wire: Wire): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body } = wire;
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers, agent, timeout: PATIENCE }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response.headers),
          body: parsed(Buffer.concat(chunks).toString(), response.headers['content-type'] ?? ''),
        });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close a connection that was idle at the very moment it is used again (RFC 9112 §9.3.1): no response of its own.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(url, wire).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });

const headersOf = (headers: IncomingHttpHeaders): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
  );

const parsed = (text: string, type: string): unknown =>
  /^application\/([\w.-]+\+)?json\b/.test(type) && text !== '' ? JSON.parse(text) : text;
