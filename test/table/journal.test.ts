import { ids } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, JournalReader, journalEntity, RecordTooLarge, type Stored } from '#table';
import { recordsIn } from '../support/audit.ts';
import { Crash, type FaultyHandler } from '../support/faults.ts';
import { itemSizeOf } from '../support/item-size.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';
import { type How, TestList, useTable } from './test-list.ts';

/** What is in the journal, under which numbers, and how it is read. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly usage: number;
  readonly seen_at: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const DAY = 86_400_000;

const table = useTable(NOW);
const kind = entity<Job>('JOB', {
  journaled: {
    quiet: ['usage', 'seen_at'],
    isLoud: (before, after) => before.usage > 90 !== after.usage > 90,
  },
});
const jobs = new TestList(table, kind, { state: 'open', usage: 0, seen_at: '' });

const read = (how: How = {}, query: Partial<Parameters<JournalReader['read']>[0]> = {}) =>
  new JournalReader(table.open(how)).read({ from: 'oldest', limit: 200, ...query });
const told = async (how?: How) =>
  (await read(how)).events.map(({ type, version, changed_fields }) => [type, version, changed_fields]);
const numbersOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => ids.numberOf(id));

/** Takes a number of the journal and does nothing with it, as a process does that dies. */
const lose = (how?: How) => jobs.lose(1, how);

describe('the journal', () => {
  it.each(['create', 'update', 'remove'] as const)(
    'has the event of a %s that the operation did not wait for',
    async (write) => {
      const id = await jobs.createId();
      const tenant = table.open();
      const records = tenant.records(kind);
      const stored = await records.get(id);
      if (stored === undefined) throw new Error('it is not there');
      const before = await told();
      if (write === 'create') void records.create({ fields: { state: 'open', usage: 0, seen_at: '' } });
      if (write === 'update') void records.update(stored, { state: 'done' });
      if (write === 'remove') void records.remove(stored);
      await tenant.session.commit();
      expect((await told()).slice(before.length)).toEqual([
        { create: ['job.created', 1, null], update: ['job.updated', 2, ['state']], remove: ['job.deleted', 2, null] }[
          write
        ],
      ]);
      expect((await table.open().records(kind).get(id))?.record.state).toBe(
        { create: 'open', update: 'done', remove: undefined }[write],
      );
    },
  );

  it.each([
    ['another write', true],
    ['nothing', false],
  ])('ends a helper that was not awaited, and stages after the commit of %s', async (_, writes) => {
    const id = await jobs.createId();
    const before = await told();
    const tenant = table.open();
    const records = tenant.records(kind);
    const { promise: read, resolve } = Promise.withResolvers<void>();
    const helper = async (stage: (stored: Stored<Job>) => unknown): Promise<void> => {
      const stored = await records.get(id);
      await read;
      // Not awaited, either.
      if (stored !== undefined) void stage(stored);
    };
    const late = Promise.allSettled([
      helper((stored) => records.update(stored, { state: 'done' })),
      helper((stored) => records.remove(stored)),
      helper(() => records.create({ fields: { state: 'open', usage: 0, seen_at: '' } })),
      helper(() => tenant.session.changes.of(tenant.id)),
    ]);
    if (writes) await records.create({ fields: { state: 'open', usage: 0, seen_at: '' } });
    await tenant.session.commit();
    resolve();
    const reasons = (await late).map((each) => (each.status === 'rejected' ? String(each.reason) : undefined));
    expect(reasons).toEqual(Array(4).fill(expect.stringMatching(/^TypeError: .* does not await the helper/)));
    expect((await told()).slice(before.length)).toEqual(writes ? [['job.created', 1, null]] : []);
    tenant.session.restart();
    expect(() => tenant.session.changes.of(tenant.id)).not.toThrow();
  });

  it('refuses the commit where such a write is refused', async () => {
    const tenant = table.open();
    const records = tenant.records(kind);
    void records.create({ fields: { state: 'open', usage: 0, seen_at: '' } });
    void records.create({ fields: { state: 'x'.repeat(1_000_000), usage: 0, seen_at: '' } });
    await expect(tenant.session.commit()).rejects.toThrow(RecordTooLarge);
  });

  it('has an event for each creation, change and deletion, in the order of their versions', async () => {
    const id = await jobs.createId({}, { at: () => NOW });
    await jobs.change(id, { state: 'done' });
    await jobs.change(id, { state: 'done' });
    await jobs.remove(id);
    expect(await told()).toEqual([
      ['job.created', 1, null],
      ['job.updated', 2, ['state']],
      ['job.deleted', 4, null],
    ]);
    const [first] = (await read()).events;
    expect(first).toMatchObject({
      occurred_at: new Date(NOW).toISOString(),
      record_type: 'JOB',
      record_id: id,
      actor_id: null,
      request_id: null,
    });
  });

  it('has none for figures that are reported, but where they matter', async () => {
    const id = await jobs.createId();
    await jobs.change(id, { usage: 80, seen_at: 'a' });
    await jobs.change(id, { usage: 91, seen_at: 'b' });
    await jobs.change(id, { usage: 95, seen_at: 'c' });
    await jobs.change(id, { usage: 12 });
    await jobs.change(id, { usage: 13, state: 'done' });
    expect(await told()).toEqual([
      ['job.created', 1, null],
      ['job.updated', 3, ['seen_at', 'usage']],
      ['job.updated', 5, ['usage']],
      ['job.updated', 6, ['state', 'usage']],
    ]);
  });

  it('expires after 30 days, with a cursor that is behind', async () => {
    await jobs.create();
    expect((await read({ at: NOW + 30 * DAY - 7_200_000 })).events).toHaveLength(1);
    expect(await read({ at: NOW + 31 * DAY })).toMatchObject({ events: [], next: 1, ended: 'end' });
    await expect(read({ at: NOW + 31 * DAY }, { from: 0 })).rejects.toThrow('not all kept');
    await expect(read({}, { from: 2 })).rejects.toThrow('not all kept');
    // An hour early: DynamoDB deletes by a clock that is known within five minutes.
    const [{ TTL } = {}] = await recordsIn(table.table, `ORG#${table.org}#${journalEntity.name}`);
    const end = Number(TTL) * 1_000;
    expect((await read({ at: end - 3_660_000 }, { from: 0 })).events).toHaveLength(1);
    await expect(read({ at: end - 3_540_000 }, { from: 0 })).rejects.toThrow('not all kept');
  });

  it('is read page by page, as far as asked', async () => {
    for (let count = 0; count < 5; count++) await jobs.create();
    const first = await read({}, { limit: 2 });
    expect([numbersOf(first.events), first.next, first.ended]).toEqual([[0, 1], 2, 'limit']);
    const rest = await read({}, { from: first.next, limit: 3 });
    expect([numbersOf(rest.events), rest.next, rest.ended]).toEqual([[2, 3, 4], 5, 'end']);
    const some = await read({}, { limit: 1, accepts: ({ version, id }) => version === 1 && ids.numberOf(id) === 3 });
    expect([numbersOf(some.events), some.next, some.ended]).toEqual([[3], 4, 'limit']);
    const none = await read({}, { accepts: () => false });
    expect([none.events, none.next, none.ended]).toEqual([[], 5, 'end']);
  });
});

