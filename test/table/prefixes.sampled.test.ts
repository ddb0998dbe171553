import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { folded } from '../../shared/contract/folded.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { ListNotBuilt, TooManyMatches } from '../../shared/table/errors.ts';
import { prefixPartition } from '../../shared/table/keys.ts';
import { numberOf } from '../../shared/table/lists/ids.ts';
import { entryKey, MOST_MATCHES } from '../../shared/table/lists/prefix-index.ts';
import { type Entity, entity } from '../../shared/table/repository/entity.ts';
import type { PageQuery } from '../../shared/table/repository/records.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { itemsIn, recordsIn } from '../support/audit.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** Lists by the prefix of a text, against what is stored. */

interface Shop {
  id: string;
  name: string;
  slug: string | null;
  state: string;
}

const unique = { slug: (slug: string) => slug };
const shops = entity<Shop>('SHOP', {
  filters: ['state'],
  prefixes: { name: 'indexed', slug: 'claimed' },
  unique,
});
/** The release before, which knows nothing of prefixes. */
const before = entity<Shop>('SHOP', { filters: ['state'], unique });

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

type Fields = Omit<Shop, 'id'>;
const A_SHOP: Fields = { name: 'Acme', slug: null, state: 'open' };

const create = (org: string, fields: Partial<Fields> = {}, release: Entity<Shop> = shops, at = table) =>
  doIn(
    openTenant(at, org),
    async (tenant) => (await tenant.records(release).create({ ...A_SHOP, ...fields })).record.id,
  );

const change = (
  org: string,
  id: string,
  fields: Partial<Fields> | undefined,
  release: Entity<Shop> = shops,
  at = table,
) =>
  doIn(openTenant(at, org), async (tenant) => {
    const records = tenant.records(release);
    const stored = await records.get(id);
    if (stored === undefined) return;
    if (fields === undefined) records.remove(stored);
    else await records.update(stored, fields);
  });

const read = (org: string, prefix: string, query: Partial<PageQuery> = {}) =>
  openTenant(table, org)
    .records(shops)
    .page({ page: 1, page_size: 100, sort: 'created_at', prefix, ...query });

async function idsOf(org: string, prefix: string, query: Partial<PageQuery> = {}): Promise<string[]> {
  const { records, total } = await read(org, prefix, query);
  expect(total).toBe(records.length);
  return records.map(({ record }) => record.id);
}

const stored = async (org: string) => (await recordsIn(table, `ORG#${org}#SHOP`)) as unknown as Shop[];
const indexOf = (org: string) => prefixPartition(`ORG#${org}#SHOP`, 'name');
const differences = async (org: string, repair = false) =>
  (await verify(openTenant(table, org), [kind(shops)], { repair })).differences;

const NAMES = ['Acme', 'ACME Lda', 'Ácme', 'acme#', 'Straße', 'STRASSE 2', '株式会社', '  株 ', '\u0301', '#%', 'ﷺ'];
const SLUGS = ['acme', 'a', 'ac', 'strasse', null, null];
const STATES = ['open', 'done'];
const PREFIXES = [
  'a',
  'AC',
  'acme',
  'acme ',
  'acme l',
  'acme#',
  'acme#0',
  'stras',
  'ß',
  'straß',
  '株',
  '#',
  '%',
  'ﷺ',
  'x',
];

const fields = fc.record({
  name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })),
  slug: fc.constantFrom(...SLUGS),
  state: fc.constantFrom(...STATES),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create' as const), which: fc.nat(), fields }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('change' as const), which: fc.nat(), fields }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), which: fc.nat(), fields }) },
);
const FAULTS: readonly Fault[] = ['crash', 'crash-after', 'reply-lost', 'dropped', 'applied-server-error', 'conflict'];
const fault = fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(9) }), { nil: undefined });
/** Each act: done at once, by a process that may fail or die. */
const acts = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 5 }), fault }), {
  minLength: 1,
  maxLength: 6,
});

