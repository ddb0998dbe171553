/** Longest chain of causes that is followed. */
const LONGEST = 8;

/** An error and its causes, as far as they are errors. */
export function causesOf(error: Error): readonly Error[] {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < LONGEST; each = each.cause) chain.push(each);
  return chain;
}

/**
 * Whoever runs this on a machine has to change something first: a setting, a file, what is installed. The message is
 * one sentence that says what.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
