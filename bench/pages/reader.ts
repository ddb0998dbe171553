import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { ids, type Table } from '@custodia/counted-lists';
import { Recorder } from '../../generate/data-model/recorder.ts';
import { localConnection } from '../../local/dynamodb/client.ts';
import { systemClock } from '../../shared/clock.ts';
import { RequestSession, tableOf } from '../../shared/table/index.ts';
import { asked } from '../../test/support/asked.ts';
import { jobsOf } from '../../test/support/jobs.ts';
import { CannedHandler } from '../requests/canned.ts';
import { cpuOf } from '../statistics.ts';
import { type ExpectedPage, KINDS, type KindName, PAGE_SIZE, type PageRequest, type Way } from './lists.ts';

/**
 * Reads one page again and again, in a process with the heap of a function, and prints what that took. In turns with
 * it the SDK's own client reads a set of a million numbers: the yardstick of CPU time. The responses are recorded first
 * and replayed, without a socket and with the attributes of items in one order: an engine that gives each item another
 * order makes `JSON.parse` take five times as long.
 */

export interface ReaderTask {
  readonly endpoint: string;
  readonly table: string;
  readonly org: string;
  readonly kind: KindName;
  /** Partition of the records. */
  readonly partition: string;
  readonly way: Way;
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
const config = localConnection(task.endpoint);
const table = tableOf(task.table, config);
const recorder = new Recorder(table);
const requestHandler = new CannedHandler(task.endpoint);
const replayed = tableOf(task.table, { ...config, requestHandler });
const bareHandler = new CannedHandler(task.endpoint);
const bare = DynamoDBDocumentClient.from(new DynamoDBClient({ ...config, requestHandler: bareHandler }), {
  unmarshallOptions: { wrapNumbers: (text) => BigInt(text) },
});

interface PageRead {
  readonly ids: readonly string[];
  /** Undefined where the way has none. */
  readonly total?: number;
}

async function readCounted(from: Table): Promise<PageRead> {
  const jobs = jobsOf(task.org, new RequestSession(from, systemClock, Date.now() + 60_000), KINDS[task.kind]);
  const asking = asked({ page: task.expected.page, page_size: PAGE_SIZE, ...task.request });
  const { records, total } = await jobs.page(asking);
  return { ids: records.map(({ record }) => record.id), total };
}

type Start = Record<string, unknown> | undefined;

/** Reads up to `count` records, in queries as long as DynamoDB allows. */
async function walk({ client, name }: Table, from: Start, count: number, more: Partial<QueryCommandInput> = {}) {
  const ids: string[] = [];
  let [start, seen] = [from, 0];
  do {
    const query = new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'PK = :list',
      ExpressionAttributeValues: { ':list': task.partition },
      ScanIndexForward: false,
      ExclusiveStartKey: start,
      ...(Number.isFinite(count) ? { Limit: count - seen } : {}),
      ...more,
    });
    const { Items = [], Count = 0, LastEvaluatedKey } = await client.send(query);
    for (const { id } of Items) ids.push(String(id));
    seen += Count;
    start = LastEvaluatedKey;
  } while (start !== undefined && seen < count);
  return { ids, seen, next: start };
}

async function readByWalk(from: Table): Promise<PageRead> {
  const { ids } = await walk(from, undefined, task.expected.page * PAGE_SIZE);
  return { ids: ids.slice((task.expected.page - 1) * PAGE_SIZE) };
}

async function readByCount(from: Table): Promise<PageRead> {
  const skip = (task.expected.page - 1) * PAGE_SIZE;
  const skipped = skip === 0 ? undefined : await walk(from, undefined, skip, { Select: 'COUNT' });
  const { ids, seen, next } = await walk(from, skipped?.next, PAGE_SIZE);
  const rest = next === undefined ? 0 : (await walk(from, next, Number.POSITIVE_INFINITY, { Select: 'COUNT' })).seen;
  return { ids, total: (skipped?.seen ?? 0) + seen + rest };
}

const WAYS: Readonly<Record<Way, (from: Table) => Promise<PageRead>>> = {
  'counted list': readCounted,
  walk: readByWalk,
  'COUNT, and the total': readByCount,
};

/** @throws Error when the page is wrong */
async function readPage(from: Table): Promise<void> {
  const { page, total, numbers } = task.expected;
  const read = await WAYS[task.way](from);
  const got = read.ids.map(ids.numberOf);
  if ((read.total ?? total) !== total || got.join() !== numbers.join()) {
    throw new Error(`page ${page} is wrong: total ${read.total} and not ${total}, numbers ${got} and not ${numbers}`);
  }
}

async function readYardstick(): Promise<void> {
  let start: Start;
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

const calls = await recorder.record(() => readPage(table));
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
const report: ReaderReport = {
  readUnits: calls.reduce((sum, { readUnits }) => sum + readUnits, 0),
  roundTrips: calls.at(-1)?.roundTrip ?? 0,
  ...{ cpu, yardstick, residentMb },
};
process.stdout.write(`\n${JSON.stringify(report)}\n`);
