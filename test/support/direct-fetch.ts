/**
 * `fetch` of a gateway in this process, without a socket, which takes most of a request's time. It sends and accepts
 * what `fetch` does, but for headers of the connection and for compression. Redirects are not followed.
 */
import type { Gateway } from '../../local/gateway/gateway.ts';
export const directFetch =
  ({ call }: Pick<Gateway, 'call'>): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { host, pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const accepts = headers.has('accept') ? [] : ['accept', '*/*'];
    const rawHeaders = ['host', host, ...accepts, ...[...headers].flat()];
    const body = Buffer.from(await request.arrayBuffer());
    const head = { method, url: `${pathname}${search}`, rawHeaders, httpVersion: '1.1', socket: {} };
    const reply = await call(head, body);
    return new Response(reply.body.length === 0 ? null : new Uint8Array(reply.body), {
      status: reply.status,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
