/**
 * Waits for all of this work, also where some of it fails: nothing goes on after the answer, when a container may be frozen.
 * @throws what the first of it that failed throws
 */
export async function allDone(work: readonly unknown[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
