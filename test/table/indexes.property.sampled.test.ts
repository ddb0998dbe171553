import type { SortKey, Where } from '@custodia/counted-lists';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, exact, flag, order, set, type Tenant, words } from '#table';
import { countedBy, kind } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { wordsOf } from '../../shared/words.ts';
import { itemsIn, ofRecords, wordsIn } from '../support/audit.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent, sampled } from '../support/extent.ts';
import type { Fault, FaultyHandler } from '../support/faults.ts';
import { type Paused, PausingHandler } from '../support/pauses.ts';
import { answerOf } from '../support/plain-query.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { NO_FAULTS, newOrganization, TestList, useTable } from './test-list.ts';

/**
 * The indexes of a list, one of every kind, after any writes: creations, changes, deletions, counters and times that move without a version, at the
 * same time, by writers that conflict, crash, lose replies or sleep for months, and by other releases. Then each has what the records have, which
 * verifying finds too, and every condition finds what a plain array does.
 */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly tags: readonly string[] | null;
  readonly name: string;
  readonly serial: string | null;
  readonly load: number;
  readonly issues: number;
  readonly moved_at: string | null;
  readonly over?: true | null;
  readonly at_risk?: true | null;
}
/** Is counted by its job. */
interface Task {
  readonly id: string;
  readonly job_id: string;
}
type Fields = Omit<Job, 'id' | 'issues' | 'over' | 'at_risk'>;

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.now();
const LATER = NOW + 90 * DAY;
const timeAt = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

const table = useTable();
const isOver = ({ load }: Job): boolean => load > 80;
const ofState = set<keyof Job>('state');
const ofTags = set<keyof Job>('tags');
const ofLoad = flag<keyof Job>('over', isOver);
const ofIssues = flag<keyof Job, keyof Job>('at_risk', { counter: 'issues' });
const ofName = words<keyof Job>(['name']);
const ofSerial = exact<keyof Job>('serial');
const ofTime = order<keyof Job>('moved_at');
const INDEXES = [ofState, ofTags, ofLoad, ofIssues, ofName, ofSerial, ofTime];
type Index = (typeof INDEXES)[number];

const STATES = ['open', 'held', 'done'];
const TAGS = ['vip', 'x', 'y'];
const values = { state: STATES, over: [true], at_risk: [true] };
const release = (indexes: readonly Index[]) =>
  new TestList(table, entity<Job>('JOB', { indexes }), { issues: 0 }, values);
const jobs = release(INDEXES);
const tasks = new TestList(table, entity<Task>('TASK', { indexes: [set('job_id')] }));
const KINDS = [kind(jobs.entity, { counters: { issues: [countedBy(tasks.entity, 'job_id')] } }), kind(tasks.entity)];
const differences = async (repair: boolean) => (await verify(table.open(), KINDS, { repair })).differences;
/** A release that declares one index. */
const before = release([ofState]);
/** One with another rule, and other words of the same records. */
const other = release([
  ...INDEXES.filter((index) => index !== ofLoad && index !== ofName),
  flag('over', ({ load }: Job) => load > 50),
  words(['name', 'state']),
]);

