import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import type { JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keysOfProvider } from '#auth';
import { localConnection } from '#local-dynamodb';
import { type OutboundOptions, outbound } from '#outbound';
import { tableOf } from '#table';
import { freshTable } from '../support/dynamodb.ts';
import { freshModule } from '../support/fresh-module.ts';
import { listening } from '../support/listening.ts';
import { prepared } from '../support/prepared.ts';
import { openTenant } from '../support/storage.ts';
import { providerKey } from './subject-tokens.ts';

const place = prepared(() => freshTable());
const newTable = (): Table => tableOf(place.tableName, localConnection(place.endpoint));

const [one, two] = [providerKey('one').jwk, providerKey('two').jwk];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let stack: AsyncDisposableStack;
let time: number;
let table: Table;
beforeEach(() => {
  stack = new AsyncDisposableStack();
  time = Date.now();
  table = newTable();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stack.disposeAsync();
});

/** A provider on this machine. What it answers can be changed. */
class Published {
  readonly asked: string[] = [];
  url = '';
  path = '';
  keys: unknown = [one];
  /** In place of the usual ones. */
  discovery: object = {};
  respond: Partial<Record<'discovery' | 'keys', RequestListener>> = {};

  get issuer(): string {
    return `${this.url}${this.path}`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      const what = request.url?.endsWith('/keys') ? 'keys' : 'discovery';
      const json = (body: object) => void response.end(JSON.stringify(body));
      const { [what]: other } = this.respond;
      if (other !== undefined) return other(request, response);
      if (what === 'keys') return json({ keys: this.keys });
      return json({ issuer: this.issuer, jwks_uri: `${this.url}/keys`, ...this.discovery });
    });
    stack.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    this.url = await listening(server);
    return this;
  }

  /** How often its keys were looked for. */
  get attempts(): number {
    return this.asked.filter((path) => !path.endsWith('/keys')).length;
  }
}

const published = () => new Published().start();

interface Looking {
  readonly container?: typeof keysOfProvider;
  readonly table?: Table;
  readonly clock?: () => number;
  readonly options?: Partial<OutboundOptions>;
  readonly wait?: () => Promise<unknown>;
}

/** An identity provider of an organization, as containers look its keys up. */
function sight(issuer: string, [org, id]: readonly [string, string] = [randomUUID(), randomUUID()]) {
  const look = (kid?: string, looking: Looking = {}): Promise<readonly JWK[]> => {
    const { container = keysOfProvider, options, wait = async () => (time += SECOND) } = looking;
    const tenant = openTenant(looking.table ?? table, org, looking.clock ?? (() => time));
    const send = outbound({ targets: 'loopback', timeout: 3_000, ...options });
    return container(tenant, { id, issuer }, { send, wait })(kid);
  };
  const kids = async (kid?: string, looking?: Looking) =>
    (await look(kid, looking)).map(({ kid: each }) => each).toSorted();
  const item = async () => {
    const Key = { PK: `ORG#${org}#PROVIDER_KEYS`, SK: id };
    return (await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }))).Item;
  };
  const unavailable = (kid?: string, looking?: Looking) =>
    expect(look(kid, looking)).rejects.toMatchObject({ name: 'SubjectTokenRefused', reason: 'keys-unavailable' });
  return { look, kids, item, unavailable };
}

/** Another container, which knows nothing. */
const container = async (): Promise<typeof keysOfProvider> => {
  const path = 'shared/auth/subject-tokens/provider-keys.ts';
  return (await freshModule<{ readonly keysOfProvider: typeof keysOfProvider }>(path)).keysOfProvider;
};

