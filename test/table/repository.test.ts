import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { entity, NotUnique, StaleRead, set, uniqueKey } from '#table';
import { trimmed } from '../../shared/words.ts';
import { TestList, useTable } from './test-list.ts';

interface Job {
  id: string;
  code: string;
  state: string;
  data: unknown;
}

const table = useTable();
const kind = entity<Job>('JOB', { indexes: [set('state')], json: ['data'], unique: { code: trimmed } });
const jobs = new TestList(table, kind, { state: 'open', data: null });
const create = (fields: Partial<Job> = {}) => jobs.createId({ code: randomUUID(), ...fields });

it('a repository returns what was created, exactly', async () => {
  const data = JSON.parse('{"__proto__":{"a":1},"big":1e300,"deep":[[[{}]]],"lone":"\\ud800"}');
  const read = await jobs.records().get(await create({ data }));
  expect([JSON.stringify(read?.record.data), read?.version]).toEqual([JSON.stringify(data), 1]);
});

it('a change of a record that has changed since it was read is refused', async () => {
  const id = await create();
  const [one, other] = [table.open(), table.open()];
  const [mine, theirs] = [await one.records(kind).get(id), await other.records(kind).get(id)];
  if (mine === undefined || theirs === undefined) throw new Error('it is not there');
  await one.records(kind).update(mine, { state: 'done' });
  await one.session.commit();
  await other.records(kind).update(theirs, { state: 'held' });
  await expect(other.session.commit()).rejects.toThrow(StaleRead);
});

it('64 creates at once get 64 numbers without a conflict', async () => {
  await Promise.all(Array.from({ length: 64 }, () => create()));
  const { total, ids } = await jobs.read();
  expect([total, new Set(ids).size, await jobs.gaps()]).toEqual([64, 64, []]);
});

it.each([
  ['changed', (id: string) => jobs.change(id, { code: randomUUID() })],
  ['deleted', (id: string) => jobs.remove(id)],
])(
  'a record that was stored before its value was normalized leaves the claim of another alone when it is %s',
  async (_, end) => {
    const earlier = new TestList(table, entity<Job>('JOB', { unique: { code: (code) => code } }), {
      state: 'open',
      data: null,
    });
    const old = await earlier.createId({ code: 'A-1 ' });
    const other = await create({ code: 'A-1' });
    const holder = async (code: string) =>
      (await table.item(uniqueKey(table.org as never, 'JOB', 'code', code)))?.holder;
    await end(old);
    expect(await holder('A-1')).toBe(other);
    await expect(create({ code: 'A-1' })).rejects.toThrow(NotUnique);
    await end(other);
    expect(await holder('A-1')).toBeUndefined();
  },
);

it('a session does not end before the checks of a run that was dropped, for Lambda would stop them half-way', async () => {
  const { session } = table.open();
  let isDone = false;
  session.changes.check(async () => {
    await nextTurn();
    isDone = true;
  });
  session.restart();
  await session.commit();
  expect(isDone).toBe(true);
});