const fields: fc.Arbitrary<Fields> = fc.record({
  state: fc.constantFrom(...STATES),
  tags: fc.option(fc.subarray(TAGS)),
  name: fc.constantFrom('Acme', 'Acme Lisbon', 'Lisbon, Porto', 'acme#', 'Zz'),
  serial: fc.constantFrom('sn-1', 'sn-2', '', null),
  load: fc.constantFrom(0, 60, 80, 81, 99),
  moved_at: fc.constantFrom(timeAt(0), timeAt(1), timeAt(2), null),
});
const step = fc.record({
  does: fc.constantFrom(
    'create',
    'create',
    'create',
    'change',
    'change',
    'count',
    'count',
    'uncount',
    'move',
    'delete',
  ),
  /** How wrong the writer's clock is. */
  error: fc.constantFrom(0, 0, -10 * MINUTE, 10 * MINUTE, -60 * DAY, 60 * DAY),
  which: fc.nat(20),
  fields,
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const FAULTS: readonly Fault[] = [
  ...(['crash', 'crash-after', 'reply-lost', 'dropped', 'timeout'] as const),
  ...(['applied-server-error', 'conflict', 'throttled', 'forgotten'] as const),
];
/** Steps at the same time by one process: it may meet a fault, or sleep before its first transaction until all others are done. */
const actsOf = (releases: readonly TestList<Job>[]) =>
  fc.array(
    fc.record({
      by: fc.constantFrom(...releases),
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
      fault: fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(9) }), { nil: undefined }),
      sleeps: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 2, maxLength: 8 },
  );
type Acts = ReturnType<typeof actsOf> extends fc.Arbitrary<infer A> ? A : never;

const GONE = new Error('it is gone');

/** @returns the id of a record that it has created */
async function run(tenant: Tenant, by: TestList<Job>, { does, which, fields: given }: Step, known: readonly string[]) {
  const records = tenant.records(by.entity);
  if (does === 'create') return (await records.create({ fields: { issues: 0, ...given } })).record.id;
  const id = known[which % Math.max(known.length, 1)] ?? '';
  const found = id === '' ? undefined : await records.get(id);
  if (found === undefined) return undefined;
  if (does === 'count') await count(tenant, by, id);
  if (does === 'uncount') await uncount(tenant, by, id);
  if (does === 'move') records.derived.move(found, 'moved_at', () => GONE);
  if (does === 'change') await records.update(found, given);
  if (does === 'delete') await records.remove(found);
  return undefined;
}

async function count(tenant: Tenant, by: TestList<Job>, id: string): Promise<void> {
  tenant.records(by.entity).derived.adjust(id, { add: { issues: 1 } }, () => GONE);
  await tenant.records(tasks.entity).create({ fields: { job_id: id } });
}

async function uncount(tenant: Tenant, by: TestList<Job>, id: string): Promise<void> {
  const records = tenant.records(tasks.entity);
  const [task] = (await records.page({ page: 1, page_size: 1, where: [{ field: 'job_id', anyOf: [id] }] })).records;
  if (task === undefined) return;
  tenant.records(by.entity).derived.adjust(id, { add: { issues: -1 } }, () => GONE);
  await records.remove(task);
}

async function play(acts: Acts, eachMoment?: () => Promise<void>): Promise<void> {
  newOrganization(table);
  const known: string[] = [];
  const conflicts = new Conflicts({ milliseconds: 2 });
  const asleep: Sleeping[] = [];
  for (const act of acts) {
    // What else a sleeping process does ends at any time.
    const alone = eachMoment === undefined ? act : { ...act, steps: act.steps.slice(0, 1) };
    if (act.sleeps) asleep.push(await sleeping(alone, known));
    else known.push(...createdIn(await begin(act, new ConflictingHandler(conflicts), known), act));
    await eachMoment?.();
  }
  // Readers close the numbers of those who sleep.
  await readWhole();
  for (const { paused } of asleep) paused.release();
  await Promise.all(asleep.map(({ done }) => done));
  await readWhole();
}

/** The ids of records that were created. @throws what no fault explains */
function createdIn(outcomes: readonly PromiseSettledResult<string | undefined>[], { fault }: Acts[number]): string[] {
  for (const outcome of outcomes)
    if (outcome.status === 'rejected' && fault === undefined && outcome.reason !== GONE) throw outcome.reason;
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
}

/** The steps of an act, by one process. */
function begin({ by, steps, fault }: Acts[number], handler: FaultyHandler, known: readonly string[]) {
  handler.follow(({ index }) => (index === fault?.at ? fault.kind : undefined));
  const own = [...known];
  return Promise.allSettled(
    steps.map((each) => {
      const tenant = openTenant(table.over(handler), table.org, () => NOW + each.error);
      return doIn(tenant, () => run(tenant, by, each, own));
    }),
  );
}

