import { once } from 'node:events';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endpointAndKey, LOCAL_CREDENTIALS, localDynamoDbClient } from '../../local/dynamodb/client.ts';
import { findDynoxide } from '../../local/dynamodb/dynoxide.ts';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { findDynamoDbLocal } from '../../local/dynamodb/java.ts';
import { superviseDynamoDb } from '../../local/dynamodb/supervise.ts';
import { createTable } from '../../local/dynamodb/table.ts';
import { freshDirectory } from '../support/directory.ts';

/** Who reaches the embedded DynamoDB of this machine: web pages, other programs, readers of the data directory. */

const PAGE = { Origin: 'https://evil.example' };
const isMissing = { java: 'missing' in (await findDynamoDbLocal()), dynoxide: 'missing' in (await findDynoxide()) };
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe.skipIf(isMissing.java)('DynamoDB Local', () => {
  it.each([
    ['over a data directory', async () => startFor(await freshDirectory())],
    ['in memory, as npm start keeps it', () => superviseFor(':memory:')],
  ])('answers only who has its access key and names a loopback host, and no page: %s', async (_, begin) => {
    const address = await begin();
    const { endpoint, accessKeyId } = endpointAndKey(address);
    await localDynamoDbClient(address).send(new ListTablesCommand({}));
    expect(accessKeyId).toMatch(/^[\da-f]{32}$/);

    const { port } = new URL(endpoint);
    const { status } = await listTables(endpoint, { accessKeyId, Host: `localhost:${port}` });
    expect(status).toBe(200);
    for (const [who, asked] of Object.entries({
      'a page whose name leads here': { accessKeyId, ...PAGE, Host: `evil.example:${port}` },
      'a host that begins as ours': { accessKeyId, Host: `127.0.0.1.evil.example:${port}` },
      'the key that every emulator takes': LOCAL_CREDENTIALS,
      'the beginning of the key': { accessKeyId: accessKeyId.slice(0, -1) },
      'no key': {},
    })) {
      expect(await listTables(endpoint, asked), who).toMatchObject({
        status: 400,
        body: expect.stringContaining('UnrecognizedClientException'),
      });
    }
    const preflight = await send(endpoint, 'OPTIONS', {
      ...PAGE,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,x-amz-target',
    });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
    const seen = await listTables(endpoint, { accessKeyId, ...PAGE });
    expect(seen.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe.skipIf(isMissing.dynoxide)('dynoxide, which answers every page', () => {
  it('listens on one of 16 million addresses, another one each time', async () => {
    const addresses = await Promise.all([1, 2].map(() => superviseFor(':memory:', 'dynoxide')));
    const [one = '', other = ''] = addresses.map((address) => new URL(address).hostname);
    expect([one, other]).toEqual(Array(2).fill(expect.stringMatching(/^127\.\d+\.\d+\.\d+$/)));
    expect(one).not.toBe(other);
    for (const address of addresses) await localDynamoDbClient(address).send(new ListTablesCommand({}));
  });
});

describe.each(['java', 'dynoxide'] as const)('the data directory of %s', (engine) => {
  it.skipIf(isMissing[engine])('is its owner’s only, also one of an older release; its data stays', async () => {
    const dataDir = await freshDirectory();
    const first = await startDynamoDb({ dataDir, engine });
    onTestFinished(first.stop);
    await createTable(localDynamoDbClient(first.endpoint), 'kept');
    const modes = async () => {
      const names = await readdir(dataDir);
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await modeOf(join(dataDir, name))])),
      );
    };
    expect(new Set(Object.values(await modes()))).toEqual(new Set(['600']));
    expect(await readFile(join(dataDir, 'dynamodb.endpoint'), 'utf8')).toBe(first.endpoint);
    await first.stop();

    for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
    const second = await startFor(dataDir, engine);
    expect(new Set(Object.values(await modes()))).toEqual(new Set(['600']));
    // Under another access key.
    expect(second).not.toBe(first.endpoint);
    const { TableNames } = await localDynamoDbClient(second).send(new ListTablesCommand({}));
    expect(TableNames).toEqual(['kept']);
  });
});

async function startFor(dataDir: string, engine: EngineName = 'java'): Promise<string> {
  const { endpoint, stop } = await startDynamoDb({ dataDir, engine });
  onTestFinished(stop);
  return endpoint;
}

async function superviseFor(dataDir: string, engine: EngineName = 'java'): Promise<string> {
  const supervisor = { onDeath: () => undefined, onRestart: async () => undefined, onGivenUp: () => undefined };
  const { endpoint, stop } = await superviseDynamoDb({ dataDir, engine }, supervisor);
  onTestFinished(stop);
  return endpoint;
}

interface Asked {
  readonly accessKeyId?: string;
  readonly Host?: string;
  readonly Origin?: string;
}

const listTables = (endpoint: string, { accessKeyId, ...headers }: Asked) => {
  const Credential = `${accessKeyId}/20250101/local/dynamodb/aws4_request`;
  const Authorization = `AWS4-HMAC-SHA256 Credential=${Credential}, SignedHeaders=host, Signature=0`;
  return send(endpoint, 'POST', {
    ...headers,
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': 'DynamoDB_20120810.ListTables',
    'X-Amz-Date': '20250101T000000Z',
    ...(accessKeyId !== undefined && { Authorization }),
  });
};

async function send(endpoint: string, method: string, headers: Readonly<Record<string, string>>) {
  const [response] = await once(
    request(endpoint, { method, headers }).end(method === 'POST' ? '{}' : undefined),
    'response',
  );
  const { statusCode: status, headers: received } = response as { statusCode: number; headers: IncomingHttpHeaders };
  return { status, headers: received, body: await text(response) };
}
