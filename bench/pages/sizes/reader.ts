import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ids, type Table } from '@custodia/counted-lists';
import { LOCAL_AWS } from '../../../local/dynamodb/client.ts';
import { systemClock } from '../../../shared/clock.ts';
import { RequestSession, tableOf } from '../../../shared/table/index.ts';
import { asked } from '../../../test/support/asked.ts';
import { CannedHandler } from '../../requests/canned.ts';
import { Meter } from '../meter.ts';
import { jobsOf } from '../records.ts';
import { COMPARED_PAGE_SIZE } from '../ways.ts';
import { KINDS, type KindName } from './kind.ts';
import type { ExpectedPage, PageRequest } from './lists.ts';

/**
 * Reads one page again and again, in a process with the heap of a function, and prints what that took. In turns with
 * it the SDK's own client reads a set of a million numbers: the yardstick, whose CPU time others are told in. The
 * responses are recorded first and replayed, without a socket and with the attributes of items in one order: an engine
 * that gives each item another order makes `JSON.parse` take five times as long.
 */

export interface ReaderTask {
  readonly endpoint: string;
  readonly table: string;
  readonly org: string;
  readonly kind: KindName;
  readonly request: PageRequest;
  readonly expected: ExpectedPage;
  /** Partition of the yardstick's set. */
  readonly yardstick: string;
  readonly rounds: number;
}

export interface ReaderReport {
  readonly readUnits: number;
  readonly roundTrips: number;
  /** CPU time of each read, in milliseconds. */
  readonly cpu: readonly number[];
  readonly yardstick: readonly number[];
  /** The most memory that was resident before the yardstick was read, in MB. */
  readonly residentMb: number;
}

const WARM_UP = 3;

const task: ReaderTask = JSON.parse(process.argv[2] ?? '');
const table = tableOf(task.table, { endpoint: task.endpoint, ...LOCAL_AWS });
const meter = new Meter(table);
const requestHandler = new CannedHandler(task.endpoint);
const replayed = tableOf(task.table, { endpoint: task.endpoint, ...LOCAL_AWS, requestHandler });
const bareHandler = new CannedHandler(task.endpoint);
const bare = DynamoDBDocumentClient.from(
  new DynamoDBClient({ endpoint: task.endpoint, ...LOCAL_AWS, requestHandler: bareHandler }),
  { unmarshallOptions: { wrapNumbers: (text) => BigInt(text) } },
);

async function readPage(from: Table): Promise<void> {
  const { page, total, numbers } = task.expected;
  const jobs = jobsOf(task.org, new RequestSession(from, systemClock, Date.now() + 60_000), KINDS[task.kind]);
  const read = await jobs.page(asked({ page, page_size: COMPARED_PAGE_SIZE, ...task.request }));
  const got = read.records.map(({ record }) => ids.numberOf(record.id));
  if (read.total !== total || got.join() !== numbers.join()) {
    throw new Error(`page ${page} is wrong: total ${read.total} and not ${total}, numbers ${got} and not ${numbers}`);
  }
}

async function readYardstick(): Promise<void> {
  let start: Record<string, unknown> | undefined;
  do {
    const { LastEvaluatedKey } = await bare.send(
      new QueryCommand({
        TableName: task.table,
        KeyConditionExpression: 'PK = :set',
        ExpressionAttributeValues: { ':set': task.yardstick },
        ExclusiveStartKey: start,
      }),
    );
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** From now on the handler replays the calls of some work. */
async function replay(handler: CannedHandler, work: () => Promise<void>): Promise<void> {
  const calls = await handler.record(work);
  handler.replay(calls.map((call) => ({ ...call, reply: inOneOrder(call.reply) })));
}

function inOneOrder(reply: Uint8Array): Uint8Array {
  const sorted = (name: string, value: unknown): unknown =>
    // The next request has this key as it is.
    typeof value !== 'object' || value === null || Array.isArray(value) || name === 'LastEvaluatedKey'
      ? value
      : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(reply).toString()), sorted));
}

const { cost } = await meter.measure(() => readPage(table));
for (let round = 1; round < WARM_UP; round++) await readPage(table);
const residentMb = process.resourceUsage().maxRSS / 1_024;
await readPage(replayed);
await replay(requestHandler, () => readPage(replayed));
await replay(bareHandler, readYardstick);
const cpu: number[] = [];
const yardstick: number[] = [];
for (let round = 0; round < task.rounds; round++) {
  cpu.push(await cpuOf(() => readPage(replayed)));
  yardstick.push(await cpuOf(readYardstick));
}
const { readUnits, roundTrips } = cost;
const report: ReaderReport = { readUnits, roundTrips, cpu, yardstick, residentMb };
process.stdout.write(`\n${JSON.stringify(report)}\n`);