describe('lists by a prefix', () => {
  it('are exactly what is stored, whatever happens at once and whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 })),
        async (all, drawn) => {
          const org = randomUUID();
          const conflicts = new Conflicts({ milliseconds: 2 });
          for (const { steps, fault: planned } of all) {
            const process = new ConflictingHandler(conflicts);
            process.follow(({ index }) => (index === planned?.at ? planned.kind : undefined));
            const at = tableAt(fresh, process);
            const ids = (await stored(org)).map(({ id }) => id);
            await Promise.allSettled(
              steps.map(({ does, which, fields: given }) => {
                const id = ids[which % Math.max(ids.length, 1)];
                if (does === 'create' || id === undefined) return create(org, given, shops, at);
                return change(org, id, does === 'delete' ? undefined : given, shops, at);
              }),
            );
          }
          const records = await stored(org);
          for (const prefix of [...PREFIXES, ...drawn].filter((each) => folded(each) !== '')) {
            const begins = (text: string | null) => text !== null && folded(text).startsWith(folded(prefix));
            const matching = records.filter(({ name, slug }) => begins(name) || begins(slug));
            expect(await idsOf(org, prefix), prefix).toEqual(matching.map(({ id }) => id));
            const open = matching.filter(({ state }) => state === 'open').map(({ id }) => id);
            expect(await idsOf(org, prefix, { filter: { state: 'open' } }), prefix).toEqual(open);
          }
          expect((await itemsIn(table, indexOf(org))).length).toBe(records.length);
          expect((await differences(org)).filter(({ kind: what }) => what !== 'lost-number')).toEqual([]);
        },
      ),
      { numRuns: byExtent({ sample: 6, extended: 12, nightly: 100 }) },
    );
  });

  it('have the total and any page, in both orders', async () => {
    const org = randomUUID();
    const ids: string[] = [];
    for (let index = 0; index < 7; index++)
      ids.push(await create(org, { name: index % 2 ? 'Other' : `Acme ${index}` }));
    const expected = ids.filter((_, index) => index % 2 === 0);
    for (const [sort, inOrder] of [
      ['created_at', expected],
      ['-created_at', expected.toReversed()],
    ] as const) {
      const { records, total } = await read(org, 'acme', { page: 2, page_size: 3, sort });
      expect([total, records.map(({ record }) => record.id)]).toEqual([4, inOrder.slice(3)]);
    }
  });

  it('are refused where more texts begin so than are read, and no sooner', async () => {
    const org = randomUUID();
    const id = await create(org, { name: 'Acme', slug: 'acme' });
    const entry = (number: number) => entryKey({ partition: `ORG#${org}#SHOP`, field: 'name', text: 'acme', number });
    const put = (number: number) =>
      table.client.send(new PutCommand({ TableName: table.name, Item: { ...entry(number) } }));
    const others = Array.from({ length: MOST_MATCHES - 1 }, (_, index) => numberOf(id) + 1 + index);
    await Promise.all(others.map(put));
    await expect(read(org, 'acme', { page: 2_001, page_size: 1 })).resolves.toMatchObject({ total: MOST_MATCHES });
    await put(numberOf(id) + MOST_MATCHES);
    await expect(read(org, 'acme')).rejects.toThrow(TooManyMatches);
    await expect(read(org, 'acme b')).resolves.toMatchObject({ total: 0 });
  });
});

describe('a prefix index', () => {
  it('that is added later is refused until it is built, and kept right from then on', async () => {
    const org = randomUUID();
    const [first, second, gone] = [
      await create(org, { slug: 'one' }, before),
      await create(org, { name: 'Bistro' }, before),
      await create(org, {}, before),
    ];
    await expect(read(org, 'acme')).rejects.toThrow(ListNotBuilt);
    await change(org, gone ?? '', undefined);
    const renamed = await create(org, { name: 'Acme 2' });
    expect(await differences(org)).toMatchObject([{ kind: 'filter-not-built', field: 'name^', repaired: false }]);
    expect(await differences(org, true)).toMatchObject([{ kind: 'filter-not-built', field: 'name^', repaired: true }]);
    expect(await differences(org)).toEqual([]);
    expect(await idsOf(org, 'ACME')).toEqual([first, renamed]);
    expect(await idsOf(org, 'on')).toEqual([first]);

    // The release before is still at work: it keeps the index of records that it changes.
    await change(org, second ?? '', { name: 'Acme 3' }, before);
    await change(org, renamed, undefined, before);
    expect(await differences(org)).toEqual([]);
    expect(await idsOf(org, 'acme')).toEqual([first, second]);
  });

  it('is restored by the operator: a missing entry, one of another text, one without a record, and what is none', async () => {
    const org = randomUUID();
    const [id, other] = [await create(org), await create(org, { name: 'Bistro' })];
    const entry = (text: string, number: number) =>
      entryKey({ partition: `ORG#${org}#SHOP`, field: 'name', text, number });
    const put = (key: object) => table.client.send(new PutCommand({ TableName: table.name, Item: { ...key } }));
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...entry('acme', numberOf(id)) } }));
    await put(entry('tasca', numberOf(other)));
    await put(entry('acme', 77));
    await put({ PK: indexOf(org), SK: 'acme' });

    const expected = [
      ['wrongly-in-list', 'SHOP "acme" in name^ is no entry'],
      ['missing-in-list', `SHOP ${id} is missing in name^=acme`],
      ['wrongly-in-list', `SHOP ${other} is in name^=tasca and does not belong there`],
      ['wrongly-in-list', 'SHOP number 77 is in name^=acme and does not belong there'],
    ].toSorted();
    for (const repair of [false, true]) {
      const found = await differences(org, repair);
      expect(found.map((each) => [each.kind, each.text]).toSorted()).toEqual(expected);
      expect(found.every(({ repaired }) => repaired === repair)).toBe(true);
    }
    expect(await differences(org)).toEqual([]);
    expect([await idsOf(org, 'acme'), await idsOf(org, 'tasca'), (await itemsIn(table, indexOf(org))).length]).toEqual([
      [id],
      [],
      2,
    ]);
  });
});
