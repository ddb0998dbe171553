/**
 * What one answer can carry. Lambda answers at most 6 MB (AWS Lambda quotas), and the body counts as it is escaped into the JSON of
 * the result once more: a quotation mark of a record takes four bytes there.
 */
const MAX_RESULT = 5_900_000;
/** Kept for headers and the envelope. */
const RESERVE = 20_000;
/** No character of a JSON text takes more bytes than this when it is escaped again. */
const WORST = 7;

const escapedSize = (json: string): number => Buffer.byteLength(JSON.stringify(json));

/** Whether a body can be carried. */
export const isDeliverable = (body: string): boolean =>
  body.length * WORST < MAX_RESULT - RESERVE || escapedSize(body) <= MAX_RESULT - RESERVE;

/** How many of these values, from the first on, can be carried together. */
export function countDeliverable(values: readonly unknown[]): number {
  if (isDeliverable(JSON.stringify(values))) return values.length;
  let size = 0;
  const beyond = values.findIndex((value) => {
    size += escapedSize(JSON.stringify(value));
    return size > MAX_RESULT - RESERVE;
  });
  return beyond < 0 ? values.length : beyond;
}