describe('discovery', () => {
  it.each(['', '/', '/realms/acme', '/realms/acme/'])('is below the path of the issuer: %j', async (path) => {
    const provider = await published();
    provider.path = path;
    expect(await sight(provider.issuer).kids('one')).toEqual(['one']);
    expect(provider.asked).toEqual([`${path.replace(/\/$/, '')}/.well-known/openid-configuration`, '/keys']);
  });

  it.each<[string, string, (provider: Published) => unknown]>([
    ['leads elsewhere', 'discovery-status-302', (it) => (it.respond.discovery = to('/keys'))],
    ['is of another issuer', 'discovery-of-another-issuer', (it) => (it.discovery = { issuer: `${it.url}/other` })],
    ['has a slash more', 'discovery-of-another-issuer', (it) => (it.discovery = { issuer: `${it.url}/` })],
    ['has no issuer', 'discovery-of-another-issuer', (it) => (it.discovery = { issuer: undefined })],
    ['has no keys', 'discovery-without-keys', (it) => (it.discovery = { jwks_uri: [`${it.url}/keys`] })],
    ['is no JSON', 'discovery-invalid', (it) => (it.respond.discovery = sends('<html>'))],
    ['is no object', 'discovery-invalid', (it) => (it.respond.discovery = sends('null'))],
    ['is huge', 'discovery-invalid', (it) => (it.respond.discovery = sends(' '.repeat(65_537)))],
    ['is not there', 'discovery-status-404', (it) => (it.respond.discovery = (_, response) => status(response, 404))],
    ['points to metadata', 'keys-address-refused', (it) => (it.discovery = { jwks_uri: METADATA })],
    ['points to a file', 'keys-address-refused', (it) => (it.discovery = { jwks_uri: 'file:///etc/passwd' })],
    ['has keys that lead elsewhere', 'keys-status-302', (it) => (it.respond.keys = to('/other'))],
    ['has huge keys', 'keys-invalid', (it) => (it.respond.keys = sends(JSON.stringify({ keys: [one], x: FULL })))],
    ['has too many keys', 'keys-invalid', (it) => (it.keys = Array.from({ length: 101 }, () => one))],
    ['has keys that are no list', 'keys-invalid', (it) => (it.keys = { one })],
    ['has no usable keys', 'keys-none', (it) => (it.keys = [{ ...one, use: 'enc' }])],
  ])('that %s gives no keys, once in 30 seconds', async (_, outcome, change) => {
    const provider = await published();
    change(provider);
    const { unavailable, item } = sight(provider.issuer);
    await unavailable('one');
    expect(await item()).toMatchObject({ outcome });
    const asked = provider.asked.length;
    time += 29 * SECOND;
    await unavailable('one', { container: await container() });
    await unavailable('one');
    expect(provider.asked).toHaveLength(asked);
    time += SECOND;
    await unavailable('one');
    expect(provider.attempts).toBe(2);
  });

  it('that is slow gives none', async () => {
    const provider = await published();
    const end = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal);
    provider.respond.keys = () => end.abort();
    const { unavailable, item } = sight(provider.issuer);
    await unavailable('one');
    expect(await item()).toMatchObject({ outcome: 'keys-timeout' });
  });

  it('reaches only public addresses, also by a name that is another one the second time', async () => {
    const answers = [['169.254.169.254'], ['8.8.8.8', '10.0.0.1'], ['127.0.0.1']];
    for (const answer of answers) {
      const resolve = vi.fn(async () => answer);
      const { unavailable, item } = sight('https://login.acme.example');
      await unavailable('one', { options: { targets: 'public', resolve } });
      expect([resolve.mock.calls.length, (await item())?.outcome]).toEqual([1, 'discovery-address-refused']);
    }
    const { unavailable, item } = sight('http://login.acme.example');
    await unavailable('one', { options: { targets: 'public', resolve: async () => ['8.8.8.8'] } });
    expect(await item()).toMatchObject({ outcome: 'discovery-address-refused' });
  });

  it('gives keys for signatures alone, without what else is said of them', async () => {
    const provider = await published();
    const rsa = providerKey('rsa', 'RS256').jwk;
    const unusable = [
      { ...one, kid: 'enc', use: 'enc' },
      { ...one, kid: 'signs', key_ops: ['sign'] },
      { ...one, kid: 'private', d: 'AAAA' },
      { ...rsa, kid: 'short', n: 'A'.repeat(171) },
      { ...rsa, kid: 'endless', n: 'A'.repeat(4_000) },
      { ...rsa, kid: 'slow', e: 'A'.repeat(300) },
      { ...rsa, kid: 'hmac', alg: 'HS256' },
      { ...one, kid: 7 },
      { kty: 'oct', kid: 'secret', k: 'AAAA' },
      { kty: { toString: 1 }, kid: 'strange' },
      ...[null, 7, 'key', [], {}],
    ];
    const { use: _, ...unmarked } = two;
    provider.keys = [...unusable, { ...one, key_ops: ['verify'], x5c: ['MIIB'] }, unmarked, { ...rsa, alg: 'RS256' }];
    const keys = await sight(provider.issuer).look();
    const { kty, crv, x, y, n, e } = { y: undefined, ...one, n: rsa.n, e: rsa.e };
    expect([y, keys[0], keys[2]]).toEqual([
      ...[undefined, { kty, crv, x, kid: 'one' }],
      { kty: 'RSA', n, e, kid: 'rsa', alg: 'RS256' },
    ]);
    expect(keys.map(({ kid }) => kid)).toEqual(['one', 'two', 'rsa']);
  });
});

