import { createServer, request } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { addingTo, createTable, localConnection, meter } from '#local-dynamodb';
import { signed } from '../functions/events/deliveries/call.ts';
import { sendWith } from '../functions/events/deliveries/send.ts';
import { work } from '../functions/events/deliveries/work.ts';
import { markdown } from '../generate/markdown.ts';
import { systemClock } from '../shared/clock.ts';
import { journalEntity, RequestSession } from '../shared/table/index.ts';
import { DeliveryWorld, type Endpoint, SECRET } from '../test/support/delivery-world.ts';
import type { FreshTable } from '../test/support/dynamodb.ts';
import { listening } from '../test/support/listening.ts';
import { tableAt } from '../test/support/storage.ts';
import type { Bound } from './bounds.ts';
import { runBench, writeFigures } from './harness.ts';

interface DeliveriesOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine: 'java' | 'dynoxide';
}

/** Measures deliveries to a receiver on this machine. @returns whether every bound holds */
export const benchDeliveries = ({ small, writeDocs, engine }: DeliveriesOptions): Promise<boolean> =>
  runBench(engine, async ({ endpoint, report, print }) => {
    report('delivering');
    const measured = await throughput(endpoint, small ? 500 : 5_000);
    const table = throughputTable(measured);
    print(`${table}\n`);
    if (writeDocs) await writeFigures('performance.md', 'bench:deliveries', table);
    return throughputBounds(measured);
  });

/** What one worker does. */
interface Throughput {
  readonly batchSize: number;
  /** Events a second. */
  readonly delivered: number;
  /**
   * Events a second of the simplest worker, which has no lease, permissions, open numbers and checks of the address.
   */
  readonly simply: number;
  /** For each delivered event. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly calls: number;
}

const BATCH_SIZES = [1, 10, 100] as const;

/** Delivers this number of events in batches of each size. */
export async function throughput(endpoint: string, events: number): Promise<Throughput[]> {
  const place = { client: new DynamoDBClient(localConnection(endpoint)), tableName: 'deliveries', endpoint };
  await createTable(endpoint, place.tableName);
  let deliveries = 0;
  const receiver = createServer((incoming, response) => {
    deliveries += 1;
    incoming.resume().on('end', () => response.writeHead(204).end());
  });
  const url = `${await listening(receiver)}/`;
  const measured: Throughput[] = [];
  for (const batchSize of BATCH_SIZES) measured.push(await measure(place, url, events, batchSize));
  receiver.close();
  if (deliveries === 0) throw new Error('nothing was delivered');
  return measured;
}

async function measure(place: FreshTable, url: string, events: number, batchSize: number): Promise<Throughput> {
  const world = new DeliveryWorld(place);
  const organization = await world.organization();
  const endpoint = await organization.endpoint({ url, batch_size: batchSize });
  await organization.flood(events);
  const usage = { calls: 0, readUnits: 0, writeUnits: 0 };
  const delivering = await secondsOf(() => addingTo(usage, () => deliver(place, organization.id, endpoint)));
  const simply = await secondsOf(() => deliverSimply(place, organization.id, url, batchSize));
  return {
    batchSize,
    delivered: events / delivering,
    simply: events / simply,
    readUnits: usage.readUnits / events,
    writeUnits: usage.writeUnits / events,
    calls: usage.calls / events,
  };
}

const secondsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1_000;
};

/** Turn after turn, until nothing is left. */
async function deliver(place: FreshTable, tenant: string, { id }: Endpoint): Promise<void> {
  const table = tableAt(place);
  meter(table);
  const open = (): RequestSession => new RequestSession(table, systemClock, systemClock() + 10_000);
  let isAwake = true;
  const queue = {
    send: async (): Promise<void> => {
      isAwake = true;
    },
  };
  const send = sendWith({ targets: 'loopback' });
  const world = { open, clock: systemClock, queue, send, random: Math.random, slots: 1 };
  while (isAwake) {
    isAwake = false;
    await work({ tenant, endpointId: id }, world);
  }
}

/** The simplest worker: it reads pages of the journal, posts them signed, and stores how far it is. */
async function deliverSimply({ tableName, client }: FreshTable, tenant: string, url: string, batchSize: number) {
  const table = DynamoDBDocumentClient.from(client);
  for (
    let ExclusiveStartKey: QueryCommandOutput['LastEvaluatedKey'] | undefined, isFirst = true;
    isFirst || ExclusiveStartKey;
  ) {
    isFirst = false;
    const page: QueryCommandOutput = await table.send(
      new QueryCommand({
        ...{ TableName: tableName, ConsistentRead: true, Limit: PAGE, ExclusiveStartKey },
        KeyConditionExpression: 'PK = :partition',
        ExpressionAttributeValues: { ':partition': `ORG#${tenant}#${journalEntity.name}` },
      }),
    );
    const events = page.Items ?? [];
    for (let first = 0; first < events.length; first += batchSize) {
      const data = events.slice(first, first + batchSize);
      await post(url, String(data[0]?.SK), JSON.stringify({ type: 'batch', data }));
      await table.send(
        new UpdateCommand({
          ...{ TableName: tableName, Key: { PK: `CURSOR#${tenant}`, SK: '-' } },
          UpdateExpression: 'SET #next = :next',
          ExpressionAttributeNames: { '#next': 'next' },
          ExpressionAttributeValues: { ':next': data.at(-1)?.SK },
        }),
      );
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  }
}

const PAGE = 100;

async function post(url: string, id: string, body: string): Promise<void> {
  const headers = signed({ id, seconds: Math.floor(Date.now() / 1_000), body, secrets: [SECRET] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // As deliveries, each has a connection of its own.
  request(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json', ...headers } })
    .on('response', (response) => response.resume().on('end', resolve))
    .on('error', reject)
    .end(body);
  await promise;
}

const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

const throughputTable = (measured: readonly Throughput[]): string =>
  markdown({
    head: [
      '`batch_size`',
      'events a second',
      'the simplest worker',
      'part of it',
      'calls',
      'read units',
      'write units',
    ],
    rows: measured.map(({ batchSize, delivered, simply, calls, readUnits, writeUnits }) => [
      String(batchSize),
      ...[delivered, simply, delivered / simply, calls, readUnits, writeUnits].map(figure),
    ]),
  });

/** The most units of an event, and how many times as long as the simplest worker it may take, by sizes of batches. */
const LIMITS: Readonly<Record<number, { readonly units: number; readonly times: number }>> = {
  1: { units: 1.2, times: 2.5 },
  10: { units: 0.3, times: 2.5 },
  100: { units: 0.2, times: 3 },
};

const throughputBounds = (measured: readonly Throughput[]): Bound[] =>
  measured.flatMap(({ batchSize, delivered, simply, readUnits, writeUnits }) => {
    const { units = 0, times = 0 } = LIMITS[batchSize] ?? {};
    const size = `batch_size ${batchSize}`;
    return [
      { claim: `units for a delivered event, ${size}`, measured: readUnits + writeUnits, atMost: units },
      { claim: `times as long as the simplest worker takes, ${size}`, measured: simply / delivered, atMost: times },
    ];
  });
