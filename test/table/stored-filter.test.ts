import type { Where } from '@custodia/counted-lists';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { entity, set } from '#table';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** Records between those of a list that DynamoDB leaves out of what it returns, as far as what is stored decides. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly load: number;
  readonly place?: string | null;
}

const table = useTable();
const jobs = new TestList(table, entity<Job>('JOB', { indexes: [set('state')] }));

/** Every third place is absent, every third one null. */
const PLACES = [{}, { place: null }, { place: 'a' }] as const;
type Sample = Omit<Job, 'id'>;
const all: readonly Sample[] = Array.from({ length: 24 }, (_, load) => ({
  load,
  state: load % 2 === 0 ? 'open' : 'done',
  ...PLACES[load % 3],
}));

let org: string;
let ids: readonly string[];
/** What the queries of records have returned. */
let returned: number;
beforeAll(async () => {
  org = newOrganization(table);
  const created: string[] = [];
  for (const each of all) created.push(await jobs.createId(each));
  ids = created;
  table.table.client.middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const { ExpressionAttributeValues: values = {} } = call.input as { ExpressionAttributeValues?: object };
      if (Object.values(values).includes(jobs.partition)) returned += (result.output as { Count: number }).Count;
      return result;
    },
    { step: 'initialize', name: 'returned' },
  );
});
beforeEach(() => {
  table.org = org;
  returned = 0;
});

const isOpen = ({ state }: Sample): boolean => state === 'open';
const isInA = ({ place }: Sample): boolean => place === 'a';
const hasNoPlace = ({ place }: Sample): boolean => (place ?? null) === null;
const many = Array.from({ length: 100 }, (_, index) => `state-${index}`);

it.each<readonly [string, Where, (each: Sample) => boolean, boolean]>([
  ['values of an index', { field: 'state', anyOf: ['open', 'held'] }, isOpen, true],
  ['one of very many values', { field: 'state', anyOf: ['open', ...many] }, isOpen, false],
  ['a value that no item can have', { field: 'place', anyOf: ['a', '\ud800'] }, isInA, false],
  ['a value without an index', { field: 'place', anyOf: ['a'] }, isInA, true],
  ['no value, or none that is stored', { field: 'place', anyOf: [null] }, hasNoPlace, true],
  ['a number, which may be stored with more digits', { field: 'load', anyOf: [3] }, ({ load }) => load === 3, false],
])('%s', async (_, where, isListed, isFiltered) => {
  const expected = ids.filter((_id, index) => isListed(all[index] as Sample));
  const { records, total } = await jobs.page({ where: [where] });
  expect([records.map(({ record }) => record.id), total]).toEqual([expected, expected.length]);
  if (isFiltered) expect(returned).toBe(expected.length);
  else expect(returned).toBeGreaterThan(expected.length);
});
