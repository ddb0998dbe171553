import { Readable } from 'node:stream';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { listErrors } from '@custodia/counted-lists';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { type Entity, entity, recordsById, type Stored, set } from '#table';
import { PausingHandler } from '../support/pauses.ts';
import { doIn } from '../support/storage.ts';
import { TestList, useTable } from './test-list.ts';

/** What is done about what DynamoDB left unread, and records that are read by their ids. */

const table = useTable();
const jobs = new TestList(
  table,
  entity<{ readonly id: string; readonly state: string }>('JOB', { indexes: [set('state')] }),
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
    return JSON.parse(String(response.body));
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
