import { Readable } from 'node:stream';
import type { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { ids, listErrors, type Table } from '#lists';
import { type Entity, entity, recordsById, type Stored } from '#table';
import { MAX_READ, ReadBudget } from '../../shared/lists/read-budget.ts';
import { readWithin } from '../../shared/lists/read-records.ts';
import { readRecords } from '../../shared/lists/scattered.ts';
import { EntityLists } from '../../shared/table/repository/entity-lists.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn } from '../support/storage.ts';
import { TestList, useTable } from './test-list.ts';

/** How much is read at once, and what is done about what DynamoDB left unread. */

describe('a reading', () => {
  const reading = (most?: number) => new ReadBudget({ clock: () => 0, deadline: 0 }, true, most);

  it('reads a page of the standard size twice over, however large its records are', () => {
    const budget = reading();
    for (const strongly of [false, true]) {
      expect(budget.mayRead(25)).toBe(25);
      budget.spend({ CapacityUnits: (25 * 240_000) / (strongly ? 4_096 : 8_192) }, strongly, 25);
    }
    expect(budget.isCut).toBe(false);
  });

  it('asks for all of a page at first, and then for as many as fit if they are like those before', () => {
    const budget = reading();
    expect(budget.mayRead(200)).toBe(200);
    budget.spend({ CapacityUnits: 256 }, true, 50);
    expect(budget.mayRead(200)).toBe(200);
    budget.spend({ CapacityUnits: 2_048 }, true, 25);
    expect(budget.mayRead(200)).toBeGreaterThan(40);
    expect(budget.mayRead(200)).toBeLessThan(75);
    budget.spend({ CapacityUnits: MAX_READ / 8_192 }, false, 40);
    expect([budget.isCut, budget.mayRead(1), budget.isCut]).toEqual([false, 0, true]);
  });

  it('asks for what fits at the largest size where nothing is known of sizes, and for everything where nothing bounds it', () => {
    const [budget, boundless] = [reading(), reading(Number.POSITIVE_INFINITY)];
    for (const each of [budget, boundless]) each.spend({ CapacityUnits: 100 }, false, 0);
    expect(budget.mayRead(200)).toBeGreaterThan(55);
    expect(budget.mayRead(200)).toBeLessThan(65);
    expect([reading().mayRead(0), boundless.mayRead(5_000)]).toEqual([0, 5_000]);
  });
});

describe('the reading of records that decide', () => {
  const MOST = 8 * 1_048_576;
  /** Reads 500 records of these sizes. */
  async function readOf(sizeOf: (number: number) => number, largest: number) {
    let [bytes, calls] = [0, 0];
    const expected: number[] = [];
    const send = ({ input: { RequestItems = {} } }: BatchGetCommand) => {
      calls++;
      const { Keys = [] } = RequestItems.t ?? {};
      const read = Keys.reduce((sum, { SK }) => sum + sizeOf(ids.numberIn(String(SK))), 0);
      bytes += read;
      return Promise.resolve({ Responses: { t: Keys }, ConsumedCapacity: [{ CapacityUnits: read / 4_096 }] });
    };
    const asTable = { name: 't', client: { send } } as unknown as Table;
    const timeLimit = { clock: () => 0, deadline: 1, expectUnits: (units: number) => void expected.push(units) };
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const records = await readWithin(asTable, 'JOB', numbers, { most: MOST, largest, timeLimit });
    return { count: records?.size, bytes, calls, expected };
  }

  it('reads all at once where none is large', async () => {
    expect(await readOf(() => 4_096, 0)).toEqual({ count: 500, bytes: 500 * 4_096, calls: 5, expected: [] });
  });

  it('reads few at once where there is a large one, and all where they are few bytes', async () => {
    const few = (number: number) => (number % 50 === 0 ? 240_000 : 4_096);
    const { count, calls, expected } = await readOf(few, 240_000);
    expect([count, expected]).toEqual([500, [MOST / 4_096]]);
    expect(calls).toBeLessThan(20);
  });

  it('ends at the bound, also where the first ones are small and all others are as large as may be', async () => {
    const { count, bytes } = await readOf((number) => (number < 34 ? 4_096 : 240_000), 240_000);
    expect(count).toBeUndefined();
    expect(bytes).toBeLessThan(2 * MOST);
  });
});

const table = useTable();
const jobs = new TestList(
  table,
  entity<{ readonly id: string; readonly state: string }>('JOB', { filters: ['state'] }),
);
/** So many records, of which every eighth is rare. */
const create = (count: number) =>
  jobs.do(async (records) => {
    const made = [];
    for (let index = 0; index < count; index++)
      made.push(await records.create({ fields: { state: index % 8 === 0 ? 'rare' : 'usual' } }));
    return made;
  });

type Handle = Parameters<NodeHttpHandler['handle']>;
type Asked = { Keys: unknown[]; ConsistentRead?: boolean };

/** Changes what is asked of each `BatchGetItem`. */
class BatchHandler extends NodeHttpHandler {
  calls = 0;
  readonly #leave: (asked: Asked) => unknown[];
  readonly #says: boolean;

  /** @param leave takes away the keys that are not to be read @param says whether they are answered as left undone */
  constructor(leave: (asked: Asked) => unknown[], says: boolean) {
    super();
    this.#leave = leave;
    this.#says = says;
  }

  override async handle(...[request, options]: Handle) {
    if (!request.headers['x-amz-target']?.endsWith('.BatchGetItem')) return super.handle(request, options);
    this.calls += 1;
    const sent = JSON.parse(String(request.body)) as { RequestItems: Record<string, Asked> };
    const [[name, asked]] = Object.entries(sent.RequestItems) as [[string, Asked]];
    const left = this.#leave(asked);
    request.body = JSON.stringify(sent);
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    const found = asked.Keys.length === 0 ? { Responses: {} } : await this.#found(request, options);
    const UnprocessedKeys = this.#says && left.length > 0 ? { [name]: { ...asked, Keys: left } } : {};
    const body = Readable.from([Buffer.from(JSON.stringify({ ...found, UnprocessedKeys }))]);
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: new HttpResponse({ statusCode: 200, headers, body }) };
  }

  async #found(...call: Handle): Promise<object> {
    const { response } = await super.handle(...call);
    return JSON.parse(Buffer.concat(await (response.body as Readable).toArray()).toString());
  }
}