describe('a number whose event is not there', () => {
  it('ends the feed while its writer may be at work, and is fenced afterwards', async () => {
    await jobs.create();
    await lose();
    await jobs.create();
    expect(await read({ at: NOW + 4_000 })).toMatchObject({ next: 1, ended: 'open', events: [{}] });
    const later = await read({ at: NOW + 6_000 }, { from: 1 });
    expect([numbersOf(later.events), later.next, later.ended]).toEqual([[2], 3, 'end']);
  });

  it('counts for nothing once it is passed, although who fenced it died before noting the gap', async () => {
    await lose();
    await jobs.create();
    const countOfAll = async () => {
      const { counts } = await new JournalReader(table.open({ at: NOW + 6_000 })).countFrom(Promise.resolve([0]));
      return counts.get(0);
    };
    const dying = new PausingHandler();
    dying.follow(({ operation }) => (operation === 'UpdateItem' ? 'crash' : undefined));
    await expect(read({ at: NOW + 6_000, over: dying })).rejects.toThrow(Crash);
    expect(await countOfAll()).toBe(2);
    // Two readers note it at once.
    const noting = [new PausingHandler(), new PausingHandler()].map((over) => {
      const bit = over.pauseBefore('UpdateItem');
      return { bit, reading: read({ over }) };
    });
    await Promise.all(noting.map(({ bit }) => bit.reached));
    for (const { bit } of noting) bit.release();
    for (const { reading } of noting) expect((await reading).events).toHaveLength(1);
    expect(await countOfAll()).toBe(1);
    await jobs.create();
    expect(await countOfAll()).toBe(2);
  });

  it('does not stall a feed that is never quiet', async () => {
    await lose();
    for (let seconds = 1; seconds < 9; seconds++) await jobs.create({}, { at: NOW + seconds * 1_000 });
    expect((await read({ at: () => NOW + 5_900 }, { limit: 1 })).ended).toBe('open');
    expect((await read({ at: NOW + 8_000 }, { limit: 1 })).events).toHaveLength(1);
  });

  it.each([true, false])(
    'is never passed and then written; its writer is faster than the fence: %s',
    async (isFaster) => {
      const id = await jobs.createId();
      const [writer, reader] = [new PausingHandler(), new PausingHandler()];
      const commit = writer.pauseBefore('TransactWriteItems');
      const changing = jobs.change(id, { state: 'done' }, { over: writer });
      await commit.reached;
      await jobs.create();
      const fence = reader.pauseBefore('PutItem');
      const reading = read({ at: NOW + 60_000, over: reader });
      await fence.reached;
      if (isFaster) {
        commit.release();
        await changing;
      }
      fence.release();
      const { events, next } = await reading;
      commit.release();
      await changing;
      const { events: later } = await read({ at: NOW + 60_000 }, { from: next });
      const order = [...events, ...later].map(({ type, record_id }) => [type, record_id === id]);
      const [created, updated, other] = [
        ['job.created', true],
        ['job.updated', true],
        ['job.created', false],
      ];
      expect(order).toEqual(isFaster ? [created, updated, other] : [created, other, updated]);
    },
  );
});

