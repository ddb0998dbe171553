import { type Entry, entryName } from '#lists/maintenance';

/** Numbers of a chunk. */
const CHUNK = 65_536;

/**
 * The entries that the records of a list have in its indexes, as two sums for each number: of the hashes of what it should have, less those of what it
 * has. Eight bytes a number, where the entries of ten million records would be gigabytes. What differs is only suspected, and looked at again.
 */
export class EntrySums {
  readonly #chunks = new Map<number, Uint32Array>();

  /** Adds an entry that a record should have. */
  expect(number: number, entry: Entry): void {
    this.#add(number, nameOf(entry), 1);
  }

  /** Subtracts one that it has. */
  found(number: number, entry: Entry): void {
    this.#add(number, nameOf(entry), -1);
  }

  /** The numbers whose entries differ. */
  differing(): number[] {
    return Array.from(this.#chunks).flatMap(([chunk, sums]) =>
      Array.from({ length: CHUNK }, (_, index) => index)
        .filter((index) => sums[2 * index] !== 0 || sums[2 * index + 1] !== 0)
        .map((index) => chunk * CHUNK + index),
    );
  }

  #add(number: number, name: string, sign: 1 | -1): void {
    const chunk = Math.floor(number / CHUNK);
    const sums = this.#chunks.get(chunk) ?? new Uint32Array(2 * CHUNK);
    this.#chunks.set(chunk, sums);
    const at = 2 * (number % CHUNK);
    // Sums wrap around.
    sums[at] = (sums[at] ?? 0) + sign * hashOf(name, 0x01000193);
    sums[at + 1] = (sums[at + 1] ?? 0) + sign * hashOf(name, 0x85ebca6b);
  }
}

const nameOf = (entry: Entry): string => {
  const attributes = 'items' in entry ? Object.entries(entry.attributes ?? {}) : [];
  if (attributes.length === 0) return entryName(entry);
  return JSON.stringify([entryName(entry), attributes.sort(([one], [other]) => (one < other ? -1 : 1))]);
};

/** FNV-1a, with a multiplier. */
function hashOf(text: string, multiplier: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), multiplier);
  return hash >>> 0;
}
