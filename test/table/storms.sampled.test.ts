import { listErrors } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, set } from '#table';
import { Recorder } from '../../generate/data-model/recorder.ts';
import { asked } from '../support/asked.ts';
import { noonOfToday } from '../support/clock.ts';
import { byExtent } from '../support/extent.ts';
import { PausingHandler } from '../support/pauses.ts';
import { openTenant, tableAt } from '../support/storage.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Where many numbers are lost at once no page is short or has a false total, no request pays for all, and every record is listed. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
}

const NOW = noonOfToday();
const LATE = NOW + 60_000;
/** As many as were seen once, or as many as take some requests. */
const STORM = byExtent({ sample: 500, extended: 1_000, nightly: 20_000 });

const table = useTable(NOW);
const jobs = new TestList(
  table,
  entity<Job>('JOB', { indexes: [set('state')] }),
  { state: 'open', created_at: new Date(NOW).toISOString() },
  { state: ['open'] },
);
type Sort = '-created_at' | 'created_at';

const create = (count: number) => Promise.all(Array.from({ length: count }, () => jobs.createId()));

/** Reads a page until it is answered. @returns also the writes of each read */
async function insist(page: number, sort: Sort = 'created_at') {
  const connection = tableAt(table.place);
  const recorder = new Recorder(connection);
  const units: number[] = [];
  for (;;) {
    const answered: { total: number; ids: string[] }[] = [];
    const calls = await recorder.record(async () => {
      const records = openTenant(connection, table.org, () => LATE).records(jobs.entity);
      const read = await records.page(asked({ page, page_size: 25, sort })).catch(expectIncomplete);
      if (read) answered.push({ total: read.total, ids: read.records.map(({ record }) => record.id) });
    });
    units.push(calls.filter(({ operation }) => /Put|Update|Write/.test(operation)).length);
    if (answered[0] !== undefined) return { units, ...answered[0] };
  }
}
const expectIncomplete = (error: unknown): void => void expect(error).toBeInstanceOf(listErrors.PageIncomplete);

describe('a storm of lost numbers', () => {
  it.each<Sort>(['-created_at', 'created_at'])(
    'is closed step by step, and no page is short meanwhile: %s',
    async (sort) => {
      const before = await create(10);
      await jobs.skip(STORM, NOW);
      const after = await create(10);
      const { units, total, ids } = await insist(1, sort);
      expect([total, ids.toSorted()]).toEqual([20, [...before, ...after].toSorted()]);
      // Puts and updates of one unit each.
      expect(Math.max(...units)).toBeLessThanOrEqual(200);
      expect(units.length).toBe(Math.ceil(STORM / 168));
      expect(await jobs.audit()).toEqual(NO_FAULTS);
      expect(await insist(1, sort)).toEqual({ units: [0], total: 20, ids });
    },
  );

  it('is closed by many readers at once, each number once', async () => {
    await create(3);
    await jobs.skip(300, NOW);
    await Promise.all([1, 2, 9].map((page) => insist(page, '-created_at')));
    expect(await insist(1)).toMatchObject({ total: 3 });
    expect([(await jobs.gaps()).length, await jobs.audit()]).toEqual([300, NO_FAULTS]);
  });

  it('stops a writer that is paused through all of it, at whatever step it resumes', async () => {
    await create(1);
    const writers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const handler = new PausingHandler();
        const paused = handler.pauseBefore('TransactWriteItems');
        const writing = jobs.createId({}, { over: handler });
        await Promise.race([paused.reached, writing]);
        return { paused, writing };
      }),
    );
    await jobs.skip(400, NOW);
    const reader = new PausingHandler();
    const pauses = [...writers.keys()].map((index) => reader.pauseBefore(index < 3 ? 'PutItem' : 'UpdateItem'));
    const reading = (async () => {
      while ((await jobs.read({ page_size: 25 }, { at: LATE, over: reader }).catch(expectIncomplete)) === undefined);
    })();
    for (const [index, { reached, release }] of pauses.entries()) {
      await Promise.race([reached, reading]);
      writers[index]?.paused.release();
      await writers[index]?.writing;
      release();
    }
    await reading;
    const written = await Promise.all(writers.map(({ writing }) => writing));
    const { total, ids } = await insist(1);
    expect([total, ids]).toEqual([7, expect.arrayContaining(written)]);
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });
});