interface Sleeping {
  readonly paused: Paused;
  readonly done: Promise<unknown>;
}

/** The same, where the first transaction sleeps. */
async function sleeping(act: Acts[number], known: readonly string[]): Promise<Sleeping> {
  const handler = new PausingHandler();
  const paused = handler.pauseBefore('TransactWriteItems');
  const done = begin({ ...act, fault: undefined }, handler, known);
  await Promise.race([paused.reached, done]);
  return { paused, done };
}

/** Reads the lists some months later. */
async function readWhole(): Promise<void> {
  await Promise.all([jobs.read({}, { at: LATER }), tasks.read({}, { at: LATER })]);
}

const QUERIES: readonly Where[] = [
  ...STATES.map((state): Where => ({ field: 'state', anyOf: [state] })),
  { field: 'state', anyOf: ['open', 'held'] },
  ...TAGS.map((tag): Where => ({ field: 'tags', allOf: [tag] })),
  { field: 'tags', allOf: ['vip', 'x'] },
  ...['over', 'at_risk'].flatMap((field) => [true, false].map((value): Where => ({ field, anyOf: [value] }))),
  ...['acme', 'lis', 'por lis', 'open', 'acme#'].map((text): Where => ({ field: 'q', words: text })),
  ...['sn-1', 'sn-2', ''].map((value): Where => ({ field: 'serial', anyOf: [value] })),
  { field: 'moved_at', from: timeAt(1) },
  { field: 'moved_at', before: timeAt(1) },
  { field: 'moved_at', from: timeAt(1), before: timeAt(2) },
];
const SORTS: readonly SortKey[] = ['created_at', 'moved_at'].flatMap((field) =>
  [true, false].map((descending) => ({ field, descending })),
);

/** Compares what each index has, and each list by it, with the stored records. */
async function expectRight(): Promise<void> {
  expect(await differences(false)).toEqual([]);
  expect(await jobs.audit()).toEqual(NO_FAULTS);
  const stored = await jobs.stored();
  const items = async (name: string) =>
    ofRecords(await itemsIn(table.table, `${jobs.partition}#${name}`), stored).length;
  expect([
    ofRecords(await wordsIn(table.table, jobs.partition), stored).length,
    await items('serial#VALUE'),
    await items('moved_at#ORDER'),
  ]).toEqual([
    stored.reduce((sum, { name }) => sum + wordsOf([name], []).length, 0),
    stored.filter(({ serial }) => serial !== null).length,
    stored.length,
  ]);
  await expectAnswers(stored, [undefined, ...QUERIES], { at: LATER });
}

/** Queries that are answered by entries in advance, by exact values, and in an order. */
const OF_ITEMS = QUERIES.filter((each) => 'words' in each || ['serial', 'moved_at'].includes(each.field));

/** Compares lists by indexes with the stored records, while writers may sleep between the entries of their records and these. */
const expectRightAtOnce = async () => expectAnswers(await jobs.stored(), [undefined, ...OF_ITEMS]);

async function expectAnswers(
  stored: readonly Job[],
  queries: readonly (Where | undefined)[],
  how?: { readonly at: number },
): Promise<void> {
  const rows = stored.map((row) => ({ ...row, over: isOver(row), at_risk: row.issues > 0 }));
  for (const [index, wanted] of queries.entries()) {
    const where = wanted === undefined ? [] : [wanted];
    const sort = [SORTS[index % SORTS.length] ?? { field: 'created_at', descending: true }];
    const { records, total } = await jobs.records(how).page({ page: 1, page_size: 100, where, sort });
    const expected = answerOf(rows, where, sort, ['name']).map(({ id }) => id);
    expect({ where, sort, total, ids: records.map(({ record }) => record.id) }).toEqual({
      where,
      sort,
      total: expected.length,
      ids: expected,
    });
  }
}

