import { randomUUID } from 'node:crypto';
import { ids, type Key, storedSets } from '@custodia/counted-lists';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM, tenantKey, tenantPartition, uniqueKey, valueKey } from '#table';
import { type Api, startApi } from '../support/api.ts';
import { bitPlace } from '../support/bits.ts';
import { byExtent, sampled } from '../support/extent.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { DamagedTenant, differencesOf, named } from './damaged-tenant.ts';

/** Every kind of damage that a tenant's data can have is found, nothing else is, and repaired the data is whole. */

let api: Api;
let made: DamagedTenant;
beforeAll(async () => {
  api = await startApi();
  made = await DamagedTenant.make(api);
});
afterAll(() => api.close());

it('data that nobody has damaged has no difference, whatever was done to it', async () => {
  const org = await api.orgToken('Other');
  const testTenant = new TestTenant(api, org);
  for (const [operationId] of sampled([...operations], 12))
    await testTenant.send(await testTenant.scenario(operationId));
  for (const id of [org.orgId, PLATFORM, made.tenant]) expect(await differencesOf(id)).toEqual([]);
});

const DAY = 86_400_000;

/** The number of the organization in the platform's list, and its key there. */
async function copyOfOrganization(): Promise<{ readonly number: number; readonly key: Key }> {
  const number = Number((await made.item({ PK: tenantPartition(made.tenant, 'ORG'), SK: made.tenant }))?.LISTED_AS);
  return { number, key: { PK: tenantPartition(PLATFORM, 'ORG'), SK: ids.sortKeyOf(number) } };
}

const terminals = () => tenantPartition(made.tenant, 'TERMINAL');
const slug = (text: string) => uniqueKey(made.tenant, 'CLIENT', 'slug', text);

