import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, indexes, type Key, listErrors } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, set, words } from '#table';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { MAX_WORDS } from '../../shared/words.ts';
import { recordsIn, wordPartition, wordsIn } from '../support/audit.ts';
import { writeItems } from '../support/write-items.ts';
import { TestList, useTable } from './test-list.ts';

/** The words of records, and the lists that are found by them. That these are what is stored: `lists.property.sampled.test.ts`. */

interface Shop {
  id: string;
  name: string;
  slug: string | null;
  state: string;
  note?: string;
}

/** Entries of a word that are read, and records that decide. */
const MOST_TEXTS = 2_000;
const MOST_RECORDS = 500;
/** So many records are not read for a page. */
const TOO_MANY = 11_000;

const table = useTable();
const unique = { slug: (slug: string) => slug };
const filters = [set('state')];
const A_SHOP = { name: 'Acme', slug: null, state: 'open' };
const shops = new TestList(
  table,
  entity<Shop>('SHOP', { indexes: [...filters, words(['name'], { claims: ['slug'] })], unique }),
  A_SHOP,
);
async function idsOf(q: string, filter = {}): Promise<string[]> {
  const { ids, total } = await shops.read({ q, filter });
  expect(total).toBe(ids.length);
  return ids;
}
const differences = async (repair = false) => (await shops.verify(repair)).differences;
const index = (word: string) => wordPartition(shops.partition, word);
const entryKey = (text: string, number: number) => ({
  ...new indexes.Indexes('', []).keyOf({ items: '', text }, number),
  PK: index(text),
});
const put = (item: Key & { readonly TEXTS?: string }) =>
  table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...item } }));
const entries = async () => (await wordsIn(table.table, shops.partition)).map(({ SK, TEXTS }) => [SK, TEXTS]);
/** How many entries of words something reads. */
async function entriesRead(work: () => Promise<void>): Promise<number> {
  let read = 0;
  const { middlewareStack } = table.table.client;
  middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const { ExpressionAttributeValues: values = {} } = call.input as { ExpressionAttributeValues?: object };
      if (Object.values(values).some((value) => String(value).includes('#WORDS#')))
        read += (result.output as { Count: number }).Count;
      return result;
    },
    { step: 'initialize', name: 'count' },
  );
  await work().finally(() => middlewareStack.remove('count'));
  return read;
}
const isAbout = (id: string, word: string, texts: string) => [entryKey(word, ids.numberOf(id)).SK, texts];

/** Entries of numbers from one on that have no record. */
async function putMany(
  first: number,
  count: number,
  texts: readonly string[],
  { step = 1, TEXTS = texts.join('\n') } = {},
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => first + step * at);
  const items = texts.flatMap((text) => numbers.map((each) => ({ ...entryKey(text, each), TEXTS })));
  await writeItems(table.table, items);
}