const METADATA = 'http://169.254.169.254/latest/meta-data/';
const FULL = 'x'.repeat(65_536);
const status = (response: Parameters<RequestListener>[1], code: number) => void response.writeHead(code).end();
const sends =
  (text: string): RequestListener =>
  (_, response) =>
    void response.end(text);
const to =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();

describe('keys that were fetched', () => {
  it('are known to the container for ten minutes, to all others by the table', async () => {
    const provider = await published();
    const { kids } = sight(provider.issuer);
    await kids('one');
    time += 9 * MINUTE;
    const send = vi.spyOn(table.client, 'send');
    expect([await kids('one'), await kids()]).toEqual([['one'], ['one']]);
    expect(send).not.toHaveBeenCalled();
    expect(await kids('one', { container: await container() })).toEqual(['one']);
    expect([send.mock.calls.length, provider.attempts]).toEqual([1, 1]);
    time += MINUTE;
    await kids('one');
    expect(provider.attempts).toBe(2);
  });

  it('are replaced by a key that they do not have, and end when the provider takes them back', async () => {
    const provider = await published();
    const { kids } = sight(provider.issuer);
    expect(await kids('one')).toEqual(['one']);
    provider.keys = [one, two];
    time += 31 * SECOND;
    expect(await kids('two')).toEqual(['one', 'two']);
    provider.keys = [two];
    time += 10 * MINUTE;
    expect(await kids('one')).toEqual(['two']);
  });

  it('are used for a day while the provider is down, and asked for every 30 seconds by one request', async () => {
    const provider = await published();
    const { kids, unavailable, item } = sight(provider.issuer);
    await kids('one');
    provider.respond.discovery = (_, response) => void response.destroy();
    const others = [await container(), await container()] as const;
    for (let minutes = 0; minutes < 60; minutes += 15) {
      time += 15 * MINUTE;
      expect(await kids('one')).toEqual(['one']);
      for (const other of others) expect(await kids('one', { container: other })).toEqual(['one']);
    }
    expect(provider.attempts).toBe(5);
    expect(await item()).toMatchObject({ outcome: 'discovery-connection' });
    time += 23 * HOUR - 10 * SECOND;
    expect(await kids('one')).toEqual(['one']);
    time += 10 * SECOND;
    await unavailable('one');
    for (const other of others) await unavailable('one', { container: other });
    expect(provider.attempts).toBe(6);
    provider.respond = {};
    time += 30 * SECOND;
    expect(await kids('one', { container: others[0] })).toEqual(['one']);
  });

  it('are of one provider, and of no other organization', async () => {
    const provider = await published();
    const org = randomUUID();
    for (const place of [[org, randomUUID()], [org, randomUUID()], undefined] as const)
      await sight(provider.issuer, place).kids('one');
    expect(provider.attempts).toBe(3);
  });
});

