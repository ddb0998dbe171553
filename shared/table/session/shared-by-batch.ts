import { type Item, type Key, type NumberPool, readItems, schema, type Table } from '@custodia/counted-lists';
import type { TimeLimit } from '../../clock.ts';

/** Most ids that are looked up at once: fewer units than a request has (`shared/tenancy/budget/request-budget.ts`). */
const AT_ONCE = 40;

/**
 * What the sessions of a batch's operations share, so that a batch makes fewer calls than its operations alone. It
 * decides nothing: each operation commits on its own conditions.
 */
export class SharedByBatch {
  readonly numbers: ReturnType<NumberPool['stock']>;
  /** Those that were not looked up. */
  readonly #ids: string[];
  readonly #lookedUp = new Map<string, Promise<ReadonlyMap<string, Item>>>();
  readonly #lasting = new Map<string, Promise<unknown>>();
  /** By name: undefined where the first one was not postponed. */
  readonly #postponed = new Map<string, { readonly value: string; readonly task: () => Promise<void> } | undefined>();

  /** @param ids of requests, which its operations will look up in this order */
  constructor(numbers: ReturnType<NumberPool['stock']>, ids: readonly string[]) {
    this.numbers = numbers;
    this.#ids = [...ids];
  }

  /**
   * The item of an id of a request, as it was when it or an earlier one was looked up. Only once: what is looked up
   * again is read again.
   * @returns undefined for another id
   */
  lookUp(
    table: Table,
    id: string,
    keyOf: (id: string) => Key,
    timeLimit: TimeLimit,
  ): Promise<Item | undefined> | undefined {
    const name = schema.nameOf(keyOf(id));
    const index = this.#ids.indexOf(id);
    if (index >= 0) {
      const keys = this.#ids.splice(index, AT_ONCE).map(keyOf);
      const reading = readItems(table, keys, timeLimit).then(({ items }) => items);
      for (const key of keys) this.#lookedUp.set(schema.nameOf(key), reading);
      // Later ones are looked up alone.
      reading.catch(() => this.#lookedUp.clear());
    }
    const lookedUp = this.#lookedUp.get(name)?.then((items) => items.get(name));
    this.#lookedUp.delete(name);
    return lookedUp;
  }

  /** Reads what stays as it is once it is there. What is not there, or could not be read, is read again. */
  async readLasting<T>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const earlier = this.#lasting.get(name);
    const found = earlier && ((await earlier) as T | undefined);
    if (found !== undefined) return found;
    const reading = read();
    this.#lasting.set(name, reading);
    reading.catch(() => this.#lasting.delete(name));
    return reading;
  }

  /**
   * Carries out the first one of the tasks with a name, and the one with the highest value of all others at the end of
   * the batch.
   */
  async postpone(name: string, value: string, task: () => Promise<void>): Promise<void> {
    const postponed = this.#postponed.get(name);
    if (!this.#postponed.has(name)) {
      this.#postponed.set(name, undefined);
      await task();
    } else if (postponed === undefined || postponed.value < value) this.#postponed.set(name, { value, task });
  }

  /** Does what was postponed, and releases the numbers that are left. */
  async end(): Promise<void> {
    await Promise.allSettled([this.numbers.end(), ...Array.from(this.#postponed.values(), (each) => each?.task())]);
  }
}
