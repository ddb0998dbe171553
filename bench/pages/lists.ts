import type { Table } from '../../shared/table/client.ts';
import { filteredList, recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import type { Stored } from '../../shared/table/records.ts';
import { type ListIndex, listIndex } from '../../shared/table/schema.ts';
import { Loader } from './load.ts';
import { type Job, jobs, newJob } from './records.ts';

/** A list to be read, and how every way of reading finds it. */
export interface BenchList {
  readonly name: string;
  readonly org: string;
  /** Partition key value, in the table or in `index`. */
  readonly partition: string;
  readonly index: ListIndex | undefined;
  readonly filter: { readonly state?: string };
  readonly length: number;
}

/** The same at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(values: readonly T[], next: () => number): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

const tableList = (name: string, org: string, length: number): BenchList => ({
  name,
  org,
  partition: recordsPartition(org as TenantId, jobs.name),
  index: undefined,
  filter: {},
  length,
});

/**
 * `length` records; every tenth is open. More than that were open once: a third of the numbers of the list of open ones are
 * holes, from records that moved out of it.
 */
export async function loadUndeleted(table: Table, length: number): Promise<[all: BenchList, open: BenchList]> {
  const org = 'undeleted';
  const loader = new Loader(table, org);
  const created: Stored<Job>[] = [];
  for (let index = 0; index < length; index++) {
    created.push(await loader.create(newJob(index % 8 === 0 ? 'open' : 'closed')));
  }
  const order = shuffled(created, random(1));
  const leaving = order.filter(({ record }) => record.state === 'open').slice(0, length / 20);
  const entering = order.filter(({ record }) => record.state === 'closed').slice(0, length / 40);
  for (const job of shuffled([...leaving, ...entering], random(2))) {
    await loader.jobs.update(job, { state: job.record.state === 'open' ? 'closed' : 'open' });
    loader.apply();
  }
  await loader.flush(table);
  const all = tableList('no deletes', org, length);
  const filter = { state: 'open' };
  const partition = filteredList(all.partition, filter);
  const open = { name: 'one in ten', org, partition, index: listIndex(1), filter, length: length / 10 };
  return [all, open];
}

/** `length` records, left over from half as many again: a third of the list was deleted at random. */
export async function loadDeleted(table: Table, length: number): Promise<BenchList> {
  const org = 'deleted';
  const loader = new Loader(table, org);
  const created: Stored<Job>[] = [];
  for (let index = 0; index < length * 1.5; index++) created.push(await loader.create(newJob(null)));
  for (const job of shuffled(created, random(3)).slice(length)) {
    loader.jobs.remove(job);
    loader.apply();
  }
  await loader.flush(table);
  return tableList('a third deleted', org, length);
}
