import type { Item } from '@custodia/counted-lists';
import { array, assert, asyncProperty, boolean, constantFrom, integer, option, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../operator/maintenance/restore/differences.ts';
import { differences, type Rules } from '../../operator/maintenance/restore/differences.ts';

/** What is written so that a partition is as it was. */

const RULES: Rules = { now: 1_000, version: 500, isAddedTo: false };

async function* each(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items.toSorted((one, other) => Buffer.compare(Buffer.from(String(one.SK)), Buffer.from(String(other.SK))));
}

async function changesOf(
  copy: readonly Item[],
  present: readonly Item[],
  rules: Partial<Rules> = {},
): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of differences(each(copy), each(present), { ...RULES, ...rules })) changes.push(change);
  return changes;
}

function applied(present: readonly Item[], changes: readonly Change[]): Item[] {
  const items = new Map(present.map((item) => [item.SK, item]));
  for (const change of changes) {
    if (change.kind === 'delete') items.delete(change.before.SK);
    else items.set(change.item.SK, change.item);
  }
  return [...items.values()];
}

// In UTF-16 the first two are the other way round.
const keys = constantFrom('\u{ff5e}', '\u{1f600}', 'a', 'aa', 'b', 'B#1', '');
const itemsIn = array(
  record({ SK: keys, value: integer({ min: 0, max: 2 }), TTL: option(constantFrom(999, 1_001), { nil: undefined }) }),
  { maxLength: 7 },
).map((items) => [...new Map(items.map((item) => [item.SK, item])).values()]);
const alive = (items: readonly Item[]): Item[] => items.filter(({ TTL }) => TTL === undefined || Number(TTL) > 1_000);
const byKey = (items: readonly Item[]) => new Map(items.map((item) => [item.SK, item]));

describe('the differences of a partition', () => {
  it('make it as it was, without what has expired, and then there are none', () =>
    assert(
      asyncProperty(itemsIn, itemsIn, async (copy, present) => {
        const after = applied(present, await changesOf(copy, present));
        expect(byKey(alive(after))).toEqual(byKey(alive(copy)));
        expect(await changesOf(copy, after)).toEqual([]);
      }),
    ));

  it('of one that is only added to take nothing away', () =>
    assert(
      asyncProperty(itemsIn, itemsIn, async (copy, present) => {
        const after = applied(present, await changesOf(copy, present, { isAddedTo: true }));
        expect(byKey(alive(after))).toEqual(byKey([...alive(copy), ...alive(present)]));
      }),
    ));

  it('give a record a version that nobody has seen, however often they are found', () =>
    assert(
      asyncProperty(
        integer({ min: 1, max: 900 }),
        option(integer({ min: 1, max: 900 }), { nil: undefined }),
        boolean(),
        async (then, now, isChanged) => {
          const copy = [{ SK: 'a', value: 'then', VERSION: then, WRITE_ID: '1' }];
          const value = isChanged ? 'now' : 'then';
          const present = now === undefined ? [] : [{ SK: 'a', value, VERSION: now, WRITE_ID: '2' }];
          const after = applied(present, await changesOf(copy, present));
          expect(after).toEqual([expect.objectContaining({ value: 'then' })]);
          const version = Number(after[0]?.VERSION);
          expect(version).toBeGreaterThanOrEqual(Math.max(then, now ?? 0));
          if (now === undefined || isChanged || now < then) {
            expect(version).toBeGreaterThan(Math.max(then, now ?? 0));
            expect(version).toBeGreaterThanOrEqual(500);
          }
          expect(await changesOf(copy, after)).toEqual([]);
        },
      ),
    ));

  it('see words of bits, which are beyond the numbers of JavaScript', async () => {
    const [word, other] = [2n ** 99n, 2n ** 99n + 1n];
    expect(await changesOf([{ SK: 'B', W0: word }], [{ SK: 'B', W0: word }])).toEqual([]);
    expect(await changesOf([{ SK: 'B', W0: word }], [{ SK: 'B', W0: other }])).toHaveLength(1);
  });
});