/** What is done, and what must be found then. */
type Damage = readonly [what: string, damage: () => Promise<unknown>, found: readonly string[]];
const OF_LISTS: readonly Damage[] = [
  [
    'a record that its list lacks',
    () => made.shift('RESOURCE', made.id('resource'), -1n, 'status', 'active'),
    ['missing-in-list RESOURCE'],
  ],
  [
    'a number in a list that its record does not belong to',
    () => made.shift('TICKET', made.id('ticket'), 1n, 'status', 'pending'),
    ['wrongly-in-list TICKET'],
  ],
  [
    'a number in a list that was never allocated',
    () => made.shift('SERVICE', '00000000-0000-4000-8000-000000000000', 1n, 'client_id', made.id('client', 1)),
    ['wrongly-in-list SERVICE'],
  ],
  [
    'a number in the list of a value that no record has any more',
    async () => {
      await made.put({ ...valueKey(terminals(), 'status', 'retired') });
      await made.shift('TERMINAL', made.id('terminal'), 1n, 'status', 'retired');
    },
    ['wrongly-in-list TERMINAL'],
  ],
  [
    'a value that is not noted',
    () => made.remove(valueKey(terminals(), 'status', 'active')),
    ['value-not-noted TERMINAL status'],
  ],
  ['a record that is counted as deleted', () => made.shift('CLIENT', made.id('client'), 1n), ['hidden-record CLIENT']],
  [
    'a number whose writer died',
    async () => {
      await made.add(made.counterItem('TERMINAL'), 'NEXT', 1);
      await made.set(made.counterItem('TERMINAL'), 'AT', Date.now() - 2 * DAY);
    },
    ['lost-number TERMINAL'],
  ],
  [
    'a bit that was added twice, and carried into another',
    () => made.shift('RESOURCE', made.id('resource', 1), 1n, 'health_status', 'healthy'),
    ['missing-in-list RESOURCE', 'wrongly-in-list RESOURCE'],
  ],
  [
    'an expiring record that its list lacks',
    async () => {
      await made.calls.create('/api/v1/logs/ingest', { level: 'error', message: 'm' });
      const { data } = await made.calls.read('/api/v1/logs');
      for (const [level, times] of [
        ['error', -1n],
        ['debug', 1n],
      ] as const)
        await made.shift('LOG', String(data[0]?.id), times, 'level', level);
    },
    ['missing-in-list LOG', 'wrongly-in-list LOG'],
  ],
  [
    'a counter item that was set back',
    () => made.set(made.counterItem('TICKET'), 'NEXT', 1),
    ['counter-item-behind TICKET'],
  ],
];
/** They are slow: whole words are looked at again. */
const OF_WORDS: readonly Damage[] = [
  [
    'a word that has overflowed',
    () => {
      const { sortKey, word } = bitPlace(ids.numberOf(made.id('resource')));
      const PK = storedSets.partitionOf(tenantPartition(made.tenant, 'RESOURCE'), 'status', 'active');
      return made.add({ PK, SK: sortKey }, word, 2n ** 100n);
    },
    ['damaged-word RESOURCE'],
  ],
  [
    'a bit that was taken twice, and left the word negative',
    () => made.shift('TERMINAL', made.id('terminal'), -2n, 'status', 'active'),
    expect.arrayContaining(['damaged-word TERMINAL']) as never,
  ],
];
const OF_OTHERS: readonly Damage[] = [
  [
    'counters that are off',
    async () => {
      await made.add(made.key('client'), 'services_count', 2);
      await made.add(made.key('client'), 'risks', -1);
      await made.add(made.key('client', 1), 'total_resources', 1);
      await made.add(made.key('service'), 'resource_count', -1);
    },
    [
      ...['risks', 'services_count', 'total_resources'].map((field) => `counter CLIENT ${field}`),
      'counter SERVICE resource_count',
    ],
  ],
  [
    'a client that is not listed as being at risk',
    () => made.shift('CLIENT', made.id('client'), -1n, 'has_risks', 'true'),
    ['missing-in-list CLIENT'],
  ],
  [
    'a ticket that counts too few messages',
    () => made.add(made.key('ticket'), 'CHILDREN', -1),
    ['counter TICKET CHILDREN'],
  ],
  [
    'a quota that is off',
    async () => {
      await made.add(tenantKey(made.tenant, 'QUOTA', 'INTEGRATION'), 'USED', 3);
      await made.add(tenantKey(made.tenant, 'QUOTA', 'INTEGRATION'), 'FULL', -1);
    },
    ['counter INTEGRATION FULL', 'counter INTEGRATION USED'],
  ],
  [
    'a quota that was lost',
    () => made.remove(tenantKey(made.tenant, 'QUOTA', 'INTEGRATION')),
    ['counter INTEGRATION FULL', 'counter INTEGRATION USED'],
  ],
  [
    'a claim without a record',
    () => made.put({ ...slug('nobody'), holder: randomUUID() }),
    ['unique-value CLIENT slug'],
  ],
  ['a record without its claim', () => made.remove(slug('slug-one')), ['unique-value CLIENT slug']],
  [
    'a claim by another record',
    () => made.put({ ...slug('slug-one'), holder: made.id('client', 1) }),
    ['unique-value CLIENT slug'],
  ],
  [
    'an organization that differs from its copy',
    async () => made.set((await copyOfOrganization()).key, 'name', 'Ancient'),
    ['organization ORG'],
  ],
  [
    'an organization without its copy',
    async () => {
      const { number, key } = await copyOfOrganization();
      await made.remove(key);
      // A reader of the list has found it missing.
      const { sortKey, word, bit } = bitPlace(number);
      await made.add({ PK: storedSets.partitionOf(tenantPartition(PLATFORM, 'ORG')), SK: sortKey }, word, bit);
    },
    ['organization ORG'],
  ],
  [
    'a deletion that was interrupted',
    async () => {
      const partition = `${tenantPartition(made.tenant, 'TICKET')}#${randomUUID()}#MESSAGE`;
      for (let number = 0; number < 60; number++) await made.put({ PK: partition, SK: ids.sortKeyOf(number) });
      await made.put({ PK: tenantPartition(made.tenant, 'CASCADE_DELETE'), SK: partition });
    },
    ['unfinished-delete TICKET'],
  ],
];

