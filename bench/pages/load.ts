import { randomUUID } from 'node:crypto';
import {
  type AllocatedNumber,
  type Item,
  type Key,
  schema,
  storedSets,
  type Table,
  type UnitOfWork,
} from '@custodia/counted-lists';
import { COUNTER } from '@custodia/counted-lists/maintenance';
import { writeItems } from '../../generate/write-items.ts';
import { systemClock } from '../../shared/clock.ts';
import { type Entity, type Repository, RequestSession, type Stored } from '../../shared/table/index.ts';
import { type Job, jobsOf } from './records.ts';

type Items = Map<string, Record<string, unknown>>;

/**
 * A fast way to long lists: the collection's own code stages its writes, which are carried out in memory; then all items are written
 * in batches. `load.check.ts` compares the outcome with that of real commits.
 */
export class Loader {
  readonly #items: Items = new Map();
  readonly #session: RequestSession;
  readonly jobs: Repository<Job>;

  constructor(table: Table, org: string, kind: Entity<Job>) {
    this.#session = loadingSession(table, this.#items);
    this.jobs = jobsOf(org, this.#session, kind);
  }

  /** Carries out staged writes in memory. */
  apply(): void {
    for (const write of this.#session.changes.pendingWrites) carryOut(write, this.#items);
    this.#session.restart();
  }

  async create(fields: Omit<Job, 'id'>): Promise<Stored<Job>> {
    const created = await this.jobs.create({ fields });
    this.apply();
    return created;
  }

  /** Forgets tombstones, as DynamoDB does some days after a delete. */
  expireTombstones(): void {
    for (const [name, item] of this.#items) if (item[schema.TOMBSTONE] !== undefined) this.#items.delete(name);
  }

  /** Writes all items to the table, with further attributes. */
  async flush(table: Table, besides: (item: Item) => Item = () => ({}), concurrency = 8): Promise<void> {
    const items = Array.from(this.#items.values(), (item) => ({ ...item, ...besides(item) }));
    await writeItems(table, items, concurrency);
  }
}

/** Its numbers come from counter items in memory. */
function loadingSession(table: Table, items: Items): RequestSession {
  const session = new RequestSession(table, () => systemClock() - 3_600_000, Number.POSITIVE_INFINITY);
  session.numbers.allocate = async (_, list): Promise<AllocatedNumber> => {
    const { partition, filters } = list;
    const counter = itemAt(items, { PK: storedSets.partitionOf(partition), SK: COUNTER });
    const number = Number(counter.NEXT ?? 0);
    Object.assign(counter, { NEXT: number + 1, AT: session.now, BY: randomUUID(), FILTERS: filters });
    return { list, number, expires: undefined, filters, largest: 0 };
  };
  session.numbers.noteEntries = (_, entries) => {
    for (const entry of entries) items.set(schema.nameOf(entry), { ...entry, [schema.AT]: session.now });
  };
  return session;
}

function itemAt(items: Items, key: Key) {
  const item = items.get(schema.nameOf(key)) ?? { PK: key.PK, SK: key.SK };
  items.set(schema.nameOf(key), item);
  return item;
}

function carryOut(write: UnitOfWork['writes'][number], items: Items): void {
  switch (write.kind) {
    case 'put':
      items.set(schema.nameOf(write.key), { ...write.item });
      break;
    case 'delete':
      items.delete(schema.nameOf(write.key));
      break;
    case 'update': {
      const item = Object.assign(itemAt(items, write.key), write.set);
      for (const attribute of write.remove) delete item[attribute];
      for (const [attribute, amount] of Object.entries(write.add)) {
        item[attribute] = BigInt((item[attribute] as bigint | undefined) ?? 0) + BigInt(amount);
      }
    }
  }
}
