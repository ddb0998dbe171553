import type { Table } from '@custodia/counted-lists';
import type { Entity, Stored } from '../../shared/table/index.ts';
import { recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import { Loader } from './load.ts';
import { FIELDS, type Job, jobsBy, newJob } from './records.ts';
import { type PeerIndex, peerIndex } from './table.ts';

/** A list to read, with the keys that each way of reading needs. */
export interface BenchList {
  readonly name: string;
  readonly org: string;
  readonly kind: Entity<Job>;
  /** Partition key value, in the table or in `index`; undefined for a list that only the service reads. */
  readonly partition: string | undefined;
  readonly index: PeerIndex | undefined;
  /**
   * Fields that select the records, each by the value `a`. Any number of them, from the first on, selects the same
   * records.
   */
  readonly fields: readonly string[];
  readonly length: number;
}

/** The first `count` filters of a list. */
export const filterOf = ({ fields }: BenchList, count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.slice(0, count).map((field) => [field, 'a']));

/** A seed, the same in every run. */
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

const listOf = (name: string, org: string, kind: Entity<Job>, length: number): BenchList => ({
  name,
  org,
  kind,
  partition: recordsPartition(org as TenantId, kind.name),
  index: undefined,
  fields: [],
  length,
});

/**
 * `length` records that can be listed by eleven fields. One in ten has `a` in all of them; the others have `b` in the first, and `a` in each
 * other field as often as not. Some of the picked were others once, and more of the others were picked.
 */
export async function loadUndeleted(table: Table, length: number): Promise<BenchList[]> {
  const org = 'undeleted';
  const kind = jobsBy(FIELDS.length);
  const loader = new Loader(table, org, kind);
  const next = random(4);
  const picked = newJob(FIELDS.length);
  const other = () => newJob(FIELDS.length, (field) => (field > 0 && next() < 0.5 ? 'a' : 'b'));
  const created: Stored<Job>[] = [];
  for (let index = 0; index < length; index++) created.push(await loader.create(index % 8 === 0 ? picked : other()));
  const order = shuffled(created, random(1));
  const leaving = order.filter(({ record }) => record.f1 === 'a').slice(0, length / 20);
  const entering = order.filter(({ record }) => record.f1 === 'b').slice(0, length / 40);
  const records = new Map(created.map(({ record }) => [record.id, record]));
  for (const job of shuffled([...leaving, ...entering], random(2))) {
    const { record } = await loader.jobs.update(job, job.record.f1 === 'a' ? other() : picked);
    records.set(record.id, record);
    loader.apply();
  }
  const all = listOf('no deletes', org, kind, length);
  const index = peerIndex();
  const partition = `${all.partition}#picked`;
  await loader.flush(table, ({ f1 }) => (f1 === 'a' ? { [index.partition]: partition } : {}));
  const dense = records.values().reduce((count, { f2 }) => count + Number(f2 === 'a'), 0);
  return [
    all,
    { ...all, name: 'one in ten', partition, index, fields: FIELDS, length: length / 10 },
    { ...all, name: 'more than every other', partition: undefined, fields: ['f2'], length: dense },
  ];
}

/** `length` records of a list of which a third was deleted at random, days ago. */
export async function loadDeleted(table: Table, length: number): Promise<BenchList> {
  const org = 'deleted';
  const kind = jobsBy(0);
  const loader = new Loader(table, org, kind);
  const created: Stored<Job>[] = [];
  for (let index = 0; index < length * 1.5; index++) created.push(await loader.create(newJob(0)));
  for (const job of shuffled(created, random(3)).slice(length)) {
    loader.jobs.remove(job);
    loader.apply();
  }
  loader.expireTombstones();
  await loader.flush(table);
  return listOf('a third deleted', org, kind, length);
}
