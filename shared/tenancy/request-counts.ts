import type { Item } from '@custodia/counted-lists';

/**
 * Requests of an integration by day of UTC, in the item of its bucket (`request-budget.ts`): an attribute `D<day of the
 * epoch>` for each day with requests. An item has at most {@link MOST_DAYS}, so that it stays below 1 KB and a write of
 * it is one unit.
 */

/** Numbers of requests, by day of the epoch. */
export type RequestCounts = ReadonlyMap<number, number>;

/** What a container adds to an item. */
export interface Counted {
  readonly requests: RequestCounts;
  /** Attributes to remove: days that the item has beyond {@link MOST_DAYS}. */
  readonly surplus: readonly string[];
}

export const NOTHING_COUNTED: Counted = { requests: new Map(), surplus: [] };

/** The days of which requests are told: today and those before. */
export const TOLD_DAYS = 62;

/**
 * Most days in an item. The oldest go first by their number, not by the clock of the container that writes: one that is
 * months ahead makes days that nobody is told of, and pushes out no day before its third.
 */
const MOST_DAYS = TOLD_DAYS + 2;

/** How long an item is kept after its last change, in seconds. */
export const KEPT_SECONDS = (TOLD_DAYS + 1) * 86_400;

/** A part of an `UpdateItem`. */
interface Update {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

const attributeOf = (day: number): string => `D${day}`;

export function updateOf({ requests, surplus }: Counted): Update {
  const days = Array.from(requests, ([day, number], index) => ({
    name: `#day${index}`,
    day,
    value: `:day${index}`,
    number,
  }));
  // No update both adds to an attribute and removes it: the clock of this container may be months behind.
  const added = new Set(days.map(({ day }) => attributeOf(day)));
  const old = surplus
    .filter((attribute) => !added.has(attribute))
    .map((attribute, index) => ({ name: `#old${index}`, attribute }));
  return {
    expression: [
      ...(days.length === 0 ? [] : [`ADD ${days.map(({ name, value }) => `${name} ${value}`).join(', ')}`]),
      ...(old.length === 0 ? [] : [`REMOVE ${old.map(({ name }) => name).join(', ')}`]),
    ].join(' '),
    names: Object.fromEntries([
      ...days.map(({ name, day }) => [name, attributeOf(day)]),
      ...old.map(({ name, attribute }) => [name, attribute]),
    ]),
    values: Object.fromEntries(days.map(({ value, number }) => [value, number])),
  };
}

const DAY = /^D(\d+)$/;

/** The days of an item, the oldest first. */
export const countsIn = (item: Item): [day: number, requests: number][] =>
  Object.entries(item)
    .flatMap(([attribute, value]): [number, number][] => {
      const day = DAY.exec(attribute)?.[1];
      return day === undefined ? [] : [[Number(day), Number(value)]];
    })
    .toSorted(([one], [other]) => one - other);

/** The attributes of an item that are too many. */
export const surplusIn = (item: Item): string[] =>
  countsIn(item)
    .slice(0, -MOST_DAYS)
    .map(([day]) => attributeOf(day));
