import { randomUUID } from 'node:crypto';
import type { SortKey, Where } from '@custodia/counted-lists';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { entity, exact, flag, order, set, words } from '#table';
import { byExtent, sampled } from '../support/extent.ts';
import { answerOf } from '../support/plain-query.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** Any query of a list, whose fields have an index of some kind or none, against a plain array of its records. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly owner: string | null;
  readonly tags: readonly string[] | null;
  readonly name: string;
  readonly serial: string | null;
  readonly moved_at: string | null;
  readonly load: number | null;
  readonly active: boolean | null;
  readonly place: string | null;
  readonly due: string | null;
  readonly over?: true | null;
}

const table = useTable();
const isOver = ({ load }: Job): boolean => (load ?? 0) > 80;
const indexes = [
  set<keyof Job>('state'),
  set<keyof Job>('owner'),
  set<keyof Job>('tags'),
  flag<keyof Job>('over', isOver),
  words<keyof Job>(['name']),
  exact<keyof Job>('serial'),
  order<keyof Job>('moved_at'),
];
const jobs = new TestList(table, entity<Job>('JOB', { indexes }));
/** A release without any index. */
const before = new TestList(table, entity<Job>('JOB'));

const VALUES = {
  state: ['open', 'held', 'done'],
  owner: ['ana', 'rui', 'zé', null],
  serial: ['sn-1', 'sn-2', '', ' \n', '#', 'é'.repeat(500), '\u{10FFFF}\n000000000000', null],
  moved_at: ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-03-01T12:00:00.000Z', null],
  load: [-1, 0, 2, 10, 80, 81, 100, null],
  active: [true, false, null],
  place: ['a', 'A', 'b', '', 'é', null],
  due: ['2026-01-01', '2026-02-28', '2026-10-01', null],
} as const;
type Field = keyof typeof VALUES;
const FIELDS = Object.keys(VALUES) as readonly Field[];
const TAGS = ['vip', 'VIP', ' vip', 'a,b', 'a=b', '#', '😀'.repeat(100), '__proto__'];
const NAMES = ['Acme', 'Acme Lisbon', 'Lisbon, Porto', 'acme porto', 'Zz'];
const QUERIES = ['acme', 'ac lis', 'por', 'lisbon acme', 'nobody'];

const job = fc.record({
  ...(Object.fromEntries(FIELDS.map((field) => [field, fc.constantFrom<unknown>(...VALUES[field])])) as {
    [field in Field]: fc.Arbitrary<never>;
  }),
  tags: fc.option(fc.subarray(TAGS)),
  name: fc.constantFrom(...NAMES),
});

const anyOf = (field: Field): fc.Arbitrary<Where> =>
  fc.uniqueArray(fc.constantFrom(...VALUES[field]), { maxLength: 3 }).map((some) => ({ field, anyOf: some }));
const range = (field: Field): fc.Arbitrary<Where> => {
  const bound = fc.option(fc.constantFrom(...VALUES[field].filter((value) => typeof value !== 'boolean')), {
    nil: undefined,
  });
  return fc
    .record({ from: bound, before: bound, upTo: bound })
    .map((bounds) => ({ field, ...Object.fromEntries(Object.entries(bounds).filter(([, value]) => value != null)) }));
};
const where: fc.Arbitrary<Where> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FIELDS).chain(anyOf) },
  { weight: 3, arbitrary: fc.constantFrom(...FIELDS.filter((field) => field !== 'active')).chain(range) },
  fc.subarray(TAGS, { minLength: 1 }).map((allOf) => ({ field: 'tags', allOf })),
  fc.constantFrom<Where>({ field: 'over', anyOf: [true] }, { field: 'over', anyOf: [false] }),
  fc.constantFrom(...QUERIES).map((text) => ({ field: 'q', words: text })),
);

const ALONE: readonly Where[] = [
  ...FIELDS.flatMap((field): Where[] => [
    ...VALUES[field].map((value) => ({ field, anyOf: [value] })),
    { field, anyOf: VALUES[field].slice(0, 2) },
  ]),
  ...(['moved_at', 'load', 'due'] as const).flatMap((field) =>
    VALUES[field]
      .filter((bound) => bound !== null)
      .flatMap((bound): Where[] => [
        { field, from: bound },
        { field, before: bound },
        { field, upTo: bound },
      ]),
  ),
  ...[...TAGS.map((tag) => [tag]), TAGS.slice(0, 2)].map((allOf) => ({ field: 'tags', allOf })),
  ...[true, false].map((isTrue) => ({ field: 'over', anyOf: [isTrue] })),
  ...QUERIES.map((text) => ({ field: 'q', words: text })),
];

