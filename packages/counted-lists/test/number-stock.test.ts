import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Contention, NumberPool, type Table } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';

/** A list whose numbers requests of a batch take from its stock, at a time that the test sets. */
class StockedList {
  now = 0;
  left: number;
  fails = false;
  readonly ranges: number[] = [];
  released = 0;
  readonly #pool = new NumberPool(this.#request());
  readonly #stock = this.#pool.stock();
  #next = 0;

  constructor(requests: number) {
    this.left = requests;
  }

  async take(partition = 'LIST'): Promise<number> {
    const batch = { shared: { numbers: this.#stock }, left: this.left };
    this.left -= 1;
    const pool = new NumberPool({ ...this.#request(), batch });
    return (await pool.allocate(this.#table, { partition, filters: [] })).number;
  }

  takeAtOnce(count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.take()));
  }

  async end(): Promise<void> {
    await this.#stock.end();
    await this.#pool.settle();
  }

  #request() {
    const limit = { clock: () => this.now, deadline: 60_000 };
    return { ...limit, now: 0, contention: new Contention(limit) };
  }

  /** It has counter items, and takes bits of gaps. */
  get #table(): Table {
    const send = async ({ input }: UpdateCommand) => {
      await Promise.resolve();
      if (this.fails) throw new Error('the table does not respond');
      const count = input.ExpressionAttributeValues?.[':count'];
      if (count === undefined) return {};
      this.ranges.push(count);
      this.#next += count;
      return { Attributes: { NEXT: this.#next } };
    };
    const observer = { count: (_: string, many: number) => (this.released += many) };
    return { name: 'table', client: { send }, observer } as unknown as Table;
  }
}

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index);

describe('a stock of numbers', () => {
  it('gives each request one of its own, in order, from ranges that grow', async () => {
    const list = new StockedList(200);
    const taken: number[] = [];
    for (let wave = 0; wave < 25; wave++) taken.push(...(await list.takeAtOnce(8)));
    expect(taken).toEqual(upTo(200));
    expect(list.ranges).toEqual([8, 40, 152]);
    await list.end();
    expect(list.released).toBe(0);
  });

  it('allocates no more than requests are left', async () => {
    const list = new StockedList(3);
    expect(await list.takeAtOnce(3)).toEqual([0, 1, 2]);
    expect(list.ranges).toEqual([3]);
  });

  it('keeps lists apart', async () => {
    const list = new StockedList(2);
    expect(await Promise.all([list.take('ONE'), list.take('OTHER')])).toEqual([0, 2]);
    expect(list.ranges).toEqual([2, 1]);
  });

  it('is released where it was not taken', async () => {
    const list = new StockedList(8);
    await list.takeAtOnce(5);
    await list.end();
    expect(list.released).toBe(3);
  });

  it('releases numbers that readers may close soon, and begins small again', async () => {
    const list = new StockedList(200);
    await list.takeAtOnce(9);
    list.now += 2_001;
    expect(await list.take()).toBe(48);
    expect(list.ranges).toEqual([8, 40, 8]);
    await list.end();
    expect(list.released).toBe(48 - 9 + 8 - 1);
  });

  it('fails for all that wait for a range, who would else wait for one another, and for none that comes later', async () => {
    const list = new StockedList(4);
    list.fails = true;
    const waiting = await Promise.allSettled([list.take(), list.take()]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    list.fails = false;
    expect(await list.takeAtOnce(2)).toEqual([0, 1]);
    expect(list.ranges).toEqual([2]);
  });
});
