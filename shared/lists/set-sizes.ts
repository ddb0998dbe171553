import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { keepNewest } from '../keep-newest.ts';
import { AT, type Item, type Key, TTL } from './schema.ts';
import { partitionOfSizes } from './stored-sets.ts';
import type { Table } from './table.ts';

/**
 * Estimated sizes of the sets of filters, by which a reader decides what to read first. They are kept in the container, and large ones are noted
 * in an item of the list for other containers. A wrong estimate costs units, and never changes a result.
 */

/** In read units. */
export interface SetSize {
  /** To read the whole set. */
  readonly whole: number;
  /** To read those items of another set in which this one has members, at most. */
  readonly reach: number;
}

/** Size from which a set is noted, in units, and what another order of reading has to save. */
export const WORTHWHILE = 20;

/** How long an estimate is believed, and noted at most once, in milliseconds. */
const HOUR_MS = 3_600_000;
/** How long a note is believed, in milliseconds. */
const DAY_MS = 24 * HOUR_MS;

/** Most lists that a container knows, and sets of each. */
const LISTS = 500;
const SETS = 64;

/** Most values of a field in a note, and most bytes of a note: a unit to write. */
const VALUES = 16;
const NOTE_BYTES = 900;

interface Measured extends SetSize {
  readonly at: number;
}

/** The known sizes of the sets of one list, by `<field>=<value>`. */
export class SetSizes {
  readonly #sizes = new Map<string, Measured>();
  /** The sizes in the note, as last read. */
  #noted: ReadonlyMap<string, SetSize> = new Map();
  #notedAt = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #writtenAt = Number.NEGATIVE_INFINITY;

  get(set: string, now: number): SetSize | undefined {
    const size = this.#sizes.get(set);
    return size !== undefined && isWithin(HOUR_MS, size.at, now) ? size : undefined;
  }

  learn(set: string, { whole, reach }: SetSize, now: number): void {
    // An extrapolated size is no whole number, and would take more digits in the note.
    keepNewest(this.#sizes, set, { whole: Math.ceil(whole), reach: Math.ceil(reach), at: now }, SETS);
  }

  /** Reads the note, once an hour. Best effort. */
  async readNote(table: Table, list: string, now: number): Promise<void> {
    if (isWithin(HOUR_MS, this.#readAt, now)) return;
    this.#readAt = now;
    const command = new GetCommand({ TableName: table.name, Key: { ...noteKey(list) } });
    const { Item: item = {} } = await table.client.send(command).catch((): { Item?: Item } => ({}));
    if (!isWithin(DAY_MS, Number(item[AT]), now)) return;
    this.#noted = sizesIn(item);
    this.#notedAt = Number(item[AT]);
    for (const [set, size] of [...this.#noted].slice(0, SETS)) {
      if (this.get(set, now) === undefined) this.learn(set, size, now);
    }
  }

  /** Writes the note where it would be of use, at most once an hour. Best effort. */
  async writeNote(table: Table, list: string, now: number): Promise<void> {
    if (!isWithin(HOUR_MS, this.#readAt, now) || isWithin(HOUR_MS, this.#writtenAt, now)) return;
    const fresh = [...this.#sizes].filter(([, { at, whole }]) => isWithin(HOUR_MS, at, now) && whole >= WORTHWHILE);
    const isOld = !isWithin(DAY_MS / 2, this.#notedAt, now);
    if (!fresh.some(([set, size]) => isOld || isOff(size, this.#noted.get(set)))) return;
    this.#writtenAt = now;
    this.#noted = notable([...(isOld ? [] : this.#noted), ...fresh]);
    this.#notedAt = now;
    const sizes = Array.from(this.#noted, ([set, { whole, reach }]) => [set, [whole, reach]]);
    const expires = Math.ceil((now + 2 * DAY_MS) / 1_000);
    const item = { ...noteKey(list), [AT]: now, SIZES: Object.fromEntries(sizes), [TTL]: expires };
    await table.client.send(new PutCommand({ TableName: table.name, Item: item })).catch(() => undefined);
  }
}

/** Also false where one of them is no number. Another container's clock may be ahead. */
const isWithin = (most: number, at: number, now: number): boolean => Math.abs(now - at) < most;

/** Whether an estimate is less than half or more than twice of what is noted. */
const isOff = ({ whole }: SetSize, noted: SetSize | undefined): boolean =>
  noted === undefined || whole > 2 * noted.whole || 2 * whole < noted.whole;

/** The largest of these sets, as many as are noted. Of two sizes of a set, the later one. */
function notable(sizes: readonly (readonly [string, SetSize])[]): ReadonlyMap<string, SetSize> {
  const largest = [...new Map(sizes)].sort(([, one], [, other]) => other.whole - one.whole);
  const ofField = new Map<string, number>();
  let bytes = 0;
  const kept = largest.filter(([set]) => {
    const field = set.slice(0, set.indexOf('='));
    const values = ofField.get(field) ?? 0;
    const size = Buffer.byteLength(set) + 16;
    if (values === VALUES || bytes + size > NOTE_BYTES) return false;
    ofField.set(field, values + 1);
    bytes += size;
    return true;
  });
  return new Map(kept);
}

const noteKey = (list: string): Key => ({ PK: partitionOfSizes(list), SK: 'SIZES' });

/** The sizes of a note; what is no size is left out. */
function sizesIn({ SIZES: noted }: Item): ReadonlyMap<string, SetSize> {
  if (typeof noted !== 'object' || noted === null) return new Map();
  const sizes = Object.entries(noted).flatMap(([set, size]) => {
    const [whole, reach] = Array.isArray(size) ? size.map(Number) : [];
    return isSize(whole) && isSize(reach) ? [[set, { whole, reach }] as const] : [];
  });
  return new Map(sizes);
}

const isSize = (value: number | undefined): value is number => value !== undefined && value >= 0;

/** What this container knows, by table and list. The name of a list contains its tenant. */
const known = new Map<string, SetSizes>();

/** The known sizes of the sets of a list. @param list partition of its records */
export function sizesOf(table: Table, list: string): SetSizes {
  const name = `${table.name} ${list}`;
  const sizes = known.get(name) ?? new SetSizes();
  keepNewest(known, name, sizes, LISTS);
  return sizes;
}