const options = { numRuns: byExtent({ sample: 3, extended: 30, nightly: 400 }) };

it('indexes are what the records say, whoever writes and whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(actsOf([jobs]), async (acts) => {
      await play(acts, expectRightAtOnce);
      await expectRight();
    }),
    options,
  );
});

it('indexes are what the records say after a repair, whichever releases have written', async () => {
  await fc.assert(
    fc.asyncProperty(actsOf([jobs, before, other]), async (acts) => {
      await play(acts);
      const found = await differences(true);
      expect(found.filter(({ repaired }) => !repaired)).toEqual([]);
      const kinds = ['filter-not-built', 'wrong-note'];
      // What a writer that has crashed left in advance.
      const isLeft = ({ text }: (typeof found)[number]) => /^JOB number \d+ is in (words~|moved_at>)=/.test(text);
      expect(found.filter((each) => !kinds.includes(each.kind) && !isLeft(each))).toEqual([]);
      await expectRight();
    }),
    options,
  );
});

it('a record leaves every index when a release deletes it that declares one of them', async () => {
  for (const given of fc.sample(fields, { numRuns: 6, seed: 1 })) await jobs.create(given);
  for (const { id } of await jobs.stored()) await before.remove(id);
  const ofItems = ['serial#VALUE', 'moved_at#ORDER'].map((name) => itemsIn(table.table, `${jobs.partition}#${name}`));
  expect((await Promise.all([wordsIn(table.table, jobs.partition), ...ofItems])).flat()).toEqual([]);
  expect(await differences(false)).toEqual([]);
});

type Entries = readonly { readonly text?: string; readonly field?: string; readonly value?: string }[];

/** An index as a release would have it that makes wrong entries. */
const wrongly = (index: Index, made: (entries: Entries) => Entries): Index => ({
  ...index,
  in: (...at) => {
    const right = index.in(...at) as ReturnType<Index['in']> & { readonly entriesOf: (item: never) => Entries };
    return { ...right, entriesOf: (item: never) => made(right.entriesOf(item)) };
  },
});
const none = () => [];
const nextOf = (all: readonly string[]) => (entries: Entries) =>
  entries.map((entry) => ({ ...entry, value: all[(all.indexOf(entry.value ?? '') + 1) % all.length] ?? '' }));
const withOtherText = (entries: Entries) => entries.map((entry) => ({ ...entry, text: `${entry.text}x` }));

const WRONG: readonly (readonly [string, Index, (entries: Entries) => Entries])[] = [
  ['a set that lacks all', ofState, none],
  ['a set that has another value', ofState, nextOf(STATES)],
  ['tags that lack all', ofTags, none],
  ['tags that are others', ofTags, nextOf(TAGS)],
  ['a flag that lacks all', ofLoad, none],
  ['a flag that has all', ofLoad, () => [{ field: 'over', value: 'true' }]],
  ['words that lack all', ofName, none],
  ['words that are others', ofName, withOtherText],
  ['exact values that lack all', ofSerial, none],
  ['exact values that are others', ofSerial, withOtherText],
  ['an order that lacks all', ofTime, none],
  ['an order at other times', ofTime, withOtherText],
];
it.each(sampled(WRONG, 6))('%s: verifying finds it and repairs it', async (_, index, made) => {
  const wrong = release(INDEXES.map((each) => (each === index ? wrongly(index, made) : each)));
  for (const given of fc.sample(fields, { numRuns: 6, seed: 1 })) await wrong.create(given);
  const found = await differences(false);
  expect(found.length).toBeGreaterThan(0);
  for (const each of found) expect(['missing-in-list', 'wrongly-in-list']).toContain(each.kind);
  expect(await differences(true)).toEqual(found.map((each) => ({ ...each, repaired: true })));
  await expectRight();
});
