/**
 * How large things may be. The bounds follow from one of AWS: Lambda answers at most 6 MB (AWS Lambda quotas), and an answer counts as it is
 * escaped into the JSON of the result once more, where a quotation mark of a record takes four bytes. All in bytes.
 */

/** What the body of one answer may take, escaped. The rest of the 6 MB is for headers. */
export const MAX_ANSWER = 5_880_000;

/**
 * What one record may take in an answer, escaped: a page of the standard size can always be carried, and no item comes near the 400 KB of
 * DynamoDB, nor that of an idempotency key which remembers the record.
 */
export const MAX_RECORD = 230_000;

/** What one field of free-form JSON may take, as its text in UTF-8. */
export const MAX_JSON = 65_536;

/** What a text takes in JSON, in bytes: of a JSON text, what it takes in Lambda's result. */
export const escapedSize = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** No character of a JSON text takes more bytes than this when it is escaped again. */
const WORST = 7;

/** Whether a JSON text takes no more than `max` in Lambda's result. */
export const fitsEscaped = (json: string, max: number): boolean =>
  json.length * WORST <= max || escapedSize(json) <= max;
