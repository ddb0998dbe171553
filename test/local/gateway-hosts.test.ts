import { describe, expect, it } from 'vitest';
import { fakeGateway, sendBytes } from './gateway-fixture.ts';

/** The hosts that requests may name: a web page can make its own name lead here (DNS rebinding). */

const ask = (url: string, target: string, ...headers: string[]): Promise<string> =>
  sendBytes(
    url,
    [`POST ${target} HTTP/1.1`, ...headers, 'Content-Length: 2', 'Connection: close', '', '{}'].join('\r\n'),
  );

const PAGE = 'Origin: http://evil.example:3000';

describe('a request', () => {
  it.each([
    'localhost',
    'LocalHost:3000',
    'localhost.',
    '127.0.0.1',
    '127.8.9.10:3000',
    '[::1]:3000',
    'named.test:8080',
  ])('for %s is served, whatever its port', async (host) => {
    const { url } = await fakeGateway({ allowedHosts: ['named.test'] });
    expect(await ask(url, '/v1/things', `Host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(url, `http://${host}/v1/things`, `Host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'localhost..',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io:3000',
    '1127.0.0.1',
    '0.0.0.0:3000',
    '0x7f.1',
    '192.168.0.1',
    '[::]:3000',
    '[::ffff:10.0.0.1]',
    'sub.named.test',
  ])('for %s is a 403, however the host is given, and reaches no function', async (host) => {
    const reached: unknown[] = [];
    const { url } = await fakeGateway({
      allowedHosts: ['named.test'],
      authorize: () => reached.push('authorizer'),
      things: () => reached.push('function'),
    });
    const refused = /^HTTP\/1\.1 403 .*application\/problem\+json.*"type":"[^"]*forbidden".*ALLOWED_HOSTS/s;
    expect(await ask(url, '/v1/things', `Host: ${host}`, PAGE)).toMatch(refused);
    expect(await ask(url, `http://${host}/v1/things`, 'Host: localhost')).toMatch(refused);
    expect(await ask(url, 'http://localhost/v1/things', `Host: ${host}`)).toMatch(refused);
    expect(await ask(url, '/v1/nowhere', `Host: ${host}`)).toMatch(refused);
    expect(reached).toEqual([]);
  });

  it.each([
    ['without a host', '/v1/things'],
    ['with two', '/v1/things', 'Host: localhost', 'Host: evil.example'],
    ['with an empty one', '/v1/things', 'Host:'],
    ['with a user name', '/v1/things', 'Host: evil.example@localhost'],
    ['with a user name in its target', 'http://evil.example@localhost/v1/things', 'Host: localhost'],
    ['without a host in its target', 'http:///v1/things', 'Host: localhost'],
  ])('%s is a 400', async (_, target, ...headers) => {
    const { url } = await fakeGateway();
    expect(await ask(url, target, ...headers)).toMatch(/^HTTP\/1\.1 400 .*malformed-request/s);
  });
});
