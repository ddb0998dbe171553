import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiDriver, apiDriverOf } from '../http/api-driver.ts';
import { FOUND_LISTS, type FoundList } from '../http/found-lists.ts';
import { byExtent } from '../support/extent.ts';
import { dumpOf, type RawItem } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';
import { differencesOf } from './damaged-tenant.ts';

/**
 * Entries of any index that has a text or a time and a number in its sort key, broken by hand in any way: they are
 * found, and repaired every item is as it was.
 */

const api = useApi();
let tenant: {
  readonly orgId: string;
  readonly driver: ApiDriver;
  readonly ids: readonly (readonly [FoundList, unknown])[];
};
let before: ReadonlyMap<string, RawItem>;

const nameOf = ({ PK, SK }: RawItem): string => `${PK?.S}\u0000${SK?.S}`;

/** The items of the organization that say what its records are, and where these are listed. */
async function itemsOfTenant(): Promise<ReadonlyMap<string, RawItem>> {
  const all = await dumpOf(api.table);
  const own = all.filter(
    ({ PK }) => PK?.S?.startsWith(`ORG#${tenant.orgId}#`) && !/#(EVENT|EVENT#SET|CREDENTIALS)$/.test(PK.S),
  );
  return new Map(own.map((item) => [nameOf(item), item]));
}

beforeAll(async () => {
  const { orgId, token } = await api.orgToken();
  const driver = apiDriverOf(api, token);
  const ids: [FoundList, unknown][] = [];
  const { id: client_id } = await driver.client({ name: 'Águas do Norte', slug: 'aguas', email: 'norte@example.com' });
  for (const [seed, list] of FOUND_LISTS.entries()) {
    const { path, fields, required, ofClient } = list;
    for (const sampled of fc.sample(fc.record(fields), { seed, numRuns: 3 })) {
      const body = { ...required(), ...(ofClient ? { client_id } : {}), ...sampled };
      // Unique values may meet.
      const { status, body: made } = await driver.post(path, body);
      if (status === 201) ids.push([list, made.id]);
    }
  }
  tenant = { orgId, driver, ids };
  before = await itemsOfTenant();
});

const ENTRY = /^([^\n]*)\n([0-9a-f]{12})$/;
const entriesIn = (items: ReadonlyMap<string, RawItem>): RawItem[] =>
  [...items.values()].filter(({ SK }) => ENTRY.test(SK?.S ?? ''));

const put = (Item: RawItem) => api.table.client.send(new PutItemCommand({ TableName: api.table.tableName, Item }));
const remove = ({ PK, SK }: RawItem) =>
  api.table.client.send(
    new DeleteItemCommand({
      TableName: api.table.tableName,
      Key: { PK: PK as AttributeValue, SK: SK as AttributeValue },
    }),
  );

const DAMAGES: Readonly<Record<string, (entry: RawItem, number: string, text: string) => Promise<unknown>>> = {
  'is missing': (entry) => remove(entry),
  'is of a number without a record': (entry, _, text) => put({ ...entry, SK: { S: `${text}\n0000000fffff` } }),
  'is of another text': (entry, number) => put({ ...entry, SK: { S: `zz\n${number}` } }),
  'is none': (entry, _, text) => put({ ...entry, SK: { S: `${text} ` } }),
  'says something else': async (entry) => {
    const attributes = Object.keys(entry).filter((name) => !['PK', 'SK'].includes(name));
    for (const name of attributes) await put({ ...entry, [name]: { S: 'zz\nyy' } });
  },
  'says nothing': ({ PK, SK }) => put({ PK: PK as AttributeValue, SK: SK as AttributeValue }),
};

const damage = fc.record({ at: fc.nat(1_000), how: fc.constantFrom(...Object.keys(DAMAGES)) });

async function doDamage({ at, how }: { readonly at: number; readonly how: string }): Promise<void> {
  const entries = entriesIn(before);
  const entry = entries[at % entries.length] as RawItem;
  const [, text = '', number = ''] = ENTRY.exec(entry.SK?.S ?? '') ?? [];
  await DAMAGES[how]?.(entry, number, text);
}

/** What differs between two dumps, by key. */
const changedIn = (after: ReadonlyMap<string, RawItem>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => JSON.stringify(sorted(before.get(name))) !== JSON.stringify(sorted(after.get(name))),
  );
/** The attributes of an item, but for the mark of the write that made it, and the time of one that came before its record. */
const sorted = (item: RawItem | undefined) =>
  Object.entries(item ?? {})
    .filter(([name]) => !['WRITE_ID', 'AT'].includes(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

describe('entries of indexes', () => {
  it('are there, and nothing is found where nothing is broken', async () => {
    expect(entriesIn(before).length).toBeGreaterThan(20);
    expect(await differencesOf(tenant.orgId)).toEqual([]);
    expect(await differencesOf(tenant.orgId, true)).toEqual([]);
    expect(changedIn(await itemsOfTenant())).toEqual([]);
  });

  it('that are broken are found and repaired: every item is as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        for (const each of damages) await doDamage(each);
        const isBroken = changedIn(await itemsOfTenant()).length > 0;
        expect((await differencesOf(tenant.orgId)).length > 0).toBe(isBroken);
        expect((await differencesOf(tenant.orgId, true)).filter(({ repaired }) => !repaired)).toEqual([]);
        expect(await differencesOf(tenant.orgId)).toEqual([]);
        const after = await itemsOfTenant();
        const shown = changedIn(after).map((name) => [before.get(name), after.get(name)]);
        expect(shown).toEqual([]);
      }),
      { numRuns: byExtent({ sample: 1, extended: 4, nightly: 100 }), endOnFailure: true },
    );
  });

  it('that are broken are repaired while records are changed, and nobody else is disturbed', async () => {
    const { driver, ids } = tenant;
    let isOver = false;
    async function write(seed: number): Promise<void> {
      for (let turn = seed; !isOver; turn++) {
        const [list, id] = ids[turn % ids.length] as (typeof ids)[number];
        const [fields] = fc.sample(fc.record(list.fields, { requiredKeys: [] }), { seed: turn, numRuns: 1 });
        const { status } = await driver.patch(`${list.path}/${id}`, fields);
        // A value that another record has, or that stays as it was given.
        expect([200, 409, 422]).toContain(status);
      }
    }
    const writing = Promise.all([1, 2, 3].map(write));
    writing.catch(() => undefined);
    for (const each of fc.sample(damage, { seed: 1, numRuns: byExtent({ sample: 1, extended: 3, nightly: 20 }) })) {
      await doDamage(each);
      await differencesOf(tenant.orgId, true);
    }
    isOver = true;
    await writing;
    await differencesOf(tenant.orgId, true);
    expect(await differencesOf(tenant.orgId)).toEqual([]);
  });
});
