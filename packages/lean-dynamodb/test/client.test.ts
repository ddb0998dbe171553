import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { leanDocumentClient } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { AdaptiveRetryStrategy, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { localConnection } from '../../../local/dynamodb/index.ts';
import { listening } from '../../../test/support/listening.ts';

type Sent = Parameters<NodeHttpHandler['handle']>[0];

/**
 * Returns an item with the requested key for `GetItem`, and records requests. Returns these statuses for the first
 * calls.
 */
class Responding extends NodeHttpHandler {
  readonly sent: Sent[] = [];
  readonly #statuses: number[];

  constructor(statuses: readonly number[] = []) {
    super();
    this.#statuses = [...statuses];
  }

  override async handle(request: Sent, options?: Parameters<NodeHttpHandler['handle']>[1]) {
    if (options?.abortSignal?.aborted) throw new DOMException('aborted', 'AbortError');
    this.sent.push(request);
    const statusCode = this.#statuses.shift() ?? 200;
    const { Key } = JSON.parse(String(Buffer.from(request.body))) as { readonly Key?: unknown };
    const body = statusCode === 200 ? { Item: Key } : { __type: 'InternalServerError', message: 'of a test' };
    return { response: new HttpResponse({ statusCode, headers: {}, body: Readable.from([JSON.stringify(body)]) }) };
  }

  /** The part of each body that is named. */
  bodies(part: string): unknown[] {
    return this.sent.map(({ body }) => JSON.parse(String(Buffer.from(body)))[part] as unknown);
  }
}

/** Another clock and another signer than those of the client: the SDK's own, with its own hashes. */
async function signatureOf(sent: Sent): Promise<unknown> {
  const { config } = new DynamoDBClient({ ...localConnection() });
  const scheme = {
    name: 'sigv4',
    signingName: 'dynamodb',
    signingRegion: localConnection().region,
    properties: {},
  } as const;
  const signer = await config.signer(scheme);
  const [, year, month, day, hour, minute, second] =
    /^(....)(..)(..)T(..)(..)(..)Z$/.exec(sent.headers['x-amz-date'] ?? '') ?? [];
  const signingDate = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const unsigned = sent.clone();
  delete unsigned.headers.authorization;
  return (await signer.sign(unsigned, { signingDate })).headers.authorization;
}

const clientAt = (requestHandler: Responding) => leanDocumentClient({ ...localConnection(), requestHandler }, Number);

/** What the SDK's own step makes: on the lean path only the request that is kept for each kind of command. */
const serializedBySdk = ({ config }: ReturnType<typeof clientAt>) =>
  vi.spyOn(config.protocol as unknown as { serializeRequest(): unknown }, 'serializeRequest');

const get = (id: string) => new GetCommand({ TableName: 't', Key: { id } });

describe('the lean document client', () => {
  it('sends every command of a kind as it is, one after the other and at once', async () => {
    const handler = new Responding();
    const client = clientAt(handler);
    expect((await client.send(get('a'))).Item).toEqual({ id: 'a' });
    const both = await Promise.all([client.send(get('b')), client.send(get('c'))]);
    expect(both.map(({ Item }) => Item)).toEqual([{ id: 'b' }, { id: 'c' }]);
    await client.send(new PutCommand({ TableName: 't', Item: { id: 'd', number: 1 } }));
    expect(handler.bodies('Item').at(-1)).toEqual({ id: { S: 'd' }, number: { N: '1' } });
    expect(handler.sent.map(({ headers }) => headers['x-amz-target'])).toEqual([
      ...Array(3).fill('DynamoDB_20120810.GetItem'),
      'DynamoDB_20120810.PutItem',
    ]);
  });

  // DynamoDB checks signatures, which no emulator does.
  it('signs as the SDK does by itself, whatever is sent', async () => {
    const handler = new Responding();
    const client = clientAt(handler);
    const long = 'é'.repeat(100_000);
    for (const id of ['a', long, '']) await client.send(get(id));
    await client.send(new PutCommand({ TableName: 't', Item: { id: 'd', bytes: new Uint8Array([0, 255]) } }));
    expect(handler.sent).toHaveLength(4);
    for (const sent of handler.sent) {
      expect(sent.headers.authorization).toBe(await signatureOf(sent));
      // Nobody is told what software it is.
      expect(Object.keys(sent.headers)).not.toContain('user-agent');
    }
  });

  it('signs each call with the credentials that hold then, and once more after a retry', async () => {
    const handler = new Responding([500, 200, 200]);
    let session = 0;
    const credentials = async () => {
      session += 1;
      // So short a session is renewed before each call.
      const expiration = new Date(Date.now() + 1_000);
      return { accessKeyId: `SESSION${session}`, secretAccessKey: `secret-${session}`, sessionToken: 'x', expiration };
    };
    const client = leanDocumentClient(
      { region: localConnection().region, credentials, requestHandler: handler },
      Number,
    );
    await client.send(get('a'));
    await client.send(get('b'));
    const signers = handler.sent.map(({ headers }) => /Credential=(SESSION\d+)/.exec(headers.authorization ?? '')?.[1]);
    const [first, again, second] = signers;
    expect(first).toMatch(/^SESSION\d+$/);
    expect(again).toMatch(/^SESSION\d+$/);
    expect([first, again]).not.toContain(second);
  });

  it('counts the attempts of a call under one id, as the SDK does', async () => {
    const handler = new Responding([500, 503, 200, 200]);
    const { $metadata } = await clientAt(handler).send(get('a'));
    expect($metadata).toMatchObject({ attempts: 3, totalRetryDelay: expect.any(Number) });
    expect((await clientAt(handler).send(get('b'))).$metadata).toMatchObject({ attempts: 1, totalRetryDelay: 0 });
    const headers = handler.sent.map((sent) => [
      sent.headers['amz-sdk-request'],
      sent.headers['amz-sdk-invocation-id'],
    ]);
    const [first, last] = [headers[0]?.[1], headers[3]?.[1]];
    expect(headers).toEqual([
      ['attempt=1; max=4', first],
      ['attempt=2; max=4', first],
      ['attempt=3; max=4', first],
      ['attempt=1; max=4', last],
    ]);
    expect(last).not.toBe(first);
  });

  it('gains capacity for retries with each call that succeeds, as the SDK does', async () => {
    const retryStrategy = new StandardRetryStrategy(2);
    const requestHandler = new Responding([500, 500]);
    const client = leanDocumentClient({ ...localConnection(), retryStrategy, requestHandler }, Number);
    await expect(client.send(get('a'))).rejects.toThrow('of a test');
    const spent = retryStrategy.getCapacity();
    for (const id of ['b', 'c']) await client.send(get(id));
    expect(retryStrategy.getCapacity()).toBe(spent + 2);
  });

  it('lets an adaptive strategy decide when a first attempt may begin', async () => {
    const handler = new Responding();
    const strategy = new AdaptiveRetryStrategy(async () => 2);
    const acquire = vi.spyOn(strategy, 'acquireInitialRetryToken');
    const client = leanDocumentClient(
      { ...localConnection(), retryStrategy: strategy, requestHandler: handler },
      Number,
    );
    for (const id of ['a', 'b']) await client.send(get(id));
    expect(acquire).toHaveBeenCalledTimes(2);
  });

  it('passes a middleware that is added later, and not one that is removed', async () => {
    const client = clientAt(new Responding());
    await client.send(get('a'));
    const seen: unknown[] = [];
    client.middlewareStack.add(
      (next) => async (call) => {
        seen.push(call.input);
        return next(call);
      },
      { step: 'initialize', name: 'seer' },
    );
    await client.send(get('b'));
    client.middlewareStack.remove('seer');
    await client.send(get('c'));
    expect(seen).toEqual([{ TableName: 't', Key: { id: 'b' } }]);
  });

  it('gives up a call whose signal is aborted, and no other', async () => {
    const handler = new Responding();
    const client = clientAt(handler);
    const bySdk = serializedBySdk(client);
    const abortSignal = new AbortController().signal;
    await client.send(get('a'), { abortSignal });
    const aborted = { name: 'AbortError' };
    await expect(client.send(get('b'), { abortSignal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    expect((await client.send(get('c'), { abortSignal })).Item).toEqual({ id: 'c' });
    expect(handler.bodies('Key')).toEqual([{ id: { S: 'a' } }, { id: { S: 'c' } }]);
    expect(bySdk).toHaveBeenCalledTimes(1);
  });

  it('gives up a call that is aborted while it waits for credentials or for a response', async () => {
    const hanging = createServer();
    const endpoint = await listening(hanging);
    onTestFinished(() => hanging.closeAllConnections());
    onTestFinished(() => void hanging.close());
    const reached = once(hanging, 'request');
    const { promise: never } = Promise.withResolvers<never>();
    const requestHandler = new Responding();
    const abort = new AbortController();
    const calls = [{ endpoint }, { requestHandler, credentials: () => never }].map((config) =>
      leanDocumentClient({ ...localConnection(), ...config }, Number).send(get('a'), { abortSignal: abort.signal }),
    );
    const ended = Promise.allSettled(calls);
    await reached;
    abort.abort();
    const reason = expect.objectContaining({ name: 'AbortError' });
    expect(await ended).toEqual(Array(2).fill({ status: 'rejected', reason }));
    expect(requestHandler.sent).toEqual([]);
  });
});