describe('a key that nobody publishes', () => {
  it('is looked for once in 30 seconds, however many tokens name one', async () => {
    const provider = await published();
    const { kids } = sight(provider.issuer);
    const containers = [keysOfProvider, await container(), await container()];
    for (const each of containers) await kids('one', { container: each });
    const send = vi.spyOn(table.client, 'send');
    const flood = async () => {
      for (let index = 0; index < 20; index++)
        for (const each of containers) expect(await kids(`k${index}`, { container: each })).toEqual(['one']);
    };
    await flood();
    // All have looked within these 30 seconds.
    expect([provider.attempts, send.mock.calls.length]).toEqual([1, 0]);
    time += 31 * SECOND;
    await flood();
    // A read and two writes of one, and a read of each other container.
    expect([provider.attempts, send.mock.calls.length]).toEqual([2, 5]);
    provider.respond.discovery = (_, response) => status(response, 500);
    time += 31 * SECOND;
    await flood();
    expect(provider.attempts).toBe(3);
  });

  it('does not keep others waiting who have keys', async () => {
    const provider = await published();
    const { kids } = sight(provider.issuer);
    await kids('one');
    time += 31 * SECOND;
    const other = { container: await container(), wait: () => Promise.reject(new Error('it waits')) };
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: isReady, resolve: ready } = Promise.withResolvers<void>();
    provider.respond.discovery = async (_, response) => {
      ask();
      await isReady;
      response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: `${provider.url}/keys` }));
    };
    provider.keys = [one, two];
    const fetching = kids('two');
    await isAsked;
    expect([await kids('two', other), await kids('one', other)]).toEqual([['one'], ['one']]);
    ready();
    expect(await fetching).toEqual(['one', 'two']);
    // What is under way is looked at again.
    expect(await kids('two', other)).toEqual(['one', 'two']);
    expect(provider.attempts).toBe(2);
  });
});

describe('the first keys', () => {
  it('are fetched by one of several containers, for which the others wait', async () => {
    const provider = await published();
    const { kids } = sight(provider.issuer);
    const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
    provider.respond.discovery = async (_, response) => {
      await isWaiting;
      response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: `${provider.url}/keys` }));
    };
    const containers = await Promise.all([0, 1, 2].map(container));
    afterAllReads(containers.length);
    const wait = async () => waits();
    const found = await Promise.all(containers.map((each) => kids('one', { container: each, wait })));
    expect(found).toEqual([['one'], ['one'], ['one']]);
    expect(provider.attempts).toBe(1);
  });

  it('come with the next attempt where the first was cut off', async () => {
    const provider = await published();
    const { kids, unavailable } = sight(provider.issuer);
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    provider.respond.discovery = () => ask();
    void kids('one', { container: await container() }).catch(() => undefined);
    await isAsked;
    const waited = vi.fn(async () => (time += SECOND));
    await unavailable('one', { wait: waited });
    expect(waited).toHaveBeenCalledTimes(8);
    provider.respond = {};
    time += 30 * SECOND;
    expect(await kids('one')).toEqual(['one']);
  });
});

it('an attempt that ends late changes nothing for others', async () => {
  const provider = await published();
  const { kids, item } = sight(provider.issuer);
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: isReady, resolve: ready } = Promise.withResolvers<void>();
  provider.respond.keys = async (_, response) => {
    ask();
    await isReady;
    response.end(JSON.stringify({ keys: [one] }));
  };
  const late = kids('one');
  await isAsked;
  provider.respond = {};
  provider.keys = [two];
  time += 31 * SECOND;
  expect(await kids('two', { container: await container() })).toEqual(['two']);
  ready();
  await late;
  expect((await item())?.keys).toContain('"two"');
});

/** Has nobody go on with what it has read before so many have read. */
function afterAllReads(count: number): void {
  const send = table.client.send.bind(table.client) as (command: unknown) => Promise<unknown>;
  const { promise: allRead, resolve } = Promise.withResolvers<void>();
  let reads = 0;
  vi.spyOn(table.client, 'send').mockImplementation((async (command: unknown) => {
    const result = await send(command);
    if (!(command instanceof GetCommand)) return result;
    reads += 1;
    if (reads === count) resolve();
    await allRead;
    return result;
  }) as never);
}

it('a container whose clock is ten minutes off asks no more often, and uses keys no longer', async () => {
  const provider = await published();
  const { kids } = sight(provider.issuer);
  await kids('one');
  const off = [-10, 10].map((minutes) => {
    const wrong = newTable();
    // The SDK has seen by how much.
    wrong.client.config.systemClockOffset = -minutes * MINUTE;
    return { table: wrong, clock: () => time + minutes * MINUTE };
  });
  for (const each of off) {
    vi.spyOn(each.table.client, 'send').mockImplementation(((command: never) => table.client.send(command)) as never);
    const looking = { ...each, container: await container() };
    expect([await kids('one', looking), await kids('two', looking)]).toEqual([['one'], ['one']]);
  }
  expect(provider.attempts).toBe(1);
  time += 10 * MINUTE;
  for (const each of off) await kids('one', { ...each, container: await container() });
  expect(provider.attempts).toBe(2);
});
