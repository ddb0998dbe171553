import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Table } from '../../shared/table/connection/client.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { auditOf, recordsIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/**
 * Lists against a plain array. Random creates, moves, deletes and reads, one after another and many at once, by processes whose clocks disagree by
 * minutes and months, with transactions that conflict, and with a process dying or the network failing at any call.
 */

interface Job {
  id: string;
  state: string;
  owner: string;
  place: string | null;
}

const VALUES = { state: ['open', 'done', 'held'], owner: ['ana', 'rui'], place: ['north', null] } as const;
const jobs = entity<Job>('JOB', { filters: ['state', 'owner', 'place'] });

const MINUTE = 60_000;
const DAY = 86_400_000;
/** How wrong clocks are. */
const ERRORS = [0, 0, -10 * MINUTE, 10 * MINUTE, -60 * DAY, 60 * DAY];
const NOW = Date.now();

const fields = fc.record({
  state: fc.constantFrom(...VALUES.state),
  owner: fc.constantFrom(...VALUES.owner),
  place: fc.constantFrom(...VALUES.place),
});
type Fields = Omit<Job, 'id'>;
/** Any of the fields: every combination of filters. */
const filter = fc
  .tuple(fields, fc.subarray(['state', 'owner', 'place'] as const))
  .map(([values, given]) => filterOf(values, given));
const filterOf = (values: Fields, given: readonly (keyof Fields)[]): Filter =>
  Object.fromEntries(given.map((field) => [field, values[field]]).filter(([, value]) => value !== null));
type Filter = Readonly<Record<string, string>>;

type Step = { readonly error: number } & (
  | { readonly does: 'create'; readonly fields: Fields }
  | { readonly does: 'move'; readonly which: number; readonly fields: Fields }
  | { readonly does: 'delete'; readonly which: number }
  | { readonly does: 'read'; readonly filter: Filter; readonly page: number }
);

const error = fc.constantFrom(...ERRORS);
const which = fc.nat(40);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('create' as const), error, fields }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), error, which, fields }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), error, which }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('read' as const), error, filter, page: fc.integer({ min: 1, max: 4 }) }),
  },
);

interface Act {
  /** Done at the same time, by one process. */
  readonly steps: readonly Step[];
  readonly fault: { readonly kind: Fault; readonly at: number } | undefined;
}

const FAULTS: readonly Fault[] = [
  'crash',
  'crash-after',
  'reply-lost',
  'dropped',
  'timeout',
  'applied-server-error',
  'conflict',
  'throttled',
];
const fault = fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(9) });
const actsWith = (faults: fc.Arbitrary<Act['fault']>): fc.Arbitrary<Act[]> =>
  fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), fault: faults }), {
    minLength: 1,
    maxLength: 8,
  });

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

/** What was played. */
interface Played {
  readonly org: string;
  /** Ids whose creation and deletion were acknowledged. */
  readonly created: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

async function play(acts: readonly Act[]): Promise<Played> {
  const org = randomUUID();
  const created = new Set<string>();
  const deleted = new Set<string>();
  const conflicts = new Conflicts({ milliseconds: 2 });
  for (const { steps, fault } of acts) {
    const process = new ConflictingHandler(conflicts);
    process.follow(({ index }) => (index === fault?.at ? fault.kind : undefined));
    const itsTable = tableAt(fresh, process);
    const known = [...created];
    const outcomes = await Promise.allSettled(
      steps.map((what) =>
        doIn(openTenant(itsTable, org, clockAt(NOW + what.error)), (tenant) => run(tenant, what, known)),
      ),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        if (fault === undefined) throw outcome.reason;
        continue;
      }
      if (outcome.value.created !== undefined) created.add(outcome.value.created);
      if (outcome.value.deleted !== undefined) deleted.add(outcome.value.deleted);
    }
  }
  return { org, created, deleted };
}

interface Outcome {
  readonly created?: string;
  readonly deleted?: string;
}

async function run(tenant: Tenant, what: Step, known: readonly string[]): Promise<Outcome> {
  const records = tenant.records(jobs);
  if (what.does === 'create') return { created: (await records.create(what.fields)).record.id };
  if (what.does === 'read') {
    const page = await records.page({ page: what.page, page_size: PAGE_SIZE, sort: 'created_at', filter: what.filter });
    for (const { record } of page.records) expect(record).toMatchObject(what.filter);
    return {};
  }
  const id = known[what.which % Math.max(known.length, 1)];
  const found = id === undefined ? undefined : await records.get(id);
  if (found === undefined) return {};
  if (what.does === 'move') {
    await records.update(found, what.fields);
    return {};
  }
  records.remove(found);
  return { deleted: found.record.id };
}

