import { Readable } from 'node:stream';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { leanDocumentClient } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localConnection } from '../../../local/dynamodb/index.ts';
import { codePoint } from '../../../test/support/code-point.ts';
import { bodyOf } from '../../../test/support/faults.ts';

/** The lean client compared with the SDK's own: their requests, and their results from a response. */

type Sent = Parameters<NodeHttpHandler['handle']>[0];
type Command = object;

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

/** Records requests; returns the responses in order, the last one repeatedly. */
class Responding extends NodeHttpHandler {
  sent: Sent[] = [];
  replies: Reply[];

  constructor(...replies: Reply[]) {
    super();
    this.replies = replies;
  }

  override async handle(request: Sent) {
    this.sent.push(request);
    const { status, headers = {}, body } = (this.replies.length > 1 ? this.replies.shift() : this.replies[0]) as Reply;
    const stream = Readable.from(body === '' ? [] : [Buffer.from(body)]);
    return { response: new HttpResponse({ statusCode: status, headers: { ...headers }, body: stream }) };
  }
}

const OK: Reply = { status: 200, body: '{}' };

/** Numbers as texts, so that none is made another one on the way. */
const exact = (text: string): bigint | number => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text));

const CONFIG: DynamoDBClientConfig = { ...localConnection(), maxAttempts: 2 };

const sdkClient = (config: DynamoDBClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(config), { unmarshallOptions: { wrapNumbers: exact } });
const leanClient = (config: DynamoDBClientConfig): DynamoDBDocumentClient => leanDocumentClient(config, exact);

/** The outcome of a command: the request, and the output or the error. */
type Outcome = (command: Command, replies: readonly Reply[]) => Promise<{ readonly sent: Sending[]; ended: unknown }>;
type Sending = ReturnType<typeof comparable>;

function outcomes(make: typeof sdkClient, config: DynamoDBClientConfig = {}): Outcome {
  const handler = new Responding();
  const client = make({ ...CONFIG, ...config, requestHandler: handler });
  const send = client.send.bind(client) as (command: Command) => Promise<object>;
  return async (command, replies) => {
    handler.sent = [];
    handler.replies = [...replies];
    const [settled] = await Promise.allSettled([send(command)]);
    const ended = settled.status === 'fulfilled' ? settled.value : described(settled.reason);
    return { sent: handler.sent.map(comparable), ended: withoutDelay(ended) };
  };
}

/** Sends a command by the SDK's client and by ours, and expects the same outcome. */
function comparison(config: DynamoDBClientConfig = {}) {
  const [bySdk, byOurs] = [outcomes(sdkClient, config), outcomes(leanClient, config)];
  return async (command: () => Command, replies: readonly Reply[] = [OK]) => {
    const ours = await byOurs(command(), replies);
    expect(ours).toStrictEqual(await bySdk(command(), replies));
    return ours;
  };
}

/** Of each call its own, or of no use to DynamoDB and therefore left out. */
const OTHERS = ['amz-sdk-invocation-id', 'authorization', 'x-amz-date', 'user-agent', 'x-amz-user-agent'];

function comparable(sent: Sent) {
  const { method, protocol, hostname, port, path, query, headers } = sent;
  const compared = Object.entries(headers).filter(([name]) => !OTHERS.includes(name));
  return { method, protocol, hostname, port, path, query, headers: Object.fromEntries(compared), body: bodyOf(sent) };
}

/** How long a client waited before a retry is a matter of chance. */
function withoutDelay(ended: object): object {
  const { $metadata } = ended as { readonly $metadata?: object };
  return { ...ended, $metadata: { ...$metadata, totalRetryDelay: 0 } };
}

/** All that an error has, with what is hidden of the response. */
function described(error: Error & { readonly $response?: Sent }) {
  const { $response: response, ...own } = error;
  const { statusCode, headers } = (response ?? {}) as unknown as HttpResponse;
  return { ...own, type: error.constructor, message: error.message, response: { statusCode, headers } };
}

