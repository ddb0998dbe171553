import { GetCommand, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Item, ListSource, Table } from '#lists';
import { readMatching } from '../../shared/lists/lookups.ts';

/** What the lookups of a list read. What they find: `words.test.ts`, `exact-values.test.ts`. */

type Lookup = ListSource['lookups'][number];

const MOST_TEXTS = 2_000;
/** Of an entry, in read units. */
const UNITS = { full: 0.25, ordinary: 0.04 };

/** A table in which each word has so many entries, but that `zz` has one, and what is read of it. */
function tableOf(many: number, unitsOfEntry: number) {
  const read = { units: 0, byPrefix: {} as Record<string, number> };
  const send = (command: GetCommand | QueryCommand): Promise<object> => {
    if (command instanceof GetCommand) return Promise.resolve({ Item: { number: 7 } });
    const { ExpressionAttributeValues: values, ExclusiveStartKey: after, Limit: limit = 0 } = command.input;
    const prefix = String(values?.[':prefix']);
    const entries = prefix === 'zz' ? 1 : many;
    const start = Number(after?.at ?? 0);
    const Items = Array.from({ length: Math.min(limit, entries - start) }, (_, at) => ({ number: start + at }));
    const end = start + Items.length;
    const units = Items.length * unitsOfEntry;
    read.units += units;
    read.byPrefix[prefix] = (read.byPrefix[prefix] ?? 0) + Items.length;
    const LastEvaluatedKey = end < entries ? { at: end } : undefined;
    return Promise.resolve({ Items, LastEvaluatedKey, ConsumedCapacity: { CapacityUnits: units } });
  };
  return { table: { name: 'table', client: { send } } as unknown as Table, read };
}

const numberOf = ({ number }: Item): number => Number(number);
const decided = { byEntry: () => undefined, byRecord: () => true };
const word = (prefix: string): Lookup => ({
  name: 'q',
  ranges: [{ in: { partition: 'WORDS', numberOf }, texts: { prefix } }],
  most: MOST_TEXTS,
  indexes: [],
  decided,
});
const slug: Lookup = {
  name: 'slug',
  ranges: [{ key: { PK: 'UNIQUE', SK: 'acme' }, numberOf }],
  most: 1,
  indexes: [],
  decided,
  isExact: true,
};

describe('lookups', () => {
  it('of words that many records have are read as a whole, each', async () => {
    const { table, read } = tableOf(3_000, UNITS.ordinary);
    expect(await readMatching(table, 'list', ['a', 'b'].map(word))).toEqual({ numbers: undefined, open: 'all' });
    expect(read.byPrefix).toEqual({ a: MOST_TEXTS + 1, b: MOST_TEXTS + 1 });
  });

  it('of words whose entries are large read on only one', async () => {
    const { table, read } = tableOf(3_000, UNITS.full);
    expect(await readMatching(table, 'list', ['a', 'b', 'c'].map(word))).toEqual({ numbers: undefined, open: 'all' });
    expect(read.byPrefix).toEqual({ a: MOST_TEXTS + 1, b: 501, c: 501 });
    expect(read.units).toBeLessThan(760);
  });

  it('of further words are begun where the first ones do not end, and one that ends decides', async () => {
    const { table, read } = tableOf(3_000, UNITS.ordinary);
    const found = await readMatching(table, 'list', ['a', 'b', 'c', 'zz'].map(word));
    expect(found).toEqual({ numbers: new Set([0]), open: new Set([0]) });
    expect(read.byPrefix).toEqual({ a: 501, b: 501, c: 501, zz: 1 });
    const large = tableOf(3_000, UNITS.full);
    await readMatching(large.table, 'list', ['a', 'b', 'c', 'zz'].map(word));
    expect(large.read.byPrefix).not.toHaveProperty('zz');
  });

  it('read no word where an exact value has one record, which decides', async () => {
    const { table, read } = tableOf(3_000, UNITS.ordinary);
    const found = await readMatching(table, 'list', [slug, word('a'), word('b')]);
    expect(found).toEqual({ numbers: new Set([7]), open: new Set([7]) });
    expect(read.byPrefix).toEqual({});
    const { decided: _, ...time } = word('time');
    const long = await readMatching(table, 'list', [slug, { ...time, byRecord: () => true }]);
    expect(long).toEqual({ numbers: new Set([7]), open: 'all' });
    expect(await readMatching(table, 'list', [slug])).toEqual({ numbers: new Set([7]), open: undefined });
  });
});