const PAGE_SIZE = 3;
/** Every combination of every value, and of none of them. */
const FILTERS: readonly Filter[] = combinations(Object.entries(VALUES));

function combinations([first, ...others]: (readonly [string, readonly (string | null)[]])[]): Filter[] {
  if (first === undefined) return [{}];
  const [field, values] = first;
  const rest = combinations(others);
  return [
    ...rest,
    ...values.filter((value) => value !== null).flatMap((value) => rest.map((other) => ({ [field]: value, ...other }))),
  ];
}

const stored = async (org: string): Promise<Job[]> =>
  (await recordsIn(table, `ORG#${org}#JOB`)).map((item) => item as unknown as Job);

const readPage = (org: string, filter: Filter, page: number, sort: 'created_at' | '-created_at', clockError = 0) =>
  openTenant(table, org, clockAt(NOW + clockError))
    .records(jobs)
    .page({ page, page_size: PAGE_SIZE, sort, filter });

/** Every page of lists, walked in both orders by readers whose clocks disagree, against what is stored. */
async function check(org: string, filters: readonly Filter[]): Promise<void> {
  const records = await stored(org);
  for (const filter of filters) {
    const expected = records
      .filter((job) => Object.entries(filter).every(([field, value]) => job[field as keyof Job] === value))
      .map(({ id }) => id);
    const pages = Math.ceil((expected.length + 1) / PAGE_SIZE);
    for (const sort of ['created_at', '-created_at'] as const) {
      const read = await Promise.all(
        Array.from({ length: pages }, (_, index) =>
          readPage(org, filter, index + 1, sort, ERRORS[index % ERRORS.length]),
        ),
      );
      const ids = read.flatMap((page) => page.records.map(({ record }) => record.id));
      const name = `${JSON.stringify(filter)} by ${sort}`;
      expect(ids, `records of ${name}`).toEqual(sort === 'created_at' ? expected : expected.toReversed());
      expect([...new Set(read.map(({ total }) => total))], `totals of ${name}`).toEqual([expected.length]);
    }
  }
}

const audit = (org: string) => auditOf(table, `ORG#${org}#JOB`, { ...VALUES, place: ['north'] });
const options = { numRuns: byExtent({ sample: 6, extended: 12, nightly: 100 }) };

describe('lists', () => {
  it('are exactly what is stored, at once, where nothing fails', async () => {
    await fc.assert(
      fc.asyncProperty(actsWith(fc.constant(undefined)), async (acts) => {
        const { org, created, deleted } = await play(acts);
        const ids = (await stored(org)).map(({ id }) => id);
        expect(ids.toSorted()).toEqual([...created].filter((id) => !deleted.has(id)).toSorted());
        await check(org, FILTERS);
        expect(await audit(org)).toEqual({ lost: [], faults: [] });
      }),
      options,
    );
  });

  it('are exactly what is stored, whatever fails: filtered ones at once, the whole one but for numbers in flight until they are read', async () => {
    await fc.assert(
      fc.asyncProperty(actsWith(fc.option(fault, { nil: undefined, freq: 2 })), async (acts) => {
        const { org, created, deleted } = await play(acts);
        const ids = new Set((await stored(org)).map(({ id }) => id));
        for (const id of deleted) expect(ids.has(id), `${id} was deleted`).toBe(false);
        for (const id of created) {
          if (!deleted.has(id) && !ids.has(id)) expect(mayHaveDeletedUnseen(acts), `${id} was created`).toBe(true);
        }

        const before = await audit(org);
        expect(before.faults).toEqual([]);
        expect((await readPage(org, {}, 1_000, 'created_at')).total).toBe(ids.size + before.lost.length);
        await check(org, FILTERS.slice(1));
        await readEachOnce(org, ids.size + before.lost.length);
        expect(await audit(org)).toEqual({ lost: [], faults: [] });
        await check(org, FILTERS);
      }),
      options,
    );
  });
});

/** One read of each page of the whole list, some minutes later. */
async function readEachOnce(org: string, total: number): Promise<void> {
  for (let page = Math.ceil(total / PAGE_SIZE); page >= 1; page--) {
    await readPage(org, {}, page, 'created_at', 90 * DAY);
  }
}

/** A delete may have been carried out by a process that then died: only then may an acknowledged record be gone. */
const mayHaveDeletedUnseen = (acts: readonly Act[]): boolean =>
  acts.some(({ steps, fault }) => fault !== undefined && steps.some(({ does }) => does === 'delete'));
