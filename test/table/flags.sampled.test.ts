import { ids, type Key, listErrors, storedSets } from '@custodia/counted-lists';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entity, flag, type Stored, set } from '#table';
import { countedBy, kind } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { bitPlace } from '../support/bits.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { LateHandler } from '../support/late-requests.ts';
import { PausingHandler } from '../support/pauses.ts';
import { type How, NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Filters that follow from the rest of a record, and from a counter that nobody reads before it is changed. */

interface Shop {
  id: string;
  city: string;
  issues: number;
  at_risk?: true | null;
}
interface Machine {
  id: string;
  shop_id: string;
  load: number;
  over?: true | null;
}

const table = useTable();
const isOver = ({ load }: Machine): boolean => load > 80;
const shops = new TestList(
  table,
  entity<Shop>('SHOP', { indexes: [set('city'), flag('at_risk', { counter: 'issues' })] }),
  { city: 'porto', issues: 0 },
  { at_risk: [true], city: ['porto', 'faro'] },
);
const machines = new TestList(
  table,
  entity<Machine>('MACHINE', { indexes: [set('shop_id'), flag('over', isOver)] }),
  { load: 0 },
  { over: [true] },
);
/** The same of the release before, which knows no flags. */
const oldShops = new TestList(table, entity<Shop>('SHOP', { indexes: [set('city')] }), { city: 'porto', issues: 0 });
const oldMachines = new TestList(table, entity<Machine>('MACHINE', { indexes: [set('shop_id')] }), { load: 0 });

// No call runs out of time, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
});

interface Release {
  readonly shops: TestList<Shop>;
  readonly machines: TestList<Machine>;
}
const RELEASE: Release = { shops, machines };
const BEFORE: Release = { shops: oldShops, machines: oldMachines };

/** Creates, changes or deletes (`load` undefined) a machine, and counts it at its shop, in one transaction. */
const report = (shop_id: string, id: string | undefined, load: number | undefined, how?: How, release = RELEASE) =>
  release.machines.do(async (records, tenant) => {
    const before = id === undefined ? undefined : await records.get(id);
    if (id !== undefined && before === undefined) return '';
    const amount = Number((load ?? 0) > 80) - Number(before !== undefined && isOver(before.record));
    if (amount !== 0) {
      const noShop = () => new Error('there is no such shop');
      tenant.records(release.shops.entity).derived.adjust(shop_id, { add: { issues: amount } }, noShop);
    }
    return stage(records, before, { shop_id, load });
  }, how);

async function stage(
  records: Parameters<Parameters<typeof machines.do>[0]>[0],
  before: Stored<Machine> | undefined,
  { shop_id, load }: { readonly shop_id: string; readonly load: number | undefined },
): Promise<string> {
  if (before === undefined) return (await records.create({ fields: { shop_id, load: load ?? 0 } })).record.id;
  if (load === undefined) records.remove(before);
  else await records.update(before, { load });
  return before.record.id;
}

const listed = async (list: TestList<Shop> | TestList<Machine>, filter: object): Promise<string[]> => {
  const { total, ids: found } = await list.read({ filter } as never);
  expect(total).toBe(found.length);
  return found.toSorted();
};

/** Compares counters, flags and every list by them with the records. */
async function expectRight(): Promise<void> {
  const [allShops, allMachines] = [await shops.stored(), await machines.stored()];
  const atRisk = new Set(allMachines.filter(isOver).map(({ shop_id }) => shop_id));
  for (const { id, issues, at_risk } of allShops) {
    const counted = allMachines.filter((each) => each.shop_id === id && isOver(each)).length;
    expect([issues, at_risk === true]).toEqual([counted, counted > 0]);
  }
  expect((await shops.audit()).faults).toEqual([]);
  expect((await machines.audit()).faults).toEqual([]);
  const idsWhere = <T extends { id: string }>(all: readonly T[], isListed: (one: T) => boolean) =>
    all
      .filter(isListed)
      .map(({ id }) => id)
      .toSorted();
  expect(await listed(shops, { at_risk: true })).toEqual(idsWhere(allShops, ({ id }) => atRisk.has(id)));
  expect(await listed(shops, { at_risk: false })).toEqual(idsWhere(allShops, ({ id }) => !atRisk.has(id)));
  expect(await listed(machines, { over: true })).toEqual(idsWhere(allMachines, isOver));
  expect(await listed(machines, { over: false })).toEqual(idsWhere(allMachines, (each) => !isOver(each)));
}

