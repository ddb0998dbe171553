import { randomUUID } from 'node:crypto';
import { ids, schema } from '@custodia/counted-lists';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { entity, set } from '#table';
import { writeItems } from '../support/write-items.ts';
import { TestList, useTable } from './test-list.ts';

/** Ranges of the time of creation: numbers are in its order, so that they are found in lists of any length. */

interface Line {
  readonly id: string;
  readonly level: string;
  readonly created_at: string;
}

const NOW = Date.parse('2026-11-26T12:00:00Z');
const MINUTE = 60_000;
const EVERY = 5 * MINUTE;
const BATCHES = 30;
const A_BATCH = 12;

const table = useTable(NOW);
const lines = new TestList(table, entity<Line>('LINE', { indexes: [set('level')], retentionDays: 30 }));
const timeOf = (batch: number, seconds = 0): number => NOW + batch * EVERY + seconds * 1_000;
const iso = (time: number): string => new Date(time).toISOString();

/** Of a line: when its writer began, some seconds before it got its number, and in no order. */
const delayOf = (index: number): number => (index * 7) % 25;

interface Known {
  readonly level: string;
  readonly at: number;
}

let org = '';
const known: Known[] = [];
beforeAll(async () => {
  for (let batch = 0; batch < BATCHES; batch++) {
    const made = Array.from({ length: A_BATCH }, (_, index) => ({
      level: index % 4 === 0 ? 'error' : 'info',
      at: timeOf(batch, index - delayOf(index)),
    }));
    known.push(...made);
    const fields = made.map(({ level, at }) => ({ level, created_at: iso(at) }));
    await lines.do((records) => records.createAll(fields), { at: timeOf(batch) });
  }
  org = table.org;
});

const LATER = { at: timeOf(BATCHES) };

async function pageOf(from: number | undefined, before: number | undefined, level?: string) {
  table.org = org;
  const range = { field: 'created_at', from: from && iso(from), before: before && iso(before) };
  const where = from === undefined && before === undefined ? [] : [range];
  return lines.page({ page_size: 25, where, filter: { level } }, LATER);
}

const expectedOf = (from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, level?: string): number =>
  known.filter((line) => line.at >= from && line.at < before && (level === undefined || line.level === level)).length;

describe('a list between two times', () => {
  const bound = fc.option(
    fc.tuple(fc.integer({ min: -2, max: BATCHES + 1 }), fc.integer({ min: -40, max: 40 })).map((at) => timeOf(...at)),
    { nil: undefined },
  );

  it('has what a plain array has, with the total, whatever the bounds are', async () => {
    await fc.assert(
      fc.asyncProperty(bound, bound, fc.constantFrom(undefined, 'error'), async (from, before, level) => {
        const { total, records } = await pageOf(from, before, level);
        const expected = expectedOf(from, before, level);
        expect([total, records.length]).toEqual([expected, Math.min(expected, 25)]);
        for (const { record } of records) {
          expect(Date.parse(record.created_at)).toBeGreaterThanOrEqual(from ?? 0);
          expect(Date.parse(record.created_at)).toBeLessThan(before ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('reads the records about its ends, and not those between them', async () => {
    const { total, residualUnits } = await pageOf(timeOf(3), timeOf(BATCHES - 3));
    expect(total).toBe(expectedOf(timeOf(3), timeOf(BATCHES - 3)));
    expect(residualUnits).toBeLessThan(150);
  });

  it('knows a record whose writer’s clock is sixty days behind by its own time, on the page where it is', async () => {
    table.org = org;
    const wrong = { level: 'info', created_at: iso(NOW - 60 * 86_400_000) };
    await lines.do((records) => records.createAll([wrong]), { at: timeOf(BATCHES - 1) });
    const { records } = await pageOf(timeOf(BATCHES - 2), undefined);
    expect(records.map(({ record }) => record.created_at)).not.toContain(wrong.created_at);
  });
});

describe('a list with a long run of tombstones', () => {
  const EARLY = 144;
  const CLOSED = 400;
  const createAt = async (batch: number): Promise<void> => {
    const times = Array.from({ length: EARLY }, (_, index) => iso(timeOf(batch, index - EARLY)));
    for (let at = 0; at < EARLY; at += A_BATCH) {
      const some = times.slice(at, at + A_BATCH).map((created_at) => ({ level: 'info', created_at }));
      await lines.do((records) => records.createAll(some), { at: timeOf(batch) });
    }
  };
  let runs = '';
  beforeAll(async () => {
    table.org = randomUUID();
    runs = table.org;
    await createAt(2);
    await lines.skip(CLOSED, timeOf(2));
    await createAt(9);
    const numbers = Array.from({ length: CLOSED }, (_, index) => EARLY + index);
    const tombstones = numbers.map((number) => ({
      ...{ PK: lines.partition, SK: ids.sortKeyOf(number) },
      ...{ [schema.TOMBSTONE]: true, AT: timeOf(3) },
    }));
    await writeItems(table.table, tombstones);
    await lines.verify(true, { at: timeOf(10) });
  });

  it.each([
    [timeOf(5), undefined, EARLY],
    [undefined, timeOf(5), EARLY],
    [timeOf(2, -100), undefined, EARLY + 100],
    [undefined, timeOf(9, -100), 2 * EARLY - 100],
    [timeOf(9, -100), undefined, 100],
    [timeOf(2, -100), timeOf(9, -100), EARLY],
  ])('has what is between %j and %j', async (from, before, expected) => {
    org = runs;
    expect((await pageOf(from, before)).total).toBe(expected);
  });
});
