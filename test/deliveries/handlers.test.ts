import { Readable } from 'node:stream';
import { leanDocumentClient, sqsOf } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureTable } from '#table';
import { handler as deliver } from '../../functions/deliveries/handler.ts';
import { handler as schedule } from '../../functions/delivery-schedule/handler.ts';
import { handler as wake } from '../../functions/delivery-wake-up/handler.ts';
import type { Message } from '../../functions/events/deliveries/queue.ts';
import { useQueue } from '../../functions/events/deliveries/queue.ts';
import { setFunctionEnvironment } from '../../local/environment.ts';
import { DeliveryWorld } from '../support/delivery-world.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { written } from '../support/lines.ts';

/** The functions of deliveries, as Lambda calls them. */

const ORG = '5a4c2bb4-1d05-4d1b-9d53-6a1f2c7b8e90';

let sent: Message[] = [];
beforeEach(() => {
  sent = [];
  useQueue({ send: async (messages) => void sent.push(...messages) });
});

const streamOf = (...partitions: readonly unknown[]): DynamoDBStreamEvent => ({
  Records: partitions.map((PK) => ({
    eventName: 'INSERT',
    dynamodb: { Keys: { PK: { S: PK }, SK: { S: '0' } } },
  })) as never,
});

describe('the function of the stream', () => {
  it('sends a message for each tenant, and ignores what is no journal', async () => {
    const journal = `ORG#${ORG}#EVENT`;
    await wake(
      streamOf(
        journal,
        'ORG#PLATFORM#EVENT',
        journal,
        `ORG#${ORG}#EVENT#SET`,
        `ORG#${ORG}#WEBHOOK_EVENT`,
        'ORG##EVENT',
      ),
    );
    expect(sent).toEqual([{ tenant: ORG }, { tenant: 'PLATFORM' }]);
  });

  it.each([
    {},
    { Records: [] },
    { Records: [{}] },
    { Records: [{ dynamodb: {} }, { dynamodb: { Keys: { PK: { N: '1' } } } }] },
    streamOf(7, null),
  ])('says nothing about an odd batch: %j', async (event) => {
    const { lines } = await written(() => wake(event as DynamoDBStreamEvent));
    expect([sent, lines]).toEqual([[], []]);
  });
});

describe('with a table', () => {
  let place: FreshTable;
  beforeAll(async () => {
    place = await freshTable();
  });
  const configure = ({ tableName, endpoint }: FreshTable): void => {
    setFunctionEnvironment({ tableName, endpoint, keyFile: '', firstKey: false });
    delete process.env.KEY_FILE;
    configureTable({});
  };
  const begin = async () => {
    configure(place);
    const acme = await new DeliveryWorld(place).organization();
    await acme.endpoint({ url: 'http://127.0.0.1:9/' });
    return acme;
  };
  const received = (...bodies: readonly string[]): SQSEvent => ({
    Records: bodies.map((body, index) => ({ messageId: String(index), body })) as never,
  });

  it('the schedule publishes metrics only if there is an endpoint', async () => {
    configure(await freshTable());
    expect(await written(schedule)).toMatchObject({ lines: [] });
    await begin();
    expect((await written(schedule)).lines).toMatchObject([{ domain: 'delivery-schedule', outcome: 'done' }]);
  });

  it('the schedule wakes only endpoints that are behind', async () => {
    const [acme, other] = [await begin(), await begin()];
    await schedule();
    sent = [];
    await deliver(received(JSON.stringify({ tenant: acme.id }), JSON.stringify({ tenant: other.id })));
    await acme.change();
    await schedule();
    expect(sent.filter(({ tenant }) => [acme.id, other.id].includes(tenant))).toEqual([
      { tenant: acme.id, endpointId: expect.any(String) },
    ]);
  });

  it('the worker drops unknown messages, and has failed ones received again', async () => {
    const acme = await begin();
    await acme.change();
    vi.stubEnv('EVENT_TARGETS', 'loopback');
    const good = JSON.stringify({ tenant: acme.id });
    const { lines } = await written(async () =>
      expect(await deliver(received('{', '7', good))).toEqual({ batchItemFailures: [] }),
    );
    const none = 'ignored an unknown message of the queue';
    expect(lines.map(({ message }) => message)).toEqual([none, none, 'request']);
    expect(lines[2]).toMatchObject({ domain: 'deliveries', outcome: 'done', tenant: acme.id, DeliveriesFailed: 1 });
    // Nobody listens there: the endpoint is called again later.
    expect(sent).toEqual([{ tenant: acme.id, endpointId: expect.any(String), delaySeconds: expect.any(Number) }]);
    useQueue({ send: () => Promise.reject(new Error('the queue is away')) });
    const [one, another] = [await begin(), await begin()];
    await Promise.all([one.change(), another.change()]);
    await written(async () => {
      const failing = received('{', JSON.stringify({ tenant: one.id }));
      expect(await deliver(failing)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
      await expect(deliver(received(JSON.stringify({ tenant: another.id })))).rejects.toThrow('have failed');
    });
  });
});

describe('the queue of SQS', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('gets messages in groups by tenant, and throws if one is refused', async () => {
    const asked: { readonly target: unknown; readonly host: string; readonly body: string }[] = [];
    let failed: readonly object[] = [];
    vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async ({ headers, hostname, body }) => {
      asked.push({ target: headers['x-amz-target'], host: hostname, body: String(body) });
      const text = JSON.stringify({ Successful: [], Failed: failed });
      return { response: new HttpResponse({ statusCode: 200, headers: {}, body: Readable.from([Buffer.from(text)]) }) };
    });
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
    const url = 'https://sqs.eu-west-1.amazonaws.com/111122223333/q';
    const send = sqsOf(leanDocumentClient({ region: 'eu-west-1', credentials }, Number), url);
    await send([{ body: '{}', group: ORG, delaySeconds: 6 }]);
    expect(asked).toMatchObject([{ target: 'AmazonSQS.SendMessageBatch', host: 'sqs.eu-west-1.amazonaws.com' }]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      QueueUrl: url,
      Entries: [{ Id: '0', MessageBody: '{}', MessageGroupId: ORG, DelaySeconds: 6 }],
    });
    failed = [{ Id: '0', Code: 'InternalError' }];
    await expect(send([{ body: '{}', group: ORG, delaySeconds: 0 }])).rejects.toThrow('refused 1 of 1');
  });
});
