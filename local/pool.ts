import { allDone } from '../shared/all-done.ts';

/**
 * Works on all items, at most `concurrency` at a time. After a failure it begins no further item.
 * @returns the results, in the order of the items
 * @throws what the work throws
 */
export async function withConcurrency<T, R>(
  concurrency: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (hasFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await allDone(Array.from({ length: concurrency }, worker));
  return results;
}

/** The whole numbers from 0 up to, not including, `count`. */
export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
