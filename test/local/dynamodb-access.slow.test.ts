import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { localConnection, superviseDynamoDb } from '#local-dynamodb';
import { findEngine } from '../../local/dynamodb/choose.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';

/**
 * Who reaches the embedded DynamoDB of this machine, as npm start keeps it in memory: web pages, and other programs.
 */

async function addressOf(engine: EngineName): Promise<string> {
  const supervisor = { onDeath: () => undefined, onRestart: async () => undefined, onGivenUp: () => undefined };
  const { endpoint, stop } = await superviseDynamoDb({ dataDir: ':memory:', engine }, supervisor);
  onTestFinished(stop);
  await new DynamoDBClient(localConnection(endpoint)).send(new ListTablesCommand({}));
  return endpoint;
}

const PAGE = { Origin: 'https://evil.example' };

it.skipIf('missing' in (await findEngine('java')))(
  'DynamoDB Local answers only who has its access key and names a loopback host, and no page',
  async () => {
    const {
      endpoint,
      credentials: { accessKeyId },
    } = localConnection(await addressOf('java'));
    expect(accessKeyId).toMatch(/^[\da-f]{32}$/);
    const { port } = new URL(endpoint);
    const { status } = await listTables(endpoint, { accessKeyId, Host: `localhost:${port}` });
    expect(status).toBe(200);
    const refused = { status: 400, body: expect.stringContaining('UnrecognizedClientException') };
    for (const [who, asked] of Object.entries({
      'a page whose name leads here': { accessKeyId, ...PAGE, Host: `evil.example:${port}` },
      'a host that begins as ours': { accessKeyId, Host: `127.0.0.1.evil.example:${port}` },
      'the key that every emulator takes': localConnection().credentials,
      'a prefix of the key': { accessKeyId: accessKeyId.slice(0, -1) },
      'no key': {},
    })) {
      expect(await listTables(endpoint, asked), who).toMatchObject(refused);
    }
    const preflight = await send(endpoint, 'OPTIONS', {
      ...{ ...PAGE, 'Access-Control-Request-Method': 'POST' },
      'Access-Control-Request-Headers': 'authorization,x-amz-target',
    });
    for (const { headers } of [preflight, await listTables(endpoint, { accessKeyId, ...PAGE })])
      expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);

it.skipIf('missing' in (await findEngine('dynoxide')))(
  'dynoxide, which answers every page, listens on one of 16 million addresses, another one each time',
  async () => {
    const hosts = await Promise.all([1, 2].map(async () => new URL(await addressOf('dynoxide')).hostname));
    expect(hosts).toEqual(Array(2).fill(expect.stringMatching(/^127\.\d+\.\d+\.\d+$/)));
    expect(new Set(hosts).size).toBe(2);
  },
);

interface Asked {
  readonly accessKeyId?: string;
  readonly Host?: string;
  readonly Origin?: string;
}

const listTables = (endpoint: string, { accessKeyId, ...headers }: Asked) => {
  const Credential = `${accessKeyId}/20250101/local/dynamodb/aws4_request`;
  const Authorization = `AWS4-HMAC-SHA256 Credential=${Credential}, SignedHeaders=host, Signature=0`;
  return send(endpoint, 'POST', {
    ...{ ...headers, 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Date': '20250101T000000Z' },
    'X-Amz-Target': 'DynamoDB_20120810.ListTables',
    ...(accessKeyId !== undefined && { Authorization }),
  });
};

async function send(endpoint: string, method: string, headers: Readonly<Record<string, string>>) {
  const sent = request(endpoint, { method, headers }).end(method === 'POST' ? '{}' : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
