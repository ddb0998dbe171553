import { isDeepStrictEqual } from 'node:util';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, storedSets, type Table } from '@custodia/counted-lists';
import { systemClock } from '../../shared/clock.ts';
import { RequestSession } from '../../shared/table/index.ts';
import { recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import { Loader } from './load.ts';
import { jobsBy, jobsOf, newJob } from './records.ts';

/**
 * A loaded list must equal one that the API's own commits make. This runs the same operations both ways and compares
 * every item, without random values and times.
 * @throws Error when an item differs
 */
export async function checkLoader(table: Table): Promise<void> {
  const [loaded, committed] = ['check-loaded', 'check-committed'];
  await loadSome(table, loaded);
  await commitSome(table, committed);
  const [one, other] = [await itemsOf(table, loaded), await itemsOf(table, committed)];
  const difference = one.findIndex((item, index) => !isDeepStrictEqual(item, other[index]));
  if (one.length !== other.length || difference >= 0) {
    const shown = [one[difference], other[difference]].map((item) => JSON.stringify(item));
    throw new Error(`a loaded list is not what commits make: ${shown.join(' and ')}`);
  }
}

const CREATED = 60;
const kind = jobsBy(2);
const jobOf = (index: number) =>
  newJob(2, (field) => (field === 0 ? [null, 'open', 'closed'] : ['ana', 'rui', null])[index % 3] ?? null);
const changeOf = (index: number): 'move' | 'delete' | undefined =>
  index % 7 === 1 ? 'move' : index % 5 === 2 ? 'delete' : undefined;

async function loadSome(table: Table, org: string): Promise<void> {
  const loader = new Loader(table, org, kind);
  for (let index = 0; index < CREATED; index++) {
    const job = await loader.create(jobOf(index));
    const change = changeOf(index);
    if (change === 'move') await loader.jobs.update(job, { f1: 'held' });
    if (change === 'delete') loader.jobs.remove(job);
    loader.apply();
  }
  await loader.flush(table);
}

async function commitSome(table: Table, org: string): Promise<void> {
  const inSession = async (stage: (records: ReturnType<typeof jobsOf>) => Promise<unknown>): Promise<void> => {
    const session = new RequestSession(table, systemClock, Date.now() + 10_000);
    await stage(jobsOf(org, session, kind));
    await session.commit();
  };
  for (let index = 0; index < CREATED; index++) {
    let id = '';
    await inSession(async (records) => {
      id = (await records.create({ fields: jobOf(index) })).record.id;
    });
    const change = changeOf(index);
    if (change === undefined) continue;
    await inSession(async (records) => {
      const job = await records.get(id);
      if (job === undefined) throw new Error('a record just created is missing');
      if (change === 'move') await records.update(job, { f1: 'held' });
      else records.remove(job);
    });
  }
}

/** Where the items of a list lie: the records, what it knows of its numbers, and the sets of every value. */
function partitionsOf(org: string): string[] {
  const records = recordsPartition(org as TenantId, kind.name);
  const values = { f1: ['open', 'closed', 'held'], f2: ['ana', 'rui'] };
  const sets = Object.entries(values).flatMap(([field, all]) =>
    all.map((value) => storedSets.partitionOf(records, field, value)),
  );
  return [records, storedSets.partitionOf(records), ...sets];
}

async function itemsOf(table: Table, org: string): Promise<Item[]> {
  const items = await Promise.all(
    partitionsOf(org).map(async (PK) => {
      const { Items = [] } = await table.client.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': PK },
        }),
      );
      if (Items.length === 0) throw new Error(`nothing was written to ${PK}`);
      return Items;
    }),
  );
  return items.flat().map((item) => comparable(item, org));
}

/** Leaves out the organization, the random end of the id, times and the ids of attempts. */
const comparable = (item: Item, org: string): Item =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([attribute]) => !['WRITE_ID', 'AT', 'BY', 'TTL'].includes(attribute))
      .map(([attribute, value]) => [
        attribute,
        String(value)
          .replace(org, '')
          .replace(/^([\da-f]{8}-[\da-f]{4})-4[\da-f-]+$/, '$1'),
      ]),
  );