describe('keys that DynamoDB leaves unread', () => {
  const rare = { page_size: 25, sort: '-created_at', filter: { state: 'rare' } as never } as const;

  it('are asked for again until all are read', async () => {
    await create(20);
    const over = new BatchHandler(({ Keys }) => Keys.splice(0, Keys.length > 1 ? 1 : 0), true);
    expect([(await jobs.read(rare, { over })).total, over.calls]).toEqual([3, 2]);
  });

  it('are given up when the time of the request is over', async () => {
    await create(20);
    const over = new BatchHandler(({ Keys }) => Keys.splice(0), true);
    let time = Date.UTC(2026, 10, 20);
    await expect(jobs.read(rare, { over, at: () => (time += 100), patience: 1_000 })).rejects.toThrow(
      listErrors.TableUnavailable,
    );
    expect(over.calls).toBeGreaterThan(1);
    expect(over.calls).toBeLessThan(12);
  });
});

describe('records by their ids', () => {
  const read = async (wanted: readonly string[], over?: NodeHttpHandler) => {
    const kind = entity<Record<string, unknown>>(jobs.entity.name);
    const reading = recordsById(
      table.open({ over }),
      wanted.map((id) => (id === '' ? undefined : { entity: kind, id })),
    );
    const found = [];
    for await (const some of reading) found.push(...(some as readonly ({ readonly id: string } | undefined)[]));
    return found.map((record) => record?.id);
  };

  it('are read in the order in which they are wanted, each once, also where DynamoDB leaves some unread', async () => {
    const made = (await create(20)).map(({ record }) => record.id);
    const removed = made[3] ?? '';
    await jobs.remove(removed);
    // Another id with the same number.
    const alike = `${made[5]?.slice(0, 14)}4000-8000-000000000000`;
    const over = new BatchHandler(({ Keys }) => Keys.splice(0, Keys.length > 1 ? 1 : 0), true);
    const wanted = [...made.toReversed(), alike, '', ...made];
    const there = (id: string) => (id === removed || id === alike || id === '' ? undefined : id);
    expect(await read(wanted, over)).toEqual(wanted.map(there));
    // 17 at first, then 3; each again but for one.
    expect(over.calls).toBe(4);
  });

  it('are never older than their events, whose transactions may be visible in part', async () => {
    const [created, changed, removed] = (await create(3)).map(({ record }) => record.id) as [string, string, string];
    await jobs.remove(removed);
    const [writer, reader] = [new PausingHandler(), new PausingHandler()];
    const commit = writer.pauseBefore('TransactWriteItems');
    const made = Promise.withResolvers<string>();
    const creating = jobs.do(
      async (records) => made.resolve((await records.create({ fields: { state: 'new' } })).record.id),
      { over: writer },
    );
    await commit.reached;
    const versions = { [await made.promise]: 1, [changed]: 2, [created]: 1, [removed]: 2 };
    const wanted = Object.entries(versions).map(([id, version]) => ({ entity: jobs.entity as Entity, id, version }));
    const again = reader.pauseBefore('TransactGetItems');
    const reading = recordsById(table.open({ over: reader }), wanted).next();
    await again.reached;
    commit.release();
    await creating;
    await jobs.change(changed, { state: 'done' });
    again.release();
    const state = (name: string) => expect.objectContaining({ state: name });
    expect((await reading).value).toEqual([state('new'), state('done'), state('rare'), undefined]);

    // Nothing is doubtful: it is read once. A record that was restored stays older than its event.
    reader.follow(() => undefined);
    await recordsById(table.open({ over: reader }), wanted).next();
    expect(reader.calls).toEqual(['BatchGetItem']);
    const restored = [{ entity: jobs.entity as Entity, id: created, version: 9 }];
    expect((await recordsById(table.open(), restored).next()).value).toEqual([state('rare')]);
  });

  it('are not there below a record that is not, though they are not deleted yet', async () => {
    const [{ record: parent, item }] = (await create(1)) as [Stored<{ readonly id: string; readonly state: string }>];
    const child = entity<Record<string, unknown>>('NOTE', { byTime: true, parent: jobs.entity as unknown as Entity });
    const { record: note } = await doIn(table.open(), (tenant) =>
      tenant.below(child, parent.id).create({ fields: { created_at: new Date().toISOString() } }),
    );
    const read = async () => {
      const wanted = [{ entity: child, id: String(note.id), parentId: parent.id }];
      return (await recordsById(table.open(), wanted).next()).value;
    };
    expect(await read()).toEqual([note]);
    const { client, name } = table.table;
    await client.send(new DeleteCommand({ TableName: name, Key: { PK: item.PK, SK: item.SK } }));
    expect(await read()).toEqual([undefined]);
  });
});

/** There is no more to be read after the first look. */
class OneLook extends ReadBudget {
  #looks = 0;
  override mayRead(wanted: number): number {
    return this.#looks++ === 0 ? super.mayRead(wanted) : 0;
  }
}

it.each([
  [false, [0, 8]],
  [true, [32, 40]],
])(
  'a page that is cut short has no gaps, where a record was not seen at first: newest first %s',
  async (newestFirst, seen) => {
    await create(48);
    const source = new EntityLists(table.open().id, jobs.entity, jobs.partition).source({
      filter: { state: 'rare' },
    });
    const numbers = [0, 8, 16, 24, 32, 40];
    const patience = { clock: Date.now, deadline: Date.now() + 10_000 };
    // An eventually consistent read does not show the third of the records that are asked for.
    const lagging = new BatchHandler((asked) => (asked.ConsistentRead ? [] : asked.Keys.splice(2, 1)), false);
    const read = async (budget: ReadBudget) =>
      [...(await readRecords(table.over(lagging), source, numbers, budget)).keys()].toSorted((a, b) => a - b);
    expect(await read(new ReadBudget(patience, newestFirst))).toEqual(numbers);
    expect(await read(new OneLook(patience, newestFirst))).toEqual(seen);
  },
);