const KINDS = [
  kind(shops.entity, {
    counters: { issues: [countedBy(machines.entity, 'shop_id', isOver)] },
    values: { at_risk: ['true'] },
  }),
  kind(machines.entity, { values: { over: ['true'] } }),
];
const differences = async (repair: boolean) =>
  (await verify(table.open(), KINDS, { repair })).differences.map(({ kind: what, field, entity: of }) =>
    [what, of, field].filter(Boolean).join(' '),
  );

describe('a counter', () => {
  it('takes a second transaction where it leaves or reaches 0, and then its flag moves with it', async () => {
    const over = new FaultyHandler();
    const shop = await shops.createId();
    const sent = async (work: Promise<unknown>): Promise<number> => {
      over.follow(() => undefined);
      await work;
      await expectRight();
      return over.calls.filter((operation) => operation === 'TransactWriteItems').length;
    };
    const one = await report(shop, undefined, 0);
    const two = await report(shop, undefined, 0);
    expect(await sent(report(shop, one, 50, { over }))).toBe(1);
    expect(await sent(report(shop, one, 90, { over }))).toBe(2);
    expect(await sent(report(shop, two, 90, { over }))).toBe(1);
    expect(await sent(report(shop, one, undefined, { over }))).toBe(1);
    expect(await sent(report(shop, two, 10, { over }))).toBe(2);
    expect(await sent(report(shop, undefined, 99, { over }))).toBe(2);
  });

  it('of a record that does not exist is refused, and nothing is written', async () => {
    const nobody = ids.newId(7);
    await expect(report(nobody, undefined, 90)).rejects.toThrow('there is no such shop');
    expect(await machines.stored()).toEqual([]);
  });

  const faults: readonly (readonly [Fault, number])[] = (
    ['reply-lost', 'forgotten', 'dropped', 'conflict'] as const
  ).flatMap((fault) => [1, 2].map((at): [Fault, number] => [fault, at]));
  it.each(faults)('leaves and reaches 0 once: %s at transaction %i', async (fault, at) => {
    const over = new FaultyHandler();
    const shop = await shops.createId();
    const machine = await report(shop, undefined, 0);
    for (const load of [90, 10]) {
      let transactions = 0;
      over.follow(({ operation }) => (operation === 'TransactWriteItems' && ++transactions === at ? fault : undefined));
      await report(shop, machine, load, { over });
      await expectRight();
    }
    let transactions = 0;
    over.follow(({ operation }) => (operation === 'TransactWriteItems' && ++transactions === at ? fault : undefined));
    await report(shop, undefined, 90, { over });
    await expectRight();
  });

  it.each([false, true])(
    'is not changed by a transaction that arrives late, with a forgotten token: %s',
    async (forgotten) => {
      for (const chosen of ['at_risk=true', 'TransactItems']) {
        const shop = await shops.createId();
        const [one, two] = [await report(shop, undefined, 0), await report(shop, undefined, 0)];
        const late = new LateHandler((operation, body) => operation === 'TransactWriteItems' && body.includes(chosen));
        await report(shop, one, 90, { over: late });
        await expectRight();
        // One with a token that DynamoDB knows is answered as before, and not carried out again.
        if (forgotten) expect((await late.deliver(true)).status).toBe(400);
        else await late.deliver();
        await expectRight();
        await report(shop, two, 90);
        await report(shop, one, 10);
        await late.deliver(forgotten);
        await expectRight();
      }
    },
  );

  it('keeps its flag where another raises it while the one that reaches 0 is between its two transactions', async () => {
    const shop = await shops.createId();
    const [one, two] = [await report(shop, undefined, 90), await report(shop, undefined, 0)];
    const over = new PausingHandler();
    const paused = over.pauseBefore('TransactWriteItems', 'at_risk=true');
    const writing = report(shop, one, 10, { over });
    await paused.reached;
    await report(shop, two, 90);
    paused.release();
    await writing;
    await expectRight();
  });

  it('is counted again by a change of its record that corrects the flag, where it moves before the commit', async () => {
    const shop = await shops.createId();
    const machine = await report(shop, undefined, 0);
    await report(shop, machine, 90, undefined, BEFORE);
    const over = new PausingHandler();
    const paused = over.pauseBefore('TransactWriteItems', 'at_risk=true');
    const writing = shops.change(shop, { city: 'faro' }, { over });
    await paused.reached;
    await report(shop, machine, 10);
    paused.release();
    await writing.catch(() => undefined);
    await expectRight();
  });

  it('is changed by both transactions under one WRITE_ID, by which a late first one is recognized', async () => {
    const bodies: string[] = [];
    const over = new LateHandler((operation, body) => {
      if (operation === 'TransactWriteItems') bodies.push(body);
      return false;
    });
    const shop = await shops.createId();
    await report(shop, await report(shop, undefined, 0), 90, { over });
    const different = (text: RegExp) => new Set(bodies.map((body) => text.exec(body)?.[0])).size;
    expect(bodies).toHaveLength(2);
    expect([different(/"ClientRequestToken":"[^"]+"/), different(/"S":"[\w-]{16}"/)]).toEqual([2, 1]);
  });

  it('is not changed by a writer that sleeps an hour before its second transaction, while others change it', async () => {
    const shop = await shops.createId();
    const [one, two] = [await report(shop, undefined, 0), await report(shop, undefined, 0)];
    const over = new PausingHandler();
    const paused = over.pauseBefore('TransactWriteItems', 'at_risk=true');
    let now = Date.now();
    const writing = report(shop, one, 90, { over, at: () => now });
    writing.catch(() => undefined);
    await paused.reached;
    await report(shop, two, 90);
    now += 3_600_000;
    paused.release();
    await expect(writing).rejects.toThrow(listErrors.TableUnavailable);
    await expectRight();
    await report(shop, one, 90);
    await report(shop, two, 0);
    await expectRight();
  });
});

it('writers whose reports cross the thresholds of a few shops, where transactions conflict, leave no flag behind', async () => {
  const loads = fc.constantFrom(0, 50, 81, 100, undefined);
  const act = fc.record({ machine: fc.nat(11), load: loads });
  const count = byExtent({ sample: 10, extended: 24, nightly: 24 });
  const runs = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: count, maxLength: count });
  await fc.assert(
    fc.asyncProperty(runs, async (writers) => {
      table.org = crypto.randomUUID();
      const conflicts = new Conflicts({ sends: 6 });
      const all = await Promise.all([1, 2, 3].map(() => shops.createId()));
      const shopOf = (machine: number): string => all[machine % 3] ?? '';
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, index) => report(shopOf(index), undefined, index % 2 === 0 ? 90 : 0)),
      );
      await expectRight();
      await Promise.all(
        writers.map(async (acts, writer) => {
          const faulty = new ConflictingHandler(conflicts);
          // One reply in seven is lost.
          faulty.follow(({ index }) => ((index + writer) % 7 === 6 ? 'reply-lost' : undefined));
          for (const { machine, load } of acts)
            await report(shopOf(machine), made[machine] ?? '', load, { over: faulty, patience: 600_000 });
        }),
      );
      expect(conflicts.refused).toBeGreaterThan(0);
      await expectRight();
      expect(await differences(false)).toEqual([]);
    }),
    { numRuns: byExtent({ sample: 1, extended: 2, nightly: 40 }), endOnFailure: true },
  );
});

