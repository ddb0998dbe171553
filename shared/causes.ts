/** Longest chain of causes that is followed. */
const LONGEST = 8;

/** An error and its causes, as far as they are errors. */
export function causesOf(error: Error): readonly Error[] {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < LONGEST; each = each.cause) chain.push(each);
  return chain;
}
