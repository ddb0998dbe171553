/** Numbers of a chunk: few, as most lists are short. */
const CHUNK = 1_024;

/**
 * What the records of a list should have, less what they have, as two sums of hashes for each number. Eight bytes a
 * number, where the entries of ten million records would be gigabytes. What differs is only suspected, and looked at
 * again.
 */
export class Sums {
  readonly #chunks = new Map<number, Uint32Array>();

  /** Adds what a record should have, or, less than 0 times, what it has. @param times a whole number */
  add(number: number, name: string, times: number): void {
    const chunk = Math.floor(number / CHUNK);
    const sums = this.#chunks.get(chunk) ?? new Uint32Array(2 * CHUNK);
    this.#chunks.set(chunk, sums);
    const at = 2 * (number % CHUNK);
    // Sums wrap around.
    sums[at] = (sums[at] ?? 0) + Math.imul(hashOf(name, 0x01000193), times);
    sums[at + 1] = (sums[at + 1] ?? 0) + Math.imul(hashOf(name, 0x85ebca6b), times);
  }

  /** The numbers of which something differs. */
  differing(): number[] {
    const found: number[] = [];
    for (const [chunk, sums] of this.#chunks)
      for (let index = 0; index < CHUNK; index++)
        if (sums[2 * index] !== 0 || sums[2 * index + 1] !== 0) found.push(chunk * CHUNK + index);
    return found;
  }
}

/** FNV-1a, with a multiplier. */
function hashOf(text: string, multiplier: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), multiplier);
  return hash >>> 0;
}
