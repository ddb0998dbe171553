import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Collection } from '../../shared/table/collection.ts';
import { countPartition, HEAD, type TenantId } from '../../shared/table/keys.ts';
import type { TakenNumber } from '../../shared/table/lists/count.ts';
import type { Stored } from '../../shared/table/records.ts';
import { Session } from '../../shared/table/session.ts';
import type { Item, StagedWrite } from '../../shared/table/staged.ts';
import { type Job, jobsOf } from './records.ts';

/**
 * A fast way to long lists: the collection's own code stages its writes, which are carried out in memory; then all items are written
 * in batches. `load.check.ts` compares the outcome with that of real commits.
 */
export class Loader {
  readonly #items = new Map<string, Record<string, unknown>>();
  readonly #session: LoadingSession;
  readonly jobs: Collection<Job>;

  constructor(table: Table, org: string) {
    this.#session = new LoadingSession(table, this.#items);
    this.jobs = jobsOf(org, this.#session);
  }

  /** Carries out in memory what is staged. */
  apply(): void {
    for (const write of this.#session.staged) carryOut(write, this.#items);
    this.#session.restart();
  }

  async create(fields: Omit<Job, 'id'>): Promise<Stored<Job>> {
    const created = await this.jobs.create(fields);
    this.apply();
    return created;
  }

  /** Writes all items to the table. */
  async flush(table: Table, lanes = 8): Promise<number> {
    const batches = Array.from({ length: Math.ceil(this.#items.size / 25) }, () => [] as Item[]);
    let position = 0;
    for (const item of this.#items.values()) batches[Math.floor(position++ / 25)]?.push(item);
    const lane = async (): Promise<void> => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) await writeBatch(table, batch);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return position;
  }
}

/** Takes numbers from heads in memory. */
class LoadingSession extends Session {
  readonly #items: Map<string, Record<string, unknown>>;

  constructor(table: Table, items: Map<string, Record<string, unknown>>) {
    super(table, () => systemClock() - 3_600_000, Number.POSITIVE_INFINITY);
    this.#items = items;
  }

  override async takeNumber(_: TenantId, list: string): Promise<TakenNumber> {
    const head = itemAt(this.#items, { PK: countPartition(list), SK: HEAD });
    const number = Number(head.NEXT ?? 0);
    Object.assign(head, { NEXT: number + 1, AT: this.now, BY: randomUUID() });
    return { list, number, at: this.now, day: undefined };
  }
}

const nameOf = (key: { readonly PK: string; readonly SK: string }): string => `${key.PK}\n${key.SK}`;

function itemAt(items: Map<string, Record<string, unknown>>, key: { readonly PK: string; readonly SK: string }) {
  const item = items.get(nameOf(key)) ?? { PK: key.PK, SK: key.SK };
  items.set(nameOf(key), item);
  return item;
}

function carryOut(write: StagedWrite, items: Map<string, Record<string, unknown>>): void {
  switch (write.kind) {
    case 'put':
      items.set(nameOf(write.key), { ...write.item });
      break;
    case 'delete':
      items.delete(nameOf(write.key));
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

async function writeBatch(table: Table, items: readonly Item[]): Promise<void> {
  let requests = items.map((item) => ({ PutRequest: { Item: item as Record<string, unknown> } }));
  while (requests.length > 0) {
    const { UnprocessedItems = {} } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    requests = (UnprocessedItems[table.name] ?? []) as typeof requests;
  }
}
