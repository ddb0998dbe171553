import { BLOCK_SIZE } from './bits.ts';
import { Members, type NumberSet } from './number-set.ts';
import type { BlockCounts } from './summary.ts';

/** A set of which some blocks were read, and the others are only counted. */
export interface CountedBlocks {
  readonly counts: BlockCounts;
  readonly read: ReadonlySet<number>;
  /** The numbers of the blocks that were read. */
  readonly included: NumberSet;
}

interface Parts extends CountedBlocks {
  /** The first number. */
  readonly from: number;
  /** Numbers that were found to have no record. */
  readonly absent: ReadonlySet<number>;
}

interface Block {
  readonly block: number;
  readonly total: number;
  /** Undefined: not read. */
  readonly members: Members | undefined;
}

/** The members of a list by one filter, in order, where only the blocks of the page are read. */
export class BlockMembers {
  readonly total: number;
  readonly #blocks: readonly Block[];
  readonly #required: readonly number[];

  constructor({ counts, read, included, from, absent }: Parts) {
    const first = Math.floor(from / BLOCK_SIZE);
    const known = [...new Set([...counts.keys(), ...read])].filter((block) => block >= first).sort((a, b) => a - b);
    this.#blocks = known.map((block) => {
      const range = { from: Math.max(from, block * BLOCK_SIZE), to: (block + 1) * BLOCK_SIZE };
      const members = read.has(block) ? new Members({ ...range, included, absent }) : undefined;
      return { block, members, total: members?.total ?? counts.get(block) ?? 0 };
    });
    // A count includes what has expired.
    this.#required = from > first * BLOCK_SIZE && counts.has(first) && !read.has(first) ? [first] : [];
    this.total = this.#blocks.reduce((sum, { total }) => sum + total, 0);
  }

  /** Up to `limit` members in order, from this rank on; none in blocks that were not read. */
  slice(rank: number, limit: number): number[] {
    return this.#overlapping(rank, limit).flatMap(
      ({ members, skip, take }) => members?.slice(Math.max(0, skip), take) ?? [],
    );
  }

  /** The blocks that must be read for these ranks and the total. */
  unreadIn(rank: number, limit: number): readonly number[] {
    const missing = this.#overlapping(rank, limit).filter(({ members }) => members === undefined);
    return [...new Set([...this.#required, ...missing.map(({ block }) => block)])];
  }

  #overlapping(rank: number, limit: number) {
    let skip = rank;
    let left = limit;
    return this.#blocks.flatMap((block) => {
      const here = { ...block, skip, take: Math.min(left, Math.max(0, block.total - skip)) };
      skip = Math.max(0, skip - block.total);
      left -= here.take;
      return here.take === 0 ? [] : [here];
    });
  }
}
