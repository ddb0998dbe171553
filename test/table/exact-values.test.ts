import { hash, randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, indexes, type Key, listErrors } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, exact, NotUnique, set, uniqueKey, words } from '#table';
import { itemsIn } from '../support/audit.ts';
import { writeItems } from '../support/write-items.ts';
import { TestList, useTable } from './test-list.ts';

/** Lists by the exact value of a field that has an entry for each record, and the claims of such values. */

interface Host {
  id: string;
  name: string;
  serial: string | null;
  state: string;
}

const MOST_RECORDS = 2_000;
/** So many records are not read for a page. */
const TOO_MANY = 11_000;

const table = useTable();
const filters = [set('state')];
const A_HOST = { name: 'Host', serial: null, state: 'on' };
const hosts = new TestList(
  table,
  entity<Host>('HOST', { indexes: [...filters, words(['name']), exact('serial')] }),
  A_HOST,
);
/** A release that does not know the index. */
const before = new TestList(table, entity<Host>('HOST', { indexes: [...filters, words(['name'])] }), A_HOST);

/** Of a value of any length, as entries and claims have it. */
const hashOf = (value: string): string => hash('sha256', value, 'base64url');

const differences = async (repair = false) =>
  (await hosts.verify(repair)).differences.map(({ kind, repaired }) => [kind, repaired]);
const index = () => `${hosts.partition}#serial#VALUE`;
const entries = async () => (await itemsIn(table.table, index())).map(({ SK, holder }) => [SK, holder]);
const entryKey = (serial: string, number: number) =>
  new indexes.Indexes(hosts.partition, []).keyOf({ items: 'serial#VALUE', text: hashOf(serial) }, number);
const put = (item: Key & { readonly holder?: string }) =>
  table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...item } }));
const remove = (key: Key) =>
  table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { ...key } }));
const claimKey = (serial: string) => uniqueKey(table.org as never, 'HOST', 'serial', hashOf(serial));
const claimer = async (serial: string) => (await table.item(claimKey(serial)))?.holder;
/** Claims the value for a record that has it. */
const claim = (id: string, serial: string) =>
  hosts.do(async (records) => {
    const stored = await records.get(id);
    if (stored?.record.serial === serial) records.claimValue(id, stored.item, 'serial', serial);
  });
/** A claim of a value that its record does not have is tried again until it has no more time. */
const claimAnyway = (id: string, serial: string) =>
  hosts.do(async (records) => records.claimValue(id, (await records.get(id))?.item, 'serial', serial), {
    patience: 300,
  });

describe('a list by an exact value', () => {
  it('costs no entry where another field changes', async () => {
    const id = await hosts.createId({ serial: 'a' });
    const made = await entries();
    expect(made).toEqual([[entryKey('a', ids.numberOf(id)).SK, id]]);
    await hosts.change(id, { name: 'Renamed', state: 'off' });
    expect(await entries()).toEqual(made);
  });

  it('is decided by the records where more than 2,000 have it, as long as the list or its filters leave few', async () => {
    const id = await hosts.createId({ serial: 'n/a' });
    const first = ids.numberOf(id);
    const others = Array.from({ length: MOST_RECORDS }, (_, at) => entryKey('n/a', first + 1 + at));
    await writeItems(
      table.table,
      others.map((key) => ({ ...key, holder: randomUUID() })),
    );
    const values = { serial: 'n/a' };
    expect(await hosts.found({ values })).toEqual({ ids: [id], by: 'records' });
    await hosts.skip(TOO_MANY);
    const refused = { name: 'TooManyMatches', candidates: TOO_MANY + 1, fields: ['serial'] };
    await expect(hosts.page({ values })).rejects.toMatchObject(refused);
    expect(await hosts.found({ values, filter: { state: 'on' } })).toEqual({ ids: [id], by: 'records' });
    await remove(entryKey('n/a', first + 1));
    await expect(hosts.page({ values, page: 100 })).resolves.toMatchObject({ total: MOST_RECORDS });
  });

  it('finds no ids until it is built, as it lacks older records', async () => {
    const old = await before.createId({ serial: 'a' });
    const byNew = await hosts.createId({ serial: 'a' });
    await expect(hosts.records().idsWith('serial', 'a')).rejects.toThrow(listErrors.ListNotBuilt);
    expect(await differences(true)).toEqual([['filter-not-built', true]]);
    expect(await differences()).toEqual([]);
    expect(await hosts.records().idsWith('serial', 'a')).toEqual([old, byNew]);
  });

  it('is mended where entries are missing, of others, or none at all', async () => {
    const id = await hosts.createId({ serial: 'a' });
    const number = ids.numberOf(id);
    await remove(entryKey('a', number));
    await put(entryKey('b', number));
    await put({ PK: index(), SK: 'nonsense' });
    const found = await differences(true);
    expect(found.toSorted()).toEqual([
      ['missing-in-list', true],
      ['wrongly-in-list', true],
      ['wrongly-in-list', true],
    ]);
    await put({ ...entryKey('a', number), holder: randomUUID() });
    expect(await differences(true)).toEqual([['missing-in-list', true]]);
    expect([await entries(), await differences()]).toEqual([[[entryKey('a', number).SK, id]], []]);
  });
});

