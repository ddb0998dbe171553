import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type OutboundOptions, outbound } from '#outbound';
import { listening } from '../support/listening.ts';

/** What deliveries do not do: they post, and keep no body. The rest is in `test/deliveries/send.test.ts`. */

let stack = new AsyncDisposableStack();
afterEach(async () => {
  vi.restoreAllMocks();
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  stack.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return listening(server);
}

const get = (url: string, options: Partial<OutboundOptions> = {}, readsBody = true) =>
  outbound({ targets: 'loopback', timeout: 3_000, ...options })({ method: 'GET', url, headers: {}, readsBody });

describe('a GET', () => {
  it('returns status, headers and the body, and sends no body itself', async () => {
    const seen: object[] = [];
    const url = await serverOf(({ method, url: path, headers }, response) => {
      seen.push({ method, path, length: headers['content-length'], type: headers['user-agent'] });
      response.writeHead(200, { 'x-a': 'b' }).end('{"größe":1}');
    });
    const outcome = await get(`${url}/a?b=c`);
    expect(outcome).toMatchObject({ status: 200, headers: { 'x-a': 'b' }, body: '{"größe":1}' });
    expect(seen).toEqual([{ method: 'GET', path: '/a?b=c', length: undefined, type: undefined }]);
  });

  it.each([
    [64 * 1024, true],
    [64 * 1024 + 1, false],
  ])('has a body of %i bytes: %s', async (bytes, isKept) => {
    const url = await serverOf((_, response) => void response.end('x'.repeat(bytes)));
    const outcome = await get(url);
    expect(outcome).toMatchObject({ status: 200 });
    expect('body' in outcome && outcome.body?.length === bytes).toBe(isKept);
  });

  it('has no body where that breaks off, or is not wanted', async () => {
    const broken = await serverOf((_, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy());
    });
    expect('body' in (await get(broken))).toBe(false);
    const whole = await serverOf((_, response) => void response.end('{}'));
    expect('body' in (await get(whole, {}, false))).toBe(false);
  });

  it('follows no redirect', async () => {
    const answer = vi.fn<RequestListener>((_, response) => void response.writeHead(302, { location: '/keys' }).end());
    expect(await get(await serverOf(answer))).toMatchObject({ status: 302 });
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it('ends after the time that it is given', async () => {
    const end = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal);
    const url = await serverOf(() => end.abort());
    expect(await get(url, { timeout: 1_234 })).toEqual({ error: 'timeout' });
    expect(AbortSignal.timeout).toHaveBeenCalledWith(1_234);
  });

  it('reaches nothing but public addresses', async () => {
    const resolve = vi.fn(async () => ['8.8.8.8', '169.254.169.254']);
    const refused = { error: 'address-refused' };
    expect(await get('https://login.acme.com/', { targets: 'public', resolve })).toEqual(refused);
    for (const url of ['http://login.acme.com/', 'https://169.254.169.254/latest/', 'https://[fd00:ec2::254]/'])
      expect(await get(url, { targets: 'public', resolve }), url).toEqual(refused);
    expect(resolve).toHaveBeenCalledTimes(1);
  });
});
