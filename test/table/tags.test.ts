import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { ids, storedSets } from '@custodia/counted-lists';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readOnly, record } from '#contract';
import * as field from '#contract/field';
import { entity, set } from '#table';
import { itemsIn } from '../support/audit.ts';
import { bitPlace } from '../support/bits.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** Filters by a field that is a list: a record is found by each of its first twenty distinct tags. */

const job = record('Job', () => ({
  id: readOnly(field.uuid()),
  state: z.enum(['open', 'closed']),
  tags: field.tags().nullable(),
}));

const table = useTable();
const A_JOB = { state: 'open', tags: null } as const;
const jobs = new TestList(table, entity('JOB', job, { indexes: [set('state'), set('tags')] }), A_JOB);
/** The release before, which does not declare the filter. */
const before = new TestList(table, entity('JOB', job, { indexes: [set('state')] }), A_JOB);

const numbered = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `tag ${first + index}`);
async function idsOf(tags: readonly string[], state?: string): Promise<string[]> {
  const { total, ids: found } = await jobs.read({ filter: { tags, state } });
  expect(total).toBe(found.length);
  return found;
}
const differences = async (repair = false) =>
  (await jobs.verify(repair)).differences.map(({ kind, field, repaired }) => [kind, field ?? '', repaired]);
const setOf = (tag: string) => storedSets.partitionOf(jobs.partition, 'tags', tag);

/** Changes the tags of a record, or (undefined) removes it. */
async function step(model: Map<string, string[] | null>, id: string, tags: string[] | null | undefined): Promise<void> {
  if (!model.has(id)) return;
  if (tags === undefined) {
    await jobs.remove(id);
    model.delete(id);
  } else {
    await jobs.change(id, { tags });
    model.set(id, tags);
  }
}

describe('a list by tags', () => {
  it('follows any changes of the tags, and has the first twenty distinct ones', async () => {
    const tag = fc.nat(30).map((number) => `t${number}`);
    const some = fc.option(fc.array(tag, { maxLength: 40 }));
    const steps = fc.array(fc.tuple(fc.nat(3), fc.option(some, { nil: undefined })), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        newOrganization(table);
        const made = await Promise.all([0, 1, 2, 3].map(() => jobs.createId({ tags: ['t0', 't1', 't0'] })));
        const model = new Map<string, string[] | null>(made.map((id) => [id, ['t0', 't1', 't0']]));
        for (const [index, tags] of all) await step(model, made[index] ?? '', tags);
        const found = (id: string) => [...new Set(model.get(id))].slice(0, 20);
        for (const tags of [['t0'], ['t1'], ['t5'], ['t29'], ['t0', 't1'], ['t2', 't3', 't4']])
          expect((await idsOf(tags)).toSorted()).toEqual(
            [...model.keys()].filter((id) => tags.every((each) => found(id).includes(each))).toSorted(),
          );
        expect(await differences()).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });

  it('is added later: the operator builds it, while the release before still writes', async () => {
    const first = await before.createId({ tags: ['a', 'b'] });
    const second = await before.createId({ tags: numbered(25) });
    await before.createId();
    const tagged = (tags: string[]) => jobs.found({ filter: { tags } });
    expect(await tagged(['b', 'a'])).toEqual({ ids: [first], by: 'records' });
    // Those after the first twenty find no record, here as in the index.
    expect(await tagged(['tag 19'])).toEqual({ ids: [second], by: 'records' });
    expect(await tagged(['tag 20'])).toEqual({ ids: [], by: 'records' });
    const third = await jobs.createId({ tags: ['a'] });
    await jobs.change(first, { state: 'closed' });
    expect(await differences()).toEqual([['filter-not-built', 'tags', false]]);
    expect(await differences(true)).toEqual([['filter-not-built', 'tags', true]]);
    expect(await differences()).toEqual([]);
    expect(await tagged(['a'])).toEqual({ ids: [first, third], by: 'indexes' });
    expect([await idsOf(['tag 19']), await idsOf(['tag 20'])]).toEqual([[second], []]);

    await before.change(second, { tags: ['b'] });
    await before.remove(third);
    expect([await idsOf(['a']), await idsOf(['b']), await idsOf(['tag 1']), await differences()]).toEqual([
      [first],
      [first, second],
      [],
      [],
    ]);
  });

  it('is restored by the operator: a set without a record, with a wrong one, and a tag that nobody noted', async () => {
    const id = await jobs.createId({ tags: numbered(20) });
    const other = await jobs.createId({ tags: ['other'] });
    const { sortKey, word, bit } = bitPlace(ids.numberOf(id));
    await table.update({ PK: setOf('tag 3'), SK: sortKey }, `REMOVE ${word}`);
    await table.update({ PK: setOf('other'), SK: sortKey }, `ADD ${word} :bit`, { ':bit': bit });
    const noted = (await itemsIn(table.table, `${jobs.partition}#VALUES`)).find(({ SK }) => SK === 'tags=tag 5');
    const Key = { PK: noted?.PK, SK: noted?.SK };
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    const expected = (repaired: boolean) => [
      ['missing-in-list', '', repaired],
      ['value-not-noted', 'tags', repaired],
      ['wrongly-in-list', '', repaired],
    ];
    expect((await differences()).toSorted()).toEqual(expected(false));
    expect((await differences(true)).toSorted()).toEqual(expected(true));
    expect([await differences(), await idsOf(['tag 3']), await idsOf(['other'])]).toEqual([[], [id], [other]]);
  });

  it('is restored by the operator where a number is in more sets than fit into a transaction', async () => {
    const id = await jobs.createId({ tags: numbered(20) });
    const { sortKey: SK, word, bit } = bitPlace(ids.numberOf(id));
    for (const tag of numbered(120, 100)) {
      await table.update({ PK: `${jobs.partition}#VALUES`, SK: `tags=${tag}` }, 'REMOVE #NOTHING');
      await table.update({ PK: setOf(tag), SK }, `ADD ${word} :bit`, { ':bit': bit });
    }
    expect(await differences(true)).toEqual(Array(120).fill(['wrongly-in-list', '', true]));
    expect([await differences(), await idsOf(['tag 3']), await idsOf(['tag 150'])]).toEqual([[], [id], []]);
  });
});
