import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, set, type Tenant, words } from '#table';
import { isFound, wantedWords, wordsOf } from '../../shared/words.ts';
import { type Asked, asked } from '../support/asked.ts';
import { ofRecords, wordsIn } from '../support/audit.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent, sampled } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { NO_FAULTS, newOrganization, TestList, useTable } from './test-list.ts';

/**
 * Compares lists, filtered and by words, with a plain array: random creates, moves, deletes, restorations and reads, sequential and
 * concurrent, by processes whose clocks differ by minutes and months, with wrong estimates of sizes, with conflicting
 * transactions, and with crashes and network failures at any call.
 */

interface Job {
  id: string;
  state: string;
  owner: string;
  place: string | null;
  name: string;
  slug: string | null;
}

const VALUES = { state: ['open', 'done', 'held'], owner: ['ana', 'rui'], place: ['north', null] } as const;
type Filter = { readonly [field in keyof typeof VALUES]?: string };
const NAMES = [
  'Acme',
  'ACME Lda',
  'Ácme',
  'acme#',
  'Straße',
  'STRASSE 2',
  '株式会社',
  '  株 ',
  '\u0301',
  '#%',
  'ﷺ',
  'Łask',
];
const QUERIES = ['a', 'AC', 'acme ', 'lda ac', 'acme#', 'stras', 'strasse ac', 'ß', '株', '#', '%', 'ﷺ', 'x', 'las'];

const table = useTable();
const kind = entity<Job>('JOB', {
  indexes: [set('state'), set('owner'), set('place'), words(['name'], { claims: ['slug'] })],
  restorable: { title: 'name' },
  unique: { slug: (slug: string) => slug },
});
const jobs = new TestList(table, kind, {}, { ...VALUES, place: ['north'] });

const MINUTE = 60_000;
const DAY = 86_400_000;
/** How wrong clocks are. */
const ERRORS = [0, 0, -10 * MINUTE, 10 * MINUTE, -60 * DAY, 60 * DAY];
const NOW = Date.now();
const PAGE_SIZE = 3;

const fields = fc.record({
  state: fc.constantFrom(...VALUES.state),
  owner: fc.constantFrom(...VALUES.owner),
  place: fc.constantFrom(...VALUES.place),
  name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })),
  slug: fc.constantFrom('acme', 'a', 'strasse', null, null, null),
});
const alsoBy = (field: keyof Filter, values: readonly string[], filters: readonly Filter[]): readonly Filter[] => [
  ...filters,
  ...filters.flatMap((filter) => values.map((value) => ({ ...filter, [field]: value }))),
];
/** Every combination of every value, and of none of them. */
const FILTERS = alsoBy('state', VALUES.state, alsoBy('owner', VALUES.owner, alsoBy('place', ['north'], [{}])));

const step = fc.record({
  does: fc.constantFrom(
    'create',
    'create',
    'create',
    'create',
    'create',
    'move',
    'move',
    'move',
    'delete',
    'delete',
    'delete',
    'restore',
    'restore',
    'end',
    'read',
  ),
  error: fc.constantFrom(...ERRORS),
  which: fc.nat(40),
  fields,
  filter: fc.constantFrom(...FILTERS),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const FAULTS: readonly Fault[] = [
  ...(['crash', 'crash-after', 'reply-lost', 'dropped', 'timeout'] as const),
  ...(['applied-server-error', 'conflict', 'throttled'] as const),
];
const fault = fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(9) });
/** Steps that are done at the same time, by one process, which may meet a fault. */
const actsWith = (faults: fc.Arbitrary<{ readonly kind: Fault; readonly at: number } | undefined>) =>
  fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), fault: faults }), {
    minLength: 1,
    maxLength: 8,
  });
type Acts = ReturnType<typeof actsWith> extends fc.Arbitrary<infer A> ? A : never;

/** @returns the ids of records whose creation and deletion were acknowledged, where they were not perhaps restored */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each act, beside its model
async function play(acts: Acts) {
  newOrganization(table);
  const created = new Set<string>();
  const deleted = new Set<string>();
  /** Deleted and restored at once, or perhaps restored. */
  const unclear = new Set<string>();
  const conflicts = new Conflicts({ milliseconds: 2 });
  for (const { steps, fault } of acts) {
    const handler = new ConflictingHandler(conflicts);
    handler.follow(({ index }) => (index === fault?.at ? fault.kind : undefined));
    const process = table.over(handler);
    const known = [...created];
    const done = steps.map((what) => {
      // A clock that stands: on a busy machine a second for releasing a number could otherwise be over.
      const tenant = openTenant(process, table.org, () => NOW + what.error);
      return doIn(tenant, () => run(tenant, what, known));
    });
    const restored = new Set<string>();
    for (const [index, outcome] of (await Promise.allSettled(done)).entries()) {
      const { does, which } = steps[index] as Step;
      const id = known[which % Math.max(known.length, 1)] ?? '';
      if (outcome.status === 'fulfilled') {
        if (outcome.value.created !== undefined) created.add(outcome.value.created);
        if (outcome.value.deleted !== undefined) deleted.add(outcome.value.deleted);
        if (outcome.value.restored !== undefined) restored.add(outcome.value.restored);
        continue;
      }
      if (does === 'restore') unclear.add(id);
      if (fault === undefined && outcome.reason.name !== 'NotUnique') throw outcome.reason;
    }
    // Who deletes and restores at once may come first or last.
    const isAlsoDeleted = (id: string): boolean =>
      steps.some(({ does, which }) => does === 'delete' && known[which % known.length] === id);
    for (const id of restored) {
      deleted.delete(id);
      if (isAlsoDeleted(id)) unclear.add(id);
    }
  }
  return { created, deleted, unclear };
}

