import { isDeepStrictEqual } from 'node:util';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/client.ts';
import { countPartition, filteredList, recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import { Session } from '../../shared/table/session.ts';
import type { Item } from '../../shared/table/staged.ts';
import { Loader } from './load.ts';
import { type Job, jobs, jobsOf, newJob } from './records.ts';

/**
 * A loaded list must be what the API's own commits make. Runs the same operations both ways and compares every item, but for what is
 * random or a time.
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
const stateOf = (index: number): string | null => [null, 'open', 'closed'][index % 3] ?? null;
const changeOf = (index: number): 'move' | 'delete' | undefined =>
  index % 7 === 1 ? 'move' : index % 5 === 2 ? 'delete' : undefined;

async function loadSome(table: Table, org: string): Promise<void> {
  const loader = new Loader(table, org);
  for (let index = 0; index < CREATED; index++) {
    const job = await loader.create(newJob(stateOf(index)));
    const change = changeOf(index);
    if (change === 'move') await loader.jobs.update(job, { state: 'held' });
    if (change === 'delete') loader.jobs.remove(job);
    loader.apply();
  }
  await loader.flush(table);
}

async function commitSome(table: Table, org: string): Promise<void> {
  const inSession = async (stage: (records: ReturnType<typeof jobsOf>) => Promise<unknown>): Promise<void> => {
    const session = new Session(table, systemClock, Date.now() + 10_000);
    await stage(jobsOf(org, session));
    await session.commit();
  };
  for (let index = 0; index < CREATED; index++) {
    let id = '';
    await inSession(async (records) => {
      id = (await records.create(newJob(stateOf(index)))).record.id;
    });
    const change = changeOf(index);
    if (change === undefined) continue;
    await inSession(async (records) => {
      const job = await records.get(id);
      if (job === undefined) throw new Error('a record just created is missing');
      if (change === 'move') await records.update(job, { state: 'held' });
      else records.remove(job);
    });
  }
}

async function itemsOf(table: Table, org: string): Promise<Item[]> {
  const partition = recordsPartition(org as TenantId, jobs.name);
  const lists = [partition, ...['open', 'closed', 'held'].map((state) => filteredList(partition, { state }))];
  const items = await Promise.all(
    [partition, ...lists.map(countPartition)].map(async (PK) => {
      const { Items = [] } = await table.client.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': PK },
        }),
      );
      return Items;
    }),
  );
  return items.flat().map((item) => comparable(item as Item & Partial<Job>, org));
}

/** Without the organization, the random end of the id, times and the ids of attempts. */
const comparable = (item: Item, org: string): Item =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([attribute]) => !['WRITE_ID', 'LISTED_AT', 'AT', 'BY'].includes(attribute))
      .map(([attribute, value]) => [
        attribute,
        typeof value === 'string'
          ? value.replace(org, '').replace(/^([\da-f]{8}-[\da-f]{4})-8[\da-f-]+$/, '$1')
          : String(value),
      ]),
  );
