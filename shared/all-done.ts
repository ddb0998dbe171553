/**
 * Waits for all promises, also when one rejects: Lambda may freeze the container after the response, so no work may
 * outlast it.
 * @throws the first rejection in the order of the list
 */
export async function allDone(work: readonly unknown[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