describe('the claim of a value', () => {
  it('is one record’s, in the version that it has, until its value changes or it is deleted', async () => {
    const [one, two] = [await hosts.createId({ serial: 'a' }), await hosts.createId({ serial: 'a' })];
    await claim(one, 'a');
    await claim(one, 'a');
    expect([await claimer('a'), (await hosts.records().get(one))?.version]).toEqual([one, 1]);
    await expect(claim(two, 'a')).rejects.toThrow(NotUnique);
    await hosts.change(one, { name: 'Renamed' });
    expect(await claimer('a')).toBe(one);
    await hosts.change(one, { serial: 'b' });
    expect([await claimer('a'), await claimer('b')]).toEqual([undefined, undefined]);
    await claim(two, 'a');
    await claim(one, 'b');
    await hosts.remove(two);
    expect([await claimer('a'), await claimer('b'), await differences()]).toEqual([undefined, one, []]);
  });

  it('is taken with the creation, and only with the value that the record has', async () => {
    const id = await hosts.do(async (records) => {
      const { record } = await records.create({ fields: { ...A_HOST, serial: 'a' } });
      records.claimValue(record.id, undefined, 'serial', 'a');
      return record.id;
    });
    expect([await claimer('a'), await differences()]).toEqual([id, []]);
    const other = await hosts.createId({ serial: 'c' });
    await expect(claimAnyway(other, 'd')).rejects.toThrow();
    expect(await claimer('d')).toBeUndefined();
  });

  it.each<[string, (records: TestList<Host>, id: string) => Promise<unknown>]>([
    ['a change of the value', (list, id) => list.change(id, { serial: 'b' })],
    ['a deletion', (list, id) => list.remove(id)],
  ])('and %s at the same time leave no claim of nobody', async (_, change) => {
    for (let round = 0; round < 8; round++) {
      const id = await hosts.createId({ serial: 'a' });
      const [changed] = await Promise.allSettled([change(hosts, id), claim(id, 'a')]);
      expect(changed.status).toBe('fulfilled');
      expect(await claimer('a')).toBeUndefined();
    }
    expect(await differences()).toEqual([]);
  });

  it('is mended where it is missing, of nobody, or of a record that has another value', async () => {
    const [one, two] = [await hosts.createId({ serial: 'a' }), await hosts.createId({ serial: 'b' })];
    await claim(one, 'a');
    await claim(two, 'b');
    await remove(claimKey('a'));
    await put({ ...claimKey('nobody'), holder: randomUUID() });
    // As a release would that does not know claims.
    const keyOf = (id: string) => ({ PK: hosts.partition, SK: ids.sortKeyOf(ids.numberOf(id)) });
    await table.update(keyOf(two), 'SET serial = :other', { ':other': 'c' });
    const three = await hosts.createId({ serial: 'd' });
    await claim(three, 'd');
    await table.update(keyOf(three), 'REMOVE CLAIMED');
    const found = (await differences(true)).filter(([kind]) => kind === 'unique-value');
    expect(found).toEqual(Array.from({ length: 4 }, () => ['unique-value', true]));
    expect(await differences()).toEqual([]);
    expect(await Promise.all(['a', 'b', 'c', 'd', 'nobody'].map(claimer))).toEqual([
      one,
      ...[undefined, undefined, undefined, undefined],
    ]);
    await hosts.change(two, { serial: 'b' });
    expect([await claimer('b'), await differences()]).toEqual([undefined, []]);
  });
});