const query = fc.record({
  where: fc.array(where, { maxLength: 3 }),
  sort: fc.uniqueArray<SortKey, string>(
    fc.record({ field: fc.constantFrom(...FIELDS, 'created_at', 'created_at'), descending: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 2,
      selector: ({ field }) => field,
    },
  ),
  page_size: fc.constantFrom(1, 2, 7, 100),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

const isOfNothing = (wanted: Where): boolean => 'anyOf' in wanted && wanted.anyOf.length === 0;

/** Whether an index answers a condition, where it has all records. */
function isIndexed(wanted: Where): boolean {
  if (!('anyOf' in wanted)) return 'words' in wanted || ['tags', 'moved_at'].includes(wanted.field);
  if (isOfNothing(wanted)) return true;
  if (wanted.field === 'serial') return wanted.anyOf.length === 1 && typeof wanted.anyOf[0] === 'string';
  return wanted.field === 'over' || (['state', 'owner'].includes(wanted.field) && !wanted.anyOf.includes(null));
}

const isByNumber = (sort: readonly SortKey[]): boolean => sort[0]?.field === 'created_at';

/** Whether the records must decide; undefined where either way may be cheaper. */
function isResidual({ where: all, sort }: Query, isBuilt: boolean): boolean | undefined {
  if (!isBuilt) return !all.every(isOfNothing) || !isByNumber(sort);
  if (!all.every(isIndexed)) return true;
  if (isByNumber(sort)) return false;
  return sort.length === 1 && sort[0]?.field === 'moved_at' ? undefined : true;
}

/** Reads all pages of a query, and one after the last. */
async function readAll(asked: Query) {
  const ids: string[] = [];
  const totals = new Set<number>();
  const isResidualRead = new Set<boolean>();
  for (let page = 1; ; page++) {
    const { records, total, residualUnits } = await jobs.records().page({ ...asked, page });
    totals.add(total);
    isResidualRead.add(residualUnits !== undefined);
    if (records.length === 0) return { ids, totals: [...totals], isResidualRead };
    ids.push(...records.map(({ record }) => record.id));
  }
}

describe.each([
  ['whose indexes have all records', jobs, true],
  ['that is older than its indexes', before, false],
])('a list %s', (_, writer, isBuilt) => {
  let org: string;
  let rows: readonly (Omit<Job, 'over'> & { readonly over: boolean })[];
  beforeAll(async () => {
    org = newOrganization(table);
    for (const fields of fc.sample(job, { numRuns: 40, seed: 7 })) await writer.create(fields);
    const [gone, changed, ...others] = await writer.stored();
    if (gone !== undefined) await writer.remove(gone.id);
    if (changed !== undefined)
      await writer.change(changed.id, { state: 'done', load: 99, name: 'Porto', tags: ['a,b'] });
    if (others[0] !== undefined) await writer.change(others[0].id, { load: 1, moved_at: null, serial: 'sn-2' });
    rows = (await writer.stored()).map((row) => ({ ...row, over: isOver(row) }));
  });

  it.each([...FIELDS, 'over', 'tags', 'unknown'])('has nothing by none of the values of %s', async (field) => {
    table.org = org;
    const { total, records, residualUnits } = await jobs.page({ where: [{ field, anyOf: [] }] });
    expect([total, records, residualUnits]).toEqual([0, [], undefined]);
  });

  const check = async (asked: Query) => {
    table.org = org;
    const expected = answerOf(rows, asked.where, asked.sort, ['name']);
    const { ids, totals, isResidualRead } = await readAll(asked);
    expect(ids).toEqual(expected.map(({ id }) => id));
    expect(totals).toEqual([expected.length]);
    const residual = isResidual(asked, isBuilt);
    if (residual !== undefined) expect([...isResidualRead]).toEqual([residual]);
  };

  it('answers each condition alone as a plain array does, and a list in each order', async () => {
    const byNumber = { field: 'created_at', descending: false };
    for (const alone of sampled(ALONE, 30)) await check({ where: [alone], sort: [byNumber], page_size: 100 });
    for (const descending of [false, true])
      await check({ where: [], sort: [{ field: 'moved_at', descending }], page_size: 7 });
  });

  it('has the records with some ids, and those of which a test accepts a value', async () => {
    const ids = new Set([...rows.filter((_, index) => index % 4 === 0).map(({ id }) => id), randomUUID()]);
    const accepted: Where = { field: 'place', accepts: (value) => value === 'a' || value === null };
    const further: readonly Where[] = [
      accepted,
      { field: 'state', anyOf: ['open', 'held'] },
      { field: 'id', ids: new Set() },
    ];
    for (const where of [[accepted], [{ field: 'id', ids }], ...further.map((each) => [{ field: 'id', ids }, each])])
      for (const field of ['created_at', 'load'])
        await check({ where, sort: [{ field, descending: true }], page_size: 2 });
  });

  it('answers any query as a plain array does, page by page', async () => {
    const runs = byExtent({ sample: 25, extended: 300, nightly: 3_000 });
    await fc.assert(fc.asyncProperty(query, check), { numRuns: runs });
  });
});
