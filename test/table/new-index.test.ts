import { expect, it } from 'vitest';
import { entity, exact, flag, order, set, words } from '#table';
import { TestList, useTable } from './test-list.ts';

/** A list that a release with further indexes begins, while the release before still writes, as `docs/adding-a-filter.md` says. */

interface Job {
  id: string;
  owner: string;
  serial: string;
  title: string;
  moved_at: string;
  is_red?: true | null;
}

const table = useTable();
const DEFAULTS = { owner: 'ana', serial: 's', title: 'red door', moved_at: '2026-11-20T09:00:00.000Z' };
const before = new TestList(table, entity<Job>('JOB', {}), DEFAULTS);
const indexes = [
  set('owner'),
  exact('serial'),
  order('moved_at'),
  words(['title']),
  flag('is_red', ({ title }: Job) => title.startsWith('red')),
] as const;
const after = new TestList(table, entity<Job>('JOB', { indexes: [...indexes] }), DEFAULTS);

it('has what both write by sets, values and orders, and by flags and words once it is repaired', async () => {
  const byNew = await after.createId();
  const byOld = await before.createId();
  const page = { page: 1, page_size: 10 };
  const totalOf = async (where: Parameters<ReturnType<typeof after.records>['page']>[0]['where']) =>
    (await after.records().page({ ...page, where: where ?? [] })).total;
  const totals = () =>
    Promise.all([
      totalOf([{ field: 'owner', anyOf: ['ana'] }]),
      totalOf([{ field: 'serial', anyOf: ['s'] }]),
      totalOf([{ field: 'moved_at', from: '2026-11-20T00:00:00.000Z' }]),
      totalOf([{ words: 'door' }]),
      totalOf([{ field: 'is_red', anyOf: [true] }]),
    ]);
  expect(await totals()).toEqual([2, 2, 2, 1, 1]);
  await after.verify(true);
  expect(await totals()).toEqual([2, 2, 2, 2, 2]);
  const sorted = await after.records().page({ ...page, sort: [{ field: 'moved_at', descending: false }] });
  expect(sorted.records.map(({ record }) => record.id)).toEqual([byNew, byOld]);
});