describe('a list by a flag', () => {
  it('has all other records where it is false, also beside gaps, lost numbers and other filters', async () => {
    const made: string[] = [];
    for (let index = 0; index < 12; index++)
      made.push(await shops.createId({ city: index % 3 === 0 ? 'faro' : 'porto' }));
    for (const index of [1, 2, 3, 6]) await report(made[index] ?? '', undefined, 90);
    await shops.remove(made[4] ?? '');
    await shops.remove(made[3] ?? '');
    await shops.lose(2, { at: Date.now() - 60_000 });
    const last = await shops.createId({ city: 'faro' }, { at: Date.now() - 50_000 });
    const at = (...indexes: number[]): string[] => indexes.map((index) => made[index] ?? '').toSorted();
    expect(await listed(shops, { at_risk: true })).toEqual(at(1, 2, 6));
    expect(await listed(shops, { at_risk: true, city: 'porto' })).toEqual(at(1, 2));
    expect(await listed(shops, { at_risk: false, city: 'faro' })).toEqual([...at(0, 9), last].toSorted());
    expect(
      (await shops.page({ where: [{ field: 'at_risk', anyOf: [false] }] })).records.map(({ record }) => record.id),
    ).toEqual([...[0, 5, 7, 8, 9, 10, 11].map((index) => made[index]), last]);
    expect(await listed(shops, { at_risk: false })).toHaveLength(8);
    expect(await shops.audit()).toEqual(NO_FAULTS);
    const second = await shops.page({ page: 2, page_size: 3, where: [{ field: 'at_risk', anyOf: [false] }] });
    expect([second.total, second.records.map(({ record }) => record.id)]).toEqual([8, [made[8], made[9], made[10]]]);
    const cursor = shops.records().cursorPage({ limit: 50, where: [{ field: 'at_risk', anyOf: [false] }] });
    expect((await cursor).records).toHaveLength(8);
  });

  it('leaves out a record that gets the flag between the two round trips of a page', async () => {
    const [one = '', two = ''] = [await shops.createId(), await shops.createId()];
    const over = new PausingHandler();
    const paused = over.pauseBefore('Query', storedSets.partitionOf(shops.partition).replace('#SET', '"'));
    const reading = shops.page({ page_size: 1, where: [{ field: 'at_risk', anyOf: [false] }] }, { over });
    await paused.reached;
    await report(one, undefined, 90);
    paused.release();
    expect((await reading).records.map(({ record }) => record.id)).toEqual([two]);
    expect((await shops.read()).total).toBe(2);
  });
});

