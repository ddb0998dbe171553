/** The known name that somebody probably meant by an unknown one. */

/** Longer names are not compared, so that the work is bounded: no name of this API is as long. In characters. */
const LONGEST = 40;

/** A prefix must have this length to say something. In characters. */
const SHORTEST_PREFIX = 3;

/**
 * The name among `known` that is nearest to `given`, whatever their case and underscores; undefined where none is near.
 * `clientId`, `clint_id` and `client` are near to `client_id`.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > LONGEST) return undefined;
  const near = known
    .map((name) => ({ name, edits: editsBetween(plain(given), plain(name)) }))
    .filter(({ edits }) => edits !== undefined);
  return near.toSorted((one, other) => Number(one.edits) - Number(other.edits))[0]?.name;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** How many characters differ; 1 where one name begins with the other; undefined where more than a third differs. */
function editsBetween(given: string, name: string): number | undefined {
  const [shorter, longer] = [given, name].toSorted((one, other) => one.length - other.length) as [string, string];
  if (shorter.length >= SHORTEST_PREFIX && longer.startsWith(shorter))
    return Math.min(1, longer.length - shorter.length);
  const most = Math.floor(longer.length / 3);
  if (longer.length - shorter.length > most) return undefined;
  const edits = levenshtein(shorter, longer);
  return edits <= most ? edits : undefined;
}

/** The fewest characters to insert, delete or replace. */
function levenshtein(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(from).entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (above[column] ?? 0) + (to[column] === character ? 0 : 1);
      row.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
