import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { vi } from 'vitest';
import { configureTable } from '#table';
import { listening } from './listening.ts';

/** AWS services over HTTP, so that commands use the SDK's signing and retries. */

export interface Asked {
  /** `logs.StartQuery`, or for AWS Backup `backup/backup-jobs/`. */
  readonly what: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The response: JSON with status 200, or with the given status. */
export type Responding = (asked: Asked, index: number) => object | { readonly status: number; readonly body: object };

export interface AwsStub {
  readonly asked: Asked[];
  readonly stop: () => void;
}

/**
 * Starts the services, and makes this process call them. It stubs environment variables, which
 * `test/support/restore.ts` restores.
 */
export async function startAwsStub(responding: Responding): Promise<AwsStub> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://aws');
    const text = await textOf(request);
    const service = /\/([a-z]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1] ?? 'unsigned';
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    const question: Asked = {
      what: target === undefined ? `${service}${url.pathname}` : `${service}.${target}`,
      input: text === '' ? Object.fromEntries(url.searchParams) : JSON.parse(text),
    };
    const reply = responding(question, asked.push(question) - 1);
    const [status, body] = 'status' in reply && 'body' in reply ? [reply.status, reply.body] : [200, reply];
    response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const address = await listening(server);
  for (const service of ['CLOUDWATCH_LOGS', 'BACKUP', 'DYNAMODB']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, address);
  vi.stubEnv('TABLE_NAME', 'records');
  configureTable({ region: 'eu-west-1', credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' } });
  return { asked, stop: () => server.close() };
}