describe('a list by words', () => {
  it('is decided by the records where more begin so than are read, and refused where that are too many', async () => {
    const id = await shops.createId({ slug: 'acme' });
    const number = ids.numberOf(id);
    await putMany(number + 1, MOST_TEXTS - 1, ['acme']);
    const page = { q: 'acme', page: 2_001, page_size: 1 };
    await expect(shops.page(page)).resolves.toMatchObject({ total: MOST_TEXTS });
    await putMany(number + MOST_TEXTS, 1, ['acme']);
    expect(await shops.found({ q: 'acme' })).toEqual({ ids: [id], by: 'records' });
    await shops.skip(TOO_MANY);
    const refused = { name: 'TooManyMatches', candidates: TOO_MANY + 1, fields: ['q'] };
    await expect(shops.page(page)).rejects.toMatchObject(refused);
    await expect(shops.page({ ...page, filter: { state: 'shut' } })).resolves.toMatchObject({ total: 0 });
    // One record is open, and its words decide.
    expect(await idsOf('acme', { state: 'open' })).toHaveLength(1);
    expect(await idsOf('acme b', { state: 'open' })).toEqual([]);
    expect(await idsOf('acme b')).toEqual([]);
  });

  it('of two words is decided by the rarer one, wherever the other ends', async () => {
    const wanted = await shops.createId({ name: 'Acme Lisbon' });
    const number = ids.numberOf(wanted);
    await shops.createId({ name: 'Lisbon' });
    await putMany(number + 2, 3_000, ['acme']);
    expect(await idsOf('acme lisbon')).toEqual([wanted]);
    expect(await idsOf('lis ac')).toEqual([wanted]);
    await putMany(number + 3_002, 600, ['acme', 'lisbon']);
    expect((await shops.page({ q: 'acme lis', page: 1_000 })).total).toBe(601);
  });

  it('of two words that many records have reads on only the one that is expected to end first', async () => {
    const number = ids.numberOf(await shops.createId());
    await putMany(number + 1, 2_500, ['lisbon']);
    await putMany(number + 1, 1_500, ['zz'], { step: 10 });
    const read = await entriesRead(async () => expect(await idsOf('lisbon zz')).toEqual([]));
    expect(read).toBe(501 + 1_500);
  });

  it('of several words that many records have ends with the first that few have', async () => {
    const id = await shops.createId({ name: 'Acme Lisbon Porto Zz' });
    await putMany(ids.numberOf(id) + 1, 1_000, ['acme', 'lisbon', 'porto']);
    const read = await entriesRead(async () => expect(await idsOf('acme lisbon porto zz')).toEqual([id]));
    expect(read).toBeLessThanOrEqual(3 * 501 + 1);
  });

  it('of several words whose entries are large reads 760 units at most', async () => {
    const number = ids.numberOf(await shops.createId());
    await shops.skip(TOO_MANY);
    await putMany(number + 1, 2_001, ['acme', 'lisbon', 'porto'], { TEXTS: 'x'.repeat(818) });
    const invocation = new Invocation({});
    const refused = within(invocation, () => shops.page({ q: 'acme lisbon porto' }));
    await expect(refused).rejects.toThrow(listErrors.TooManyMatches);
    expect(invocation.units).toBeGreaterThan(400);
    expect(invocation.units).toBeLessThan(760);
  });

  it('of a word and a claim is decided by the records, up to 500 that lie far apart', async () => {
    const both = await shops.createId({ name: 'Lisbon', slug: 'zz-1' });
    await shops.createId({ slug: 'zz-2' });
    await putMany(5_000, 2_500, ['lisbon']);
    expect(await idsOf('zz lisbon')).toEqual([both]);
    expect(await idsOf('zz')).toHaveLength(2);
    const claims = Array.from({ length: MOST_RECORDS }, (_, at) => ({
      PK: `ORG#${table.org}#UNIQUE#SHOP#slug`,
      SK: `zz-3${String(at).padStart(3, '0')}`,
      holder: ids.newId(5_000 + 5 * at),
    }));
    await writeItems(table.table, claims);
    const refused = { name: 'TooManyMatches', candidates: MOST_RECORDS + 2, fields: ['q'] };
    await expect(shops.page({ q: 'zz lisbon' })).rejects.toMatchObject(refused);
    expect(await idsOf('zz lisbon', { state: 'open' })).toEqual([both]);
  });
});

describe('records that decide', () => {
  it('take at most 500 read units, however small the first ones are', async () => {
    const small = await shops.createId({ name: 'Acme Lisbon' });
    await shops.createId();
    await putMany(5_000, MOST_TEXTS + 1, ['acme']);
    const note = 'x'.repeat(229_000);
    for (let count = 0; count < 8; count++) await shops.createId({ name: 'Lisbon', note });
    // Another word has too many texts, too, so that neither decides.
    await putMany(9_000, MOST_TEXTS + 1, ['lisbon']);
    expect(await idsOf('acme lisbon', { state: 'open' })).toEqual([small]);
    for (let count = 0; count < 2; count++) await shops.createId({ name: 'Lisbon', note });
    await expect(idsOf('acme lisbon', { state: 'open' })).rejects.toThrow(listErrors.TooManyMatches);
  });
});