it('a list is sorted by a flag as it is shown: false before true', async () => {
  const [one, two, three] = [await shops.createId(), await shops.createId(), await shops.createId()];
  await report(two, undefined, 90);
  expect((await shops.read({ sort: 'at_risk' })).ids).toEqual([one, three, two]);
  expect((await shops.read({ sort: '-at_risk' })).ids).toEqual([two, three, one]);
});

describe('verifying', () => {
  const keyOf = (list: TestList<Shop> | TestList<Machine>, id: string): Key => ({
    PK: list.partition,
    SK: ids.sortKeyOf(ids.numberOf(id)),
  });
  const shift = (list: TestList<Shop> | TestList<Machine>, id: string, flag: string, times: bigint) => {
    const { sortKey, word, bit } = bitPlace(ids.numberOf(id));
    const key = { PK: storedSets.partitionOf(list.partition, flag, 'true'), SK: sortKey };
    return table.update(key, `ADD #${word} :bit`, { ':bit': times * bit });
  };
  let shop: string;
  let idle: string;
  let machine: string;
  beforeEach(async () => {
    [shop, idle] = [await shops.createId(), await shops.createId()];
    machine = await report(shop, undefined, 90);
    await report(idle, undefined, 10);
  });

  it.each<readonly [string, () => Promise<unknown>, readonly string[]]>([
    ['the bit of a client at risk', () => shift(shops, shop, 'at_risk', -1n), ['missing-in-list SHOP']],
    ['the bit of one that is not', () => shift(shops, idle, 'at_risk', 1n), ['wrongly-in-list SHOP']],
    ['a bit of a resource', () => shift(machines, machine, 'over', -1n), ['missing-in-list MACHINE']],
    [
      'a counter and its flag',
      async () => {
        await table.update(keyOf(shops, shop), 'SET issues = :none, at_risk = :no', { ':none': 0, ':no': null });
        await shift(shops, shop, 'at_risk', -1n);
      },
      ['counter SHOP issues', 'wrong-note SHOP at_risk'],
    ],
    [
      'a flag without its counter',
      async () => {
        await table.update(keyOf(shops, idle), 'SET at_risk = :yes', { ':yes': true });
        await shift(shops, idle, 'at_risk', 1n);
      },
      ['wrong-note SHOP at_risk'],
    ],
    [
      'a counter alone',
      () => table.update(keyOf(shops, shop), 'SET issues = :most', { ':most': 7 }),
      ['counter SHOP issues'],
    ],
    [
      'a flag that its bit agrees with',
      async () => {
        await table.update(keyOf(machines, machine), 'SET #over = :no', { ':no': null });
        await shift(machines, machine, 'over', -1n);
      },
      ['wrong-note MACHINE over'],
    ],
    ['a flag alone', () => table.update(keyOf(machines, machine), 'REMOVE #over'), ['wrong-note MACHINE over']],
  ])('finds %s, alone, and repairs it', async (_, damage, found) => {
    await expectRight();
    await damage();
    expect((await differences(false)).toSorted()).toEqual(found);
    expect((await differences(true)).toSorted()).toEqual(found);
    expect(await differences(false)).toEqual([]);
    await expectRight();
  });
});
