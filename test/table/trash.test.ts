import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { storedSets } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Entity, entity, order, set, words } from '#table';
import { itemsIn } from '../support/audit.ts';
import { bitPlace } from '../support/bits.ts';
import { FaultyHandler } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';
import { type How, NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Deleted records that can be restored, in any order with readers and writers that sleep. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly title: string;
  readonly slug: string | null;
  readonly moved_at: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const DAY = 86_400_000;
const MINUTE = 60_000;

const table = useTable(NOW);
const kind = entity<Job>('JOB', {
  indexes: [set('state'), words(['title']), order('moved_at')],
  unique: { slug: (slug: string) => slug },
  restorable: { title: 'title', below: (): Entity[] => [notes as never] },
  journaled: { history: true },
});
const notes = entity<{ readonly id: string; readonly text: string }>('NOTE', { parent: kind });
const NEW = { state: 'open', title: 'Till', slug: null, moved_at: '2026-01-01T00:00:00.000Z' };
const jobs = new TestList<Job>(table, kind, NEW, { state: ['open', 'done'] });

const restore = (id: string, how?: How) =>
  jobs.do(async (_, tenant) => {
    const trash = tenant.trashOf(kind);
    const found = await trash.get(id);
    return found && trash.restore(found);
  }, how);
const end = (id: string, how?: How) =>
  jobs.do(async (_, tenant) => {
    const trash = tenant.trashOf(kind);
    const found = await trash.get(id);
    if (found !== undefined) trash.end(found);
    return found !== undefined;
  }, how);
const addNote = (id: string) => jobs.do(async (_, tenant) => tenant.below(notes, id).create({ fields: { text: 'a' } }));
const notesOf = (id: string) => itemsIn(table.table, `${jobs.partition}#${id}#NOTE`);
const entries = async (how?: How) => (await table.open(how).trashOf(kind).entries(10)).map(({ id }) => id);
const inTrash = () => itemsIn(table.table, `ORG#${table.org}#TRASH`);
const bits = async () =>
  (await itemsIn(table.table, storedSets.partitionOf(jobs.partition))).filter(({ SK }) => String(SK).startsWith('#'));
const differences = async (repair: boolean, how?: How) =>
  (await jobs.verify(repair, how)).differences.map((each) => each.kind);

let reader: PausingHandler;
beforeEach(() => {
  reader = new PausingHandler();
});

/** Every list is as it should be, and nothing else is stored of those that are not there. */
async function expectListed(ids: readonly string[]): Promise<void> {
  const all = { total: ids.length, ids: [...ids] };
  const oldest = { sort: 'created_at' } as const;
  expect(await jobs.read(oldest)).toEqual(all);
  expect(await jobs.read({ ...oldest, filter: { state: 'open' } })).toEqual(all);
  expect(await jobs.read({ ...oldest, q: 'till' })).toEqual(all);
  expect((await jobs.read({ sort: 'moved_at' })).ids.toSorted()).toEqual(ids.toSorted());
  expect(await jobs.audit()).toEqual(NO_FAULTS);
  expect(await differences(false)).toEqual([]);
}

describe('a deleted record', () => {
  it('comes back as it was, in all lists, with its children, history and claims, in a higher version', async () => {
    const [id, other] = [await jobs.createId({ slug: 'till' }), await jobs.createId()];
    await jobs.change(id, { title: 'Till two' });
    await addNote(id);
    const before = await jobs.records().get(id);
    await jobs.remove(id);
    expect([await jobs.records().get(id), await entries()]).toEqual([undefined, [id]]);
    await expectListed([other]);
    const restored = await restore(id);
    expect([restored?.record, restored?.version]).toEqual([before?.record, 4]);
    const after = await jobs.records().get(id);
    expect([after?.record, after?.version, after?.item.CHILDREN]).toEqual([before?.record, 4, 1]);
    expect([await entries(), await inTrash()]).toEqual([[], []]);
    await expectListed([id, other]);
    await jobs.change(id, { title: 'Till three' });
    const history = await table.open().historyOf((await jobs.records().get(id)) as { item: object } as never);
    const verbs = ['updated', 'restored', 'deleted', 'updated', 'created'];
    expect(history.map(({ type, version }) => [type, version])).toEqual(
      verbs.map((verb, index) => [`job.${verb}`, 5 - index]),
    );
    await expect(jobs.createId({ slug: 'till' })).rejects.toMatchObject({ name: 'NotUnique' });
    await jobs.remove(id);
    await jobs.remove(other);
    expect(await entries()).toHaveLength(2);
    await expectListed([]);
  });

  it('stays away where what it claims is taken, and comes once it is free', async () => {
    const id = await jobs.createId({ slug: 'till' });
    await jobs.remove(id);
    const other = await jobs.createId({ slug: 'till' });
    await expect(restore(id)).rejects.toMatchObject({ name: 'NotUnique' });
    await expectListed([other]);
    await jobs.change(other, { slug: null });
    await restore(id);
    await expectListed([id, other]);
  });

  it('is restored or ended by one of those who do it at once, also where the reply is lost', async () => {
    const id = await jobs.createId();
    for (let times = 0; times < 2; times++) {
      await jobs.remove(id);
      const lossy = new FaultyHandler();
      let lost = 0;
      lossy.follow(({ operation }) => (operation === 'TransactWriteItems' && lost++ === 0 ? 'reply-lost' : undefined));
      const done = await Promise.all([restore(id, { over: lossy }), restore(id), restore(id)]);
      expect(done.filter((each) => each !== undefined)).toHaveLength(1);
      await expectListed([id]);
    }
    await jobs.remove(id);
    const outcomes = await Promise.all([end(id), restore(id), end(id)]);
    const isThere = outcomes[1] !== undefined;
    expect(outcomes.filter((each) => each === true).length).toBe(isThere ? 0 : 1);
    await expectListed(isThere ? [id] : []);
  });

  it('keeps what moves in it while it is deleted', async () => {
    const id = await jobs.createId();
    const writer = new PausingHandler();
    const paused = writer.pauseBefore('TransactWriteItems');
    const removing = jobs.remove(id, { over: writer });
    await paused.reached;
    await addNote(id);
    paused.release();
    await removing;
    await restore(id);
    expect((await jobs.records().get(id))?.item.CHILDREN).toBe(1);
    await expectListed([id]);
  });

  it('can come back whatever a reader does who has missed that it was there, and wakes late', async () => {
    const id = await jobs.createId();
    const late = { at: NOW + 60_000, over: reader };
    const paused = reader.pauseBefore('Query', `"${jobs.partition}"`);
    const reading = jobs.read({ sort: 'created_at' }, late);
    await paused.reached;
    await jobs.remove(id);
    paused.release();
    expect(await reading).toEqual({ total: 0, ids: [] });
    await restore(id);
    await expectListed([id]);
  });

  it('can come back whatever a reader does who has missed that it came and went', async () => {
    const writer = new PausingHandler();
    const held = writer.pauseBefore('TransactWriteItems');
    const creating = jobs.createId({}, { over: writer });
    await held.reached;
    const paused = reader.pauseBefore('PutItem');
    const reading = jobs.read({}, { at: NOW + 60_000, over: reader });
    await paused.reached;
    held.release();
    const id = await creating;
    await jobs.remove(id);
    paused.release();
    await reading;
    await restore(id);
    await expectListed([id]);
  });

  it('is one of a reader who has read the gaps before, and of none who has read them since', async () => {
    const [id, other] = [await jobs.createId(), await jobs.createId()];
    const readPaused = (query: object) => {
      const handler = new PausingHandler();
      const paused = handler.pauseBefore('Query', `"${jobs.partition}"`);
      return { paused, reading: jobs.read({ sort: 'created_at', ...query }, { over: handler }) };
    };
    const first = readPaused({});
    await first.paused.reached;
    await jobs.remove(id);
    const second = readPaused({});
    await second.paused.reached;
    await restore(id);
    for (const { paused } of [first, second]) paused.release();
    expect(await first.reading).toEqual({ total: 2, ids: [id, other] });
    expect(await second.reading).toEqual({ total: 1, ids: [other] });
    await expectListed([id, other]);
  });
});

describe('what is in the trash', () => {
  it('can be restored for thirty days, and is ended by the next deletion after them, with what is below it', async () => {
    const [id, other, third] = [await jobs.createId(), await jobs.createId(), await jobs.createId()];
    await addNote(id);
    await jobs.remove(id);
    const [almost, after] = [{ at: NOW + 29 * DAY }, { at: NOW + 31 * DAY }];
    expect([await entries(almost), await entries(after)]).toEqual([[id], []]);
    expect(await restore(id, after)).toBeUndefined();
    expect(await notesOf(id)).toHaveLength(1);
    await jobs.remove(other, after);
    expect([await notesOf(id), await entries(after)]).toEqual([[], [other]]);
    expect(await inTrash()).toHaveLength(1);
    expect(await restore(id)).toBeUndefined();
    expect((await bits()).length).toBe(2);
    await expectListed([third]);
  });

  it('is ended by a repair, also where DynamoDB has deleted it', async () => {
    const [id, other, third] = [await jobs.createId(), await jobs.createId(), await jobs.createId()];
    for (const each of [id, other]) {
      await addNote(each);
      await jobs.remove(each);
    }
    const key = jobs.records().keyOf(id);
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { ...key } }));
    expect(await restore(id)).toBeUndefined();
    await expectListed([third]);
    const after = { at: NOW + 31 * DAY };
    expect(await differences(false, after)).toEqual([]);
    expect(await differences(true, after)).toEqual([]);
    expect([await notesOf(id), await notesOf(other), await inTrash()]).toEqual([[], [], []]);
    await expectListed([third]);
  });

  it.each([-60, 60])(
    'is kept for thirty days by the clock of DynamoDB, where that of who deletes is %i days off',
    async (days) => {
      const wrong = tableAt(table.place);
      Object.defineProperty(wrong.client.config, 'systemClockOffset', { get: () => -days * DAY, set: () => undefined });
      const [before, id] = [await jobs.createId(), await jobs.createId()];
      await jobs.remove(before);
      const tenant = openTenant(wrong, table.org, () => NOW + days * DAY);
      const stored = await jobs.records().get(id);
      await doIn(tenant, async () => stored && tenant.records(kind).remove(stored));
      expect(await entries()).toEqual(expect.arrayContaining([before, id]));
      expect((await table.item(jobs.records().keyOf(id)))?.TTL).toBe(NOW / 1_000 + 31 * 86_400);
      await Promise.all([restore(before), restore(id)]);
      await expectListed([before, id]);
    },
  );

  it('has a title of whole characters', async () => {
    await jobs.remove(await jobs.createId({ title: `${'a'.repeat(99)}😀😀` }));
    expect((await table.open().trashOf(kind).entries(1))[0]?.title).toBe(`${'a'.repeat(99)}😀`);
  });

  it('ends at once where somebody says so, once', async () => {
    const id = await jobs.createId();
    await addNote(id);
    await jobs.remove(id);
    expect(await end(id)).toBe(true);
    expect([await end(id), await restore(id), await notesOf(id), await inTrash()]).toEqual([false, undefined, [], []]);
    await expectListed([]);
  });

  it('is listed by the time of its deletion, page by page, with who has deleted it', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift(await jobs.createId({ title: `${index} `.repeat(200) }));
    for (const [index, id] of ids.toReversed().entries()) await jobs.remove(id, { at: NOW + index * MINUTE });
    const trash = table.open({ at: NOW + 9 * MINUTE }).trashOf(kind);
    const first = await trash.entries(2);
    expect(first.map(({ id, title, deletedAt }) => [id, title.length, Math.floor((deletedAt - NOW) / MINUTE)])).toEqual(
      ids.slice(0, 3).map((id, index) => [id, 100, 4 - index]),
    );
    expect((await trash.entries(2, first[1]?.place)).map(({ id }) => id)).toEqual(ids.slice(2, 5));
    expect((await trash.entries(2, first[2]?.place)).map(({ id }) => id)).toEqual(ids.slice(3, 5));
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['its bit', (id) => withoutBit(id)],
    ['its entry', async () => deleteAll(await inTrash())],
    ['its place among the restorable, and is a gap', (id) => withGap(id)],
  ])('is verified, and repaired where it lacks %s', async (_, damage) => {
    const [id, other] = [await jobs.createId(), await jobs.createId()];
    await jobs.remove(id);
    await damage(id);
    expect(await differences(false)).not.toEqual([]);
    expect(await differences(true)).not.toEqual([]);
    await expectListed([other]);
    expect(await entries()).toEqual([id]);
    await restore(id);
    await expectListed([id, other]);
  });

  it('is verified, and repaired where an entry is of nothing', async () => {
    const id = await jobs.createId();
    await jobs.remove(id);
    const [entry] = await inTrash();
    await restore(id);
    await table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...entry } }));
    expect([await differences(false), await differences(true)]).toEqual([['trash'], ['trash']]);
    expect(await inTrash()).toEqual([]);
    await expectListed([id]);
  });
});

const setOfGaps = () => storedSets.partitionOf(jobs.partition);
const placeOf = (id: string) => bitPlace(Number.parseInt(String(jobs.records().keyOf(id).SK), 16));
function withoutBit(id: string) {
  const { sortKey, word, bit } = placeOf(id);
  return table.update({ PK: setOfGaps(), SK: `#${sortKey}` }, `ADD ${word} :bit`, { ':bit': -bit });
}
function withGap(id: string) {
  const { sortKey, word, bit } = placeOf(id);
  return table.update({ PK: setOfGaps(), SK: sortKey }, `ADD ${word} :bit`, { ':bit': bit });
}
const deleteAll = (items: readonly Readonly<Record<string, unknown>>[]) =>
  Promise.all(
    items.map(({ PK, SK }) =>
      table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { PK, SK } })),
    ),
  );