// Special to JavaScript, and nothing that an item can be read with: the SDK loses or refuses them.
const SPECIAL = new Set(['__proto__', 'constructor']);
const name = fc
  .oneof(fc.string({ unit: codePoint, minLength: 1, maxLength: 6 }), fc.constantFrom('toString', 'S', 'é"\\\n', '💶'))
  .filter((key) => !SPECIAL.has(key));
const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.constantFrom('', '\ud800', 'a\udc00', '\u0000\u001f\u007f\u2028', 'é💶'),
);
const finite = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e9, max: 1e9 }), fc.constant(-0));
const bytes = fc.uint8Array({ maxLength: 5 });

/** Whatever an item may have. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  leaf: fc.oneof(text, finite, fc.boolean(), fc.constant(null), fc.bigInt(), bytes),
  set: fc.oneof(
    fc.array(text, { minLength: 1, maxLength: 3 }).map((of) => new Set<unknown>(of)),
    fc.array(finite, { minLength: 1, maxLength: 3 }).map((of) => new Set<unknown>(of)),
    fc.array(fc.bigInt(), { minLength: 1, maxLength: 3 }).map((of) => new Set<unknown>(of)),
    fc.array(bytes, { minLength: 1, maxLength: 3 }).map((of) => new Set<unknown>(of)),
  ),
  map: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    tie('leaf'),
    tie('set'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
    tie('map').map((of) => new Map(Object.entries(of as object))),
  ),
})).value;
const item = fc.dictionary(name, value, { maxKeys: 4 });

const table = { TableName: 't' };
const names = { '#a': 'a"é' };

/** A command of every kind that has an item, with everything that the service and its tests say in one. */
const commandsWith = (Item: Record<string, unknown>): (() => Command)[] => {
  const values = { ExpressionAttributeNames: names, ExpressionAttributeValues: Item };
  const write = { ...values, ...table, ConditionExpression: '#a = :a' };
  const Put = { ...write, Item, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  const Update = { ...write, Key: Item, UpdateExpression: 'SET #a = :a' };
  return [
    () => new GetCommand({ ConsistentRead: true, Key: Item, ...table, ReturnConsumedCapacity: 'TOTAL' }),
    () => new PutCommand(Put),
    () => new UpdateCommand({ ...Update, ReturnValues: 'ALL_NEW' }),
    () => new DeleteCommand({ ...write, Key: Item }),
    () => new QueryCommand({ ...values, ...table, Limit: 25, ScanIndexForward: false, ExclusiveStartKey: Item }),
    () => new ScanCommand({ ...table, Segment: 0, TotalSegments: 4, ExclusiveStartKey: Item }),
    () => new BatchGetCommand({ RequestItems: { t: { Keys: [Item, Item], ConsistentRead: true } } }),
    () => new BatchWriteCommand({ RequestItems: { t: [{ PutRequest: { Item } }, { DeleteRequest: { Key: Item } }] } }),
    () => new TransactGetCommand({ TransactItems: [{ Get: { ...table, Key: Item } }] }),
    () =>
      new TransactWriteCommand({
        ClientRequestToken: 'token',
        TransactItems: [
          { Put },
          { Update },
          { Delete: { ...write, Key: Item } },
          { ConditionCheck: { ...write, Key: Item } },
        ],
      }),
  ];
};

const CAPACITY = { TableName: 't', CapacityUnits: 0.5, Table: { CapacityUnits: 0.5 } };

/** Everything with items or other parts in responses. A transaction has a list for its responses and its capacity, a batch has maps. */
const respondWith = (Item: object, kind = ''): Reply => ({
  status: 200,
  headers: { 'x-amzn-requestid': 'R', 'x-amz-crc32': '1' },
  body: JSON.stringify({
    Item,
    Attributes: Item,
    Items: [Item, Item],
    Count: 2,
    LastEvaluatedKey: Item,
    Responses: kind.startsWith('Transact') ? [{ Item }, {}] : { t: [Item] },
    UnprocessedKeys: { t: { Keys: [Item] } },
    UnprocessedItems: { t: [{ PutRequest: { Item } }] },
    ItemCollectionMetrics: null,
    ConsumedCapacity: /^(Transact|Batch)/.test(kind) ? [CAPACITY] : CAPACITY,
    Unknown: 1,
  }),
});
const kindOf = (command: () => Command): string => command().constructor.name;

describe('the lean document client, beside the SDK’s own', () => {
  it.each(commandsWith({}).map((command, index) => [kindOf(command), index] as const))(
    'sends a %s byte for byte, and makes the same of the response',
    async (kind, index) => {
      const [send, compare] = [outcomes(sdkClient), comparison()];
      const calls = fc.asyncProperty(item, async (Item) => {
        const { sent } = await send(new PutCommand({ ...table, Item }), [OK]);
        const reply = respondWith(JSON.parse(sent[0]?.body ?? '').Item, kind);
        await compare(commandsWith(Item)[index] as () => Command, [reply]);
      });
      await fc.assert(calls, { numRuns: 40 });
    },
  );

  it.each([
    ['undefined in a map', { map: { a: undefined } }],
    ['undefined in a list', { list: [undefined] }],
    ['an empty set', { set: new Set() }],
    ['a date', { date: new Date(0) }],
    ['a number that is none', { number: Number.NaN }],
    ['a number that is not exact', { number: 2 ** 53 }],
    ['functions, which are left out', { f: () => 1, map: { f: () => 1 }, list: [() => 1, 2] }],
    ['undefined in the item itself, which is left out', { a: undefined, b: 1 }],
  ])('takes or refuses %s', async (_, Item) => {
    const compare = comparison();
    for (const command of commandsWith(Item)) await compare(command);
  });

  it('writes a map with a name that the SDK takes for its class', async () => {
    const command = () => new PutCommand({ ...table, Item: { map: { constructor: 'x' } } });
    const { sent } = await outcomes(leanClient)(command(), [OK]);
    expect(sent.map(({ body }) => JSON.parse(body).Item)).toEqual([{ map: { M: { constructor: { S: 'x' } } } }]);
    expect((await outcomes(sdkClient)(command(), [OK])).sent).toEqual([]);
  });

  it('gives a transaction a token of its own, the same in every attempt', async () => {
    const retried = [{ status: 500, body: '{}' }, OK];
    const command = () => new TransactWriteCommand({ TransactItems: [{ Put: { ...table, Item: { a: 1 } } }] });
    const send = outcomes(leanClient);
    const sent = [...(await send(command(), retried)).sent, ...(await send(command(), [OK])).sent];
    const tokens = sent.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(tokens[0]).toMatch(/^[\da-f-]{36}$/);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[0]);
  });

  const TYPE = 'com.amazonaws.dynamodb.v20120810#';
  const error = (status: number, type: string, more: object = {}): Reply => ({
    status,
    headers: { 'x-amzn-requestid': 'R', date: new Date().toUTCString() },
    body: JSON.stringify({ __type: TYPE + type, message: 'why', ...more }),
  });
  const ITEM = { Item: { a: { S: 'x' }, n: { N: '1' }, b: { B: 'AAE=' } } };
  it.each<[string, Reply[]]>([
    ['a failed condition, with its item', [error(400, 'ConditionalCheckFailedException', ITEM)]],
    [
      'a cancelled transaction, with its reasons',
      [
        error(400, 'TransactionCanceledException', {
          CancellationReasons: [{ Code: 'ConditionalCheckFailed', Message: 'm', ...ITEM }, { Code: 'None' }],
        }),
      ],
    ],
    ['an invalid call', [error(400, 'ValidationException')]],
    ['an expired session', [error(400, 'ExpiredTokenException')]],
    ['an error that the SDK does not know', [error(400, 'NewException')]],
    ['throttling, again and again', [error(400, 'ThrottlingException')]],
    ['a failure and then an answer', [error(500, 'InternalServerError'), respondWith({ a: { S: 'x' } })]],
    ['an error without a body', [{ status: 503, body: '' }, OK]],
    ['an error that is no JSON', [{ status: 400, headers: { 'x-amzn-requestid': 'R' }, body: '<html>' }]],
    ['an answer that is no JSON', [{ status: 200, headers: { 'x-amzn-requestid': 'R' }, body: '{"Item":{"a"' }]],
    ['an answer without a body', [{ status: 200, body: '' }]],
  ])('ends the same with %s', async (_, replies) => {
    const { sent, ended } = await comparison()(() => new GetCommand({ ...table, Key: { a: 1 } }), replies);
    expect(sent.length).toBeGreaterThan(0);
    expect(ended).toBeDefined();
  });

  it.each<[string, DynamoDBClientConfig]>([
    ['a region', { region: 'eu-central-1' }],
    ['a region of China', { region: 'cn-north-1' }],
    ['an address', { endpoint: 'http://127.0.0.1:8000' }],
    ['an address with a path', { endpoint: 'https://proxy.example/table' }],
    ['an account', { credentials: { ...localConnection().credentials, accountId: '123456789012' } }],
    ['FIPS', { region: 'us-east-1', useFipsEndpoint: true }],
    ['a session', { credentials: { ...localConnection().credentials, sessionToken: 'token' } }],
  ])('calls the endpoint of %s', async (_, config) => {
    await comparison(config)(() => new GetCommand({ ...table, Key: { a: 1 } }));
  });

  it('ends the same without credentials', async () => {
    const credentials = () => Promise.reject(new Error('none'));
    const { sent, ended } = await comparison({ credentials })(() => new GetCommand({ ...table, Key: { a: 1 } }));
    expect(sent).toEqual([]);
    expect(ended).toMatchObject({ message: 'none' });
  });

  it('calls another account’s endpoint when its credentials are of another account', async () => {
    const handler = new Responding(OK);
    let account = 111111111111;
    const credentials = async () => ({
      ...localConnection().credentials,
      accountId: String(account++),
      // So short a session is renewed before each call.
      expiration: new Date(Date.now() + 1_000),
    });
    const client = leanClient({ ...CONFIG, credentials, requestHandler: handler });
    for (const id of ['a', 'b']) await client.send(new GetCommand({ ...table, Key: { id } }));
    const hosts = handler.sent.map(({ hostname, headers }) => [hostname, headers.host]);
    expect(hosts[0]?.[0]).toMatch(/^\d{12}\.ddb\./);
    expect(hosts[1]?.[0]).toMatch(/^\d{12}\.ddb\./);
    expect(hosts[1]?.[0]).not.toBe(hosts[0]?.[0]);
    for (const [hostname, host] of hosts) expect(host).toBe(hostname);
  });

  it.each([sdkClient, leanClient])('corrects its clock by the responses of DynamoDB: %s', async (make) => {
    const ahead = Date.now() + 3_600_000;
    const date = new Date(ahead).toUTCString();
    const refused: Reply = { ...error(400, 'InvalidSignatureException'), headers: { date } };
    const handler = new Responding(refused, OK);
    // Tests on another day switch it off.
    const client = make({ ...CONFIG, requestHandler: handler, disableClockSkewCorrection: false });
    await client.send(new GetCommand({ ...table, Key: { a: 1 } }));
    const days = handler.sent.map(({ headers }) => headers['x-amz-date'] ?? '');
    expect(days).toHaveLength(2);
    const [early = 0, late = 0] = days.map((of) => Date.parse(of.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')));
    expect(late - early).toBeGreaterThan(3_500_000);
  });
});
