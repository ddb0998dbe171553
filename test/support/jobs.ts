import { randomUUID } from 'node:crypto';
import { type Key, schema, type Table, type UnitOfWork } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { createTable, localConnection } from '#local-dynamodb';
import { type Entity, entity, type Repository, RequestSession, type Stored, set, Tenant, tableOf } from '#table';
import { systemClock } from '../../shared/clock.ts';
import { ConflictingHandler, type Conflicts } from './conflicts.ts';
import { writeItems } from './write-items.ts';

/** Records of a list with up to eleven filters, for tests and benchmarks of lists alone. */

/** Fields that the records may be listed by: `f1` … `f11`. */
export const FIELDS = Array.from({ length: 11 }, (_, index) => `f${index + 1}` as const);
type Field = `f${number}`;

/** A record of about 0.5 KB, as DynamoDB counts it. */
export interface Job extends Readonly<Record<Field, string | null>> {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly notes: string;
  readonly last_activity_at?: string;
}

/** Jobs that can be listed by this number of fields. */
export const jobsBy = (fields: number): Entity<Job> =>
  entity<Job>('JOB', { indexes: FIELDS.slice(0, fields).map((field) => set(field as keyof Job & string)) });

/** A job with the value that `value` gives to each of its fields. */
export const newJob = (fields: number, value: (field: number) => string | null = () => 'a'): Omit<Job, 'id'> => ({
  title: 'Replace the fan of the second cabinet',
  created_at: '2026-11-20T12:00:00.000Z',
  notes: 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 195),
  ...Object.fromEntries(FIELDS.slice(0, fields).map((field, index) => [field, value(index)])),
});

/** The jobs of an organization, as an operation of the API would reach them. */
export const jobsOf = (org: string, session: RequestSession, kind: Entity<Job>): Repository<Job> =>
  Tenant.ofNewOrganization(org, session).records(kind);

/** A new table, where transactions conflict as in DynamoDB. */
export async function jobTable(endpoint: string, conflicts: Conflicts, name = 'jobs'): Promise<Table> {
  await createTable(endpoint, name);
  return tableOf(name, { ...localConnection(endpoint), requestHandler: new ConflictingHandler(conflicts) });
}

type Items = Map<string, Record<string, unknown>>;

/**
 * A fast way to long lists: the repository stages its writes, which are carried out in memory; then all items are
 * written in batches.
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

  /** Writes all items to the table. */
  flush(table: Table): Promise<void> {
    return writeItems(table, [...this.#items.values()]);
  }
}

/** Its numbers come from counter items in memory. */
function loadingSession(table: Table, items: Items): RequestSession {
  const session = new RequestSession(table, () => systemClock() - 3_600_000, Number.POSITIVE_INFINITY);
  session.numbers.allocate = async (_, list) => {
    const { partition, filters } = list;
    const counter = itemAt(items, counterKeyOf(partition));
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