describe('damage', () => {
  let before: unknown;
  beforeAll(async () => {
    before = await made.lists();
  });

  const ofWords = byExtent({ sample: [], extended: OF_WORDS.slice(0, 1), nightly: OF_WORDS });
  it.each([...sampled(OF_LISTS, 3), ...ofWords, ...sampled(OF_OTHERS, 3)])(
    'by %s is found, alone, and repaired',
    async (_, damage, expected) => {
      await damage();
      expect(named(await differencesOf(made.tenant))).toEqual(expected);
      const repaired = await differencesOf(made.tenant, true);
      expect(named(repaired)).toEqual(expected);
      expect(repaired.filter((each) => !each.repaired)).toEqual([]);
      await made.expectNoDifference();
      expect(await made.lists()).toEqual(before);
    },
  );

  it('in the platform’s list is repaired there, too', async () => {
    expect(await differencesOf(PLATFORM)).toEqual([]);
  });

  it('by a record that was deleted by hand leaves no trace of it', async () => {
    const client_id = made.id('client');
    const { id } = await made.calls.create('/api/v1/services', { client_id, name: 'gone', type: 'saas' });
    await made.set(made.counterItem('SERVICE'), 'AT', Date.now() - 60_000);
    await made.remove(made.keyOf('SERVICE', id));
    expect(named(await differencesOf(made.tenant, true))).toEqual([
      'counter CLIENT services_count',
      'lost-number SERVICE',
      // The sets of three fields, and the entry of a word.
      ...Array(4).fill('wrongly-in-list SERVICE'),
    ]);
    await made.expectNoDifference();
    expect(await made.lists()).toEqual(before);
  });

  it('in the order of the journal is reported, and cannot be repaired', async () => {
    const id = made.id('client');
    for (const name of ['other', 'one']) await made.calls.ask('PATCH', `/api/v1/clients/${id}`, { name });
    const { data } = await made.calls.read('/api/v1/events?limit=200&types=client.updated');
    const [second, third] = data.filter(({ record_id }) => record_id === id).slice(-2);
    const swap = async (versions: readonly unknown[]) => {
      for (const [index, event] of [second, third].entries())
        await made.set(made.keyOf('EVENT', String(event?.id)), 'version', versions[index]);
    };
    await swap([third?.version, second?.version]);
    for (const repair of [false, true]) {
      const found = await differencesOf(made.tenant, repair);
      const text = `EVENT ${third?.id} is of version ${second?.version} of Client ${id}, after one of version ${third?.version}`;
      expect(found).toMatchObject([{ kind: 'out-of-order', id: third?.id, text, repaired: false }]);
    }
    await swap([second?.version, third?.version]);
    await made.expectNoDifference();
  });

  it('that two records have one unique value is reported, and left to people', async () => {
    const [one, two] = [made.id('client'), made.id('client', 1)];
    await made.set(made.key('client', 1), 'slug', 'slug-one');
    await made.remove(slug('slug-two'));
    const found = await differencesOf(made.tenant, true);
    expect(named(found)).toEqual(['not-unique CLIENT slug', 'wrong-note CLIENT words~']);
    const text = `CLIENT slug "slug-one" is the value of ${one} and ${two}`;
    expect(found.find(({ kind }) => kind === 'not-unique')).toMatchObject({ repaired: false, text });
    await made.set(made.key('client', 1), 'slug', 'slug-two');
    expect(named(await differencesOf(made.tenant, true))).toEqual([
      'unique-value CLIENT slug',
      'wrong-note CLIENT words~',
    ]);
  });
});