describe('the end of the journal', () => {
  const MINUTE = 60_000;
  const endAt = async (at: number) => (await new JournalReader(table.open({ at })).end()).next;
  /** A clock that is wrong, and the table of the process that has it: the SDK notes by how much. */
  const wrongBy = (error: number, now: number) => {
    const wrong = tableAt(table.place);
    Object.defineProperty(wrong.client.config, 'systemClockOffset', { get: () => -error, set: () => undefined });
    return { table: wrong, at: () => now + error };
  };
  const createAll = async (count: number, at: number) => {
    for (let left = count; left > 0; left--) await jobs.create({}, { at });
  };

  it('is where what is committed from now on begins', async () => {
    expect(await endAt(NOW)).toBe(0);
    await createAll(3, NOW);
    expect(await endAt(NOW + MINUTE)).toBe(3);
    expect(await endAt(NOW + 40 * DAY)).toBe(3);
  });

  it('is before a number whose writer may still be at work, but not before one that is fenced', async () => {
    await lose();
    await createAll(120, NOW);
    expect(await endAt(NOW + 1_000)).toBe(0);
    // A reader whose clock is wrong sees it, too, and fences it.
    const { table: other, at } = wrongBy(60 * DAY, NOW + 1_000);
    expect((await read({ at: NOW + 1_000 })).ended).toBe('open');
    expect(await new JournalReader(openTenant(other, table.org, at)).end()).toMatchObject({ next: 121 });
    expect((await read({ at: NOW + 1_000 })).ended).toBe('end');
    expect(await endAt(NOW + 5 * MINUTE)).toBe(121);
    await lose({ at: NOW + 5 * MINUTE });
    await createAll(2, NOW + 5 * MINUTE);
    expect(await endAt(NOW + 5 * MINUTE + 2_000)).toBe(121);
  });
});

it('an event has half a KB at most, also of a record with many fields', async () => {
  const long = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a_long_name_${index}`, 'x']));
  const id = await jobs.createId();
  await jobs.change(id, long as object);
  await jobs.change(id, {
    state: 'done',
    ...Object.fromEntries(
      Object.keys(long)
        .slice(0, 7)
        .map((name) => [name, 'y']),
    ),
  });
  expect((await read()).events.map(({ changed_fields }) => changed_fields?.length)).toEqual([undefined, undefined, 8]);
  const items = await recordsIn(table.table, `ORG#${table.org}#${journalEntity.name}`);
  const most = { record_type: 'ServiceAction', type: 'ticket_message.created', actor_id: id, request_id: id };
  // Records below others are only created.
  for (const item of items)
    expect(
      itemSizeOf({ ...item, ...most, ...(item.changed_fields === null && { parent_id: id }) }),
    ).toBeLessThanOrEqual(512);
});

describe('a run that is repeated', () => {
  it('takes a number that is later than the record it read', async () => {
    const id = await jobs.createId();
    let runs = 0;
    await jobs.do(async (records) => {
      const stored = await records.get(id);
      if (stored === undefined) throw new Error('it is not there');
      await records.update(stored, { state: 'late' });
      if (runs++ === 0) await jobs.change(id, { state: 'first' });
    });
    const { events } = await read({ at: NOW + 60_000 });
    expect(events.map(({ version, id: event }) => [version, ids.numberOf(event)])).toEqual([
      [1, 0],
      [2, 2],
      [3, 3],
    ]);
    // The first run's number was released, and nothing is left to fence.
    expect((await read()).ended).toBe('end');
  });

  it('is not sent a minute after its number was taken', async () => {
    let now = NOW;
    const paused = jobs.do(
      async (records) => {
        await records.create({ fields: { state: 'open', usage: 0, seen_at: '' } });
        now += 61_000;
      },
      { at: () => now, patience: 600_000 },
    );
    await expect(paused).rejects.toThrow('paused for too long');
    expect((await read({ at: NOW + 120_000 })).events).toEqual([]);
  });

  it('has no number that was taken in advance', async () => {
    const over = new PausingHandler();
    const tenant = table.open({ over });
    tenant.records(journalEntity).prepare();
    await tenant.session.abandon();
    expect(over.calls).toEqual([]);
  });

  it('releases the numbers of a change that is refused', async () => {
    const id = await jobs.createId();
    const refuse = (over?: FaultyHandler) =>
      doIn(table.open({ over }), async (tenant) => {
        const records = tenant.records(kind);
        const stored = await records.get(id);
        if (stored === undefined) throw new Error('it is not there');
        await records.update(stored, { state: 'never' });
        throw new Error('refused');
      });
    await expect(refuse()).rejects.toThrow('refused');
    expect(await read()).toMatchObject({ next: 2, ended: 'end' });
  });
});
