import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '#contract';
import { configureTable } from '#table';
import { logger } from '#telemetry';
import { type Api, startApi } from '../support/api.ts';
import { dumpOf, type RawItem } from '../support/table-dump.ts';

/** Functions log enough of an error to find its cause, but none of its data. */

/**
 * Gives failed conditions of transactions, with their items, an unknown reason, so that the error is passed on
 * unchanged.
 */
class OddReasons extends NodeHttpHandler {
  /** The responses that were changed. */
  readonly changed: string[] = [];

  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    const { response } = await super.handle(request, options);
    if (response.statusCode !== 400) return { response };
    const text = String(response.body);
    const odd = text.replaceAll('"ConditionalCheckFailed"', '"ItemCollectionSizeLimitExceeded"');
    if (odd !== text) this.changed.push(odd);
    // Its length and checksum would be those of the text before.
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: new HttpResponse({ statusCode: 400, headers, body: Readable.from([Buffer.from(odd)]) }) };
  }
}

let written = '';
const listen = (): void => {
  written = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  }
};

const lines = (): Record<string, unknown>[] =>
  written.split('\n').flatMap((line) => (line.startsWith('{"level":"ERROR"') ? [JSON.parse(line)] : []));

describe('a failure of a request', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('is logged without the items of the table that its error carries', async () => {
    const { token } = await api.orgToken();
    const appCode = `twice-${randomUUID()}`;
    const create = () =>
      api.request('POST', '/api/v1/integrations', { token, body: { app_code: appCode, display_name: 'Twice' } });
    await create();
    const handler = new OddReasons();
    configureTable({ requestHandler: handler });
    listen();
    const { status, body } = await create();
    expect([status, body.detail]).toEqual([500, undefined]);

    const items = await dumpOf(api.table);
    const credentials = items.filter(({ SK }) => SK?.S === appCode);
    const values = credentials.flatMap(textsIn).filter((text) => text.length > 20);
    expect(values.length).toBeGreaterThan(2);
    // The error did carry them.
    expect(values.filter((value) => !handler.changed.join().includes(value))).toEqual([]);
    const [line] = lines();
    expect(line).toMatchObject({
      message: 'The service failed',
      request_id: expect.any(String),
      operation: 'createIntegration',
      error: {
        name: 'TransactionCanceledException',
        status: 400,
        stack: expect.stringContaining('commit.ts'),
      },
    });
    expect(values.filter((value) => written.includes(value))).toEqual([]);
  });
});

/** Every text in an item. */
const textsIn = (item: RawItem): string[] =>
  Array.from(JSON.stringify(item).matchAll(/"([^"]*)"/g), ([, text = '']) => text);

describe('a logged error', () => {
  const errorIn = async (error: Error): Promise<unknown> => {
    listen();
    logger.error('it failed', { error });
    return lines()[0]?.error;
  };

  it('has its name, message, code, status and stack, and the same of its causes', async () => {
    const cause = Object.assign(new TypeError('read ECONNRESET'), { code: 'ECONNRESET', Item: { secret: 'x' } });
    const error = Object.assign(new Error('no answer', { cause }), { $metadata: { httpStatusCode: 503 }, headers: {} });
    expect(await errorIn(error)).toEqual({
      name: 'Error',
      message: 'no answer',
      status: 503,
      stack: error.stack,
      cause: { name: 'TypeError', message: 'read ECONNRESET', code: 'ECONNRESET', stack: cause.stack },
    });
  });

  it('has nothing of a cause that is no error, of a code that is none, or of what a caller sent', async () => {
    const errors = [{ in: 'body' as const, pointer: '#/email', detail: 'someone@acme.example' }];
    const error = Object.assign(new Problem('invalid-body', { errors, cause: { Item: 'secret' } }), { code: {} });
    expect(Object.keys((await errorIn(error)) as object)).toEqual(['name', 'message', 'status', 'stack']);
  });

  it('ends, also when it is its own cause', async () => {
    const error = new Error('round');
    error.cause = error;
    expect(await errorIn(error)).toMatchObject({ name: 'Error', cause: { message: 'round' } });
  });
});