type Outcome = { readonly created?: string; readonly deleted?: string; readonly restored?: string };
async function run(tenant: Tenant, what: Step, known: readonly string[]): Promise<Outcome> {
  const records = tenant.records(kind);
  if (what.does === 'create') return { created: (await records.create({ fields: what.fields })).record.id };
  if (what.does === 'read') {
    const page = await records.page(asked({ page_size: PAGE_SIZE, filter: what.filter }));
    for (const { record } of page.records) expect(record).toMatchObject(what.filter);
    return {};
  }
  const id = known[what.which % Math.max(known.length, 1)];
  if (what.does === 'restore' || what.does === 'end') return runInTrash(tenant, what.does, id);
  const found = id === undefined ? undefined : await records.get(id);
  if (found === undefined) return {};
  if (what.does === 'move') {
    await records.update(found, what.fields);
    return {};
  }
  records.remove(found);
  return { deleted: found.record.id };
}

async function runInTrash(tenant: Tenant, does: 'restore' | 'end', id: string | undefined): Promise<Outcome> {
  const trash = tenant.trashOf(kind);
  const found = id === undefined ? undefined : await trash.get(id);
  if (found === undefined) return {};
  if (does === 'restore') return { restored: (await trash.restore(found)).record.id };
  trash.end(found);
  return {};
}

/** A record without a slug has none stored. */
const claimed = (slug: string | null | undefined): string[] => (typeof slug === 'string' ? [slug] : []);

const readAt = (error: number, query: Asked) => jobs.read({ page_size: PAGE_SIZE, ...query }, { at: NOW + error });

/** Compares every page of a list, read in both orders by readers whose clocks differ, with the stored records. */
async function checkList(query: { filter?: Filter; q?: string }, expected: readonly string[]): Promise<void> {
  const pages = Array.from({ length: Math.ceil((expected.length + 1) / PAGE_SIZE) }, (_, index) => index);
  for (const sort of ['created_at', '-created_at'] as const) {
    const read = await Promise.all(
      pages.map((index) => readAt(ERRORS[index % ERRORS.length] ?? 0, { ...query, sort, page: index + 1 } as Asked)),
    );
    const name = `${JSON.stringify(query)} by ${sort}`;
    const ids = read.flatMap((page) => page.ids);
    expect(ids, `records of ${name}`).toEqual(sort === 'created_at' ? expected : expected.toReversed());
    expect([...new Set(read.map(({ total }) => total))], `totals of ${name}`).toEqual([expected.length]);
  }
}

async function checkLists(filters: readonly Filter[]): Promise<void> {
  const records = await jobs.stored();
  const has = (job: Job, filter: Filter) =>
    Object.entries(filter).every(([field, value]) => job[field as keyof Job] === value);
  for (const filter of filters) {
    const ids = records.filter((job) => has(job, filter)).map(({ id }) => id);
    await checkList({ filter }, ids);
  }
  for (const q of sampled(QUERIES, 3)) {
    const wanted = wantedWords(q);
    const matching = records.filter(({ name, slug }) =>
      wanted.every((each) => isFound(each, wordsOf([name], claimed(slug)), claimed(slug))),
    );
    await checkList(
      { q },
      matching.map(({ id }) => id),
    );
    const open = matching.filter(({ state }) => state === 'open').map(({ id }) => id);
    await checkList({ q, filter: { state: 'open' } }, open);
  }
  const entries = records.reduce((sum, { name, slug }) => sum + wordsOf([name], claimed(slug)).length, 0);
  expect(ofRecords(await wordsIn(table.table, jobs.partition), records)).toHaveLength(entries);
}

const options = { numRuns: byExtent({ sample: 3, extended: 6, nightly: 100 }) };

it('lists are exactly what is stored, at once, where nothing fails', async () => {
  await fc.assert(
    fc.asyncProperty(actsWith(fc.constant(undefined)), async (acts) => {
      const { created, deleted, unclear } = await play(acts);
      const ids = (await jobs.stored()).map(({ id }) => id);
      const clear = (some: readonly string[]) => some.filter((id) => !unclear.has(id)).toSorted();
      expect(clear(ids)).toEqual(clear([...created].filter((id) => !deleted.has(id))));
      await checkLists(FILTERS);
      expect(await jobs.audit()).toEqual(NO_FAULTS);
    }),
    options,
  );
});

it('lists are exactly what is stored, whatever fails: filtered ones at once, the whole one but for numbers in flight until they are read', async () => {
  await fc.assert(
    fc.asyncProperty(actsWith(fc.option(fault, { nil: undefined, freq: 2 })), async (acts) => {
      const { created, deleted, unclear } = await play(acts);
      const ids = new Set((await jobs.stored()).map(({ id }) => id));
      expect([...deleted].filter((id) => ids.has(id) && !unclear.has(id))).toEqual([]);
      // A delete may have been carried out by a process that then died: only then may an acknowledged record be gone.
      const mayBeGone = acts.some((act) => act.fault !== undefined && act.steps.some(({ does }) => does === 'delete'));
      if (!mayBeGone)
        expect([...created].filter((id) => !deleted.has(id) && !ids.has(id) && !unclear.has(id))).toEqual([]);

      const { lost, faults } = await jobs.audit();
      expect(faults).toEqual([]);
      const total = ids.size + lost.length;
      expect((await readAt(0, { page: 1_000 })).total).toBe(total);
      await checkLists(FILTERS.slice(1));
      // One read of each page of the whole list, some months later.
      for (let page = Math.ceil(total / PAGE_SIZE); page >= 1; page--) await readAt(90 * DAY, { page });
      expect(await jobs.audit()).toEqual(NO_FAULTS);
      await checkLists(FILTERS);
      expect((await jobs.verify(false)).differences).toEqual([]);
    }),
    options,
  );
});