describe('the words of a record', () => {
  it.each([
    ['T-42', ['silent']],
    ['WEB 17 b', ['17', 'b', 'silent']],
  ])('are those of its texts, and those of the claim %j that do not begin it', async (slug, words) => {
    const number = ids.numberOf(await shops.createId({ name: 'Silent', slug }));
    expect((await entries()).map(([SK]) => SK)).toEqual(words.map((word) => entryKey(word, number).SK));
  });

  it('are not written with a change of something else', async () => {
    const id = await shops.createId({ name: 'Acme Lisbon' });
    await put({ ...entryKey('acme', ids.numberOf(id)), TEXTS: 'untouched' });
    await shops.change(id, { state: 'shut' });
    expect(await entries()).toContainEqual(isAbout(id, 'acme', 'untouched'));
  });

  it('fit into the transaction of the largest change, and into an entry of a write unit', async () => {
    const name = (letter: string) =>
      Array.from({ length: 20 }, (_, at) => `${letter}${String(at).padStart(2, '0')}`.repeat(5)).join(' ');
    const id = await shops.createId({ name: name('a') });
    await shops.change(id, { name: name('b'), slug: 'z'.repeat(100), state: 'shut' });
    const all = await wordsIn(table.table, shops.partition);
    expect(all).toHaveLength(MAX_WORDS);
    for (const item of all) expect(Buffer.byteLength(JSON.stringify(Object.entries(item).flat()))).toBeLessThan(1_024);
    expect(await differences()).toEqual([]);
  });
});

describe('an index of words', () => {
  it('has words that an earlier release has folded otherwise until the repair', async () => {
    const id = await shops.createId({ name: 'Łódź' });
    const [{ PK, SK, WORDS } = {}] = await recordsIn(table.table, shops.partition);
    const digest = String(WORDS).split('\n')[0];
    await table.update({ PK, SK } as Key, 'SET WORDS = :words', { ':words': `${digest}\nłodz` });
    const Key = entryKey('lodz', ids.numberOf(id));
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    await put({ ...entryKey('łodz', ids.numberOf(id)), TEXTS: 'łodz' });
    await shops.change(id, { state: 'shut' });
    expect([await idsOf('lodz'), await differences()]).toMatchObject([[], [{ kind: 'wrong-note', id }]]);
    expect(await differences(true)).toMatchObject([{ kind: 'wrong-note', id, repaired: true }]);
    expect([await idsOf('lodz'), await idsOf('ŁÓ'), await differences()]).toEqual([[id], [id], []]);
    expect(await entries()).toEqual([isAbout(id, 'lodz', 'lodz')]);
  });

  it('is restored by the operator: a missing entry, one of another word, one that says something else, one without a record, and what is none', async () => {
    const [id, bistro] = [await shops.createId(), await shops.createId({ name: 'Bistro' })];
    const Key = entryKey('acme', ids.numberOf(id));
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    for (const key of [
      entryKey('tasca', ids.numberOf(bistro)),
      entryKey('acme', 77),
      { PK: index('acme'), SK: 'acme' },
    ])
      await put(key);
    await put({ ...entryKey('bistro', ids.numberOf(bistro)), TEXTS: 'bistro\nporto' });

    const expected = [
      ['wrongly-in-list', 'SHOP "acme" in words~ is no entry'],
      ['missing-in-list', `SHOP ${id} is missing in words~=acme`],
      ['missing-in-list', `SHOP ${bistro} is missing in words~=bistro`],
      ['wrongly-in-list', `SHOP ${bistro} is in words~=tasca and does not belong there`],
      ['wrongly-in-list', 'SHOP number 77 is in words~=acme and does not belong there'],
    ].toSorted();
    for (const repair of [false, true]) {
      const found = await differences(repair);
      expect(found.map((each) => [each.kind, each.text]).toSorted()).toEqual(expected);
      expect(found.every(({ repaired }) => repaired === repair)).toBe(true);
    }
    expect([await differences(), await idsOf('acme'), await idsOf('tasca')]).toEqual([[], [id], []]);
    expect(await entries()).toHaveLength(2);
  });
});
