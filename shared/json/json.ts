/**
 * JSON whose numbers survive a round trip. `JSON.parse` turns `12345678901234567890` into another number and `1e400`
 * into infinity. Here a number that a double cannot write back unchanged is kept as text (`JSON.rawJSON`), and
 * `JSON.stringify` writes that text again.
 */

interface RawJson {
  readonly rawJSON: string;
}

interface Context {
  readonly source?: string;
}

/** In Node since 22 (V8 11.4); TypeScript's library does not declare it yet. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver: (key: string, value: unknown, context: Context) => unknown): unknown;
};

/** @throws SyntaxError */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text);
  // A reviver makes parsing thirty times slower, and few documents need it.
  return hasUnusualNumbers(text) ? json.parse(text, keepNumber) : value;
}

export interface Parsed {
  readonly value: unknown;
  /** Whether unusual numbers were kept as text. If not, they are the nearest doubles. */
  readonly isExact: boolean;
}

/**
 * Parses JSON, and keeps unusual numbers as text where that is worth the cost.
 * @param isWorthIt decides by the value of `JSON.parse`
 * @throws SyntaxError
 */
export function parseWhere(text: string, isWorthIt: (value: unknown) => boolean): Parsed {
  const value = JSON.parse(text);
  if (!hasUnusualNumbers(text)) return { value, isExact: true };
  return isWorthIt(value) ? { value: parseJson(text), isExact: true } : { value, isExact: false };
}

/**
 * A number with 16 digits or more, before and after the point, a fraction that ends in 0, an exponent, or negative
 * zero; or a string with the like.
 */
const UNUSUAL_NUMBER = /\d{16}|[\d.]{17}|\.\d*0(?!\d)|\d[eE]|-0/;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/**
 * Whether JSON contains numbers that a round trip through doubles would change; ids, dates and addresses in strings
 * look alike. For a text that is not JSON this may take the square of its length.
 */
const hasUnusualNumbers = (valid: string): boolean =>
  UNUSUAL_NUMBER.test(valid) && UNUSUAL_NUMBER.test(valid.replaceAll(STRING, '""'));

const keepNumber = (_: string, value: unknown, { source }: Context): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value;

/** The nearest double of a number that is kept as text; any other value as it is. */
export const asNumber = (value: unknown): unknown => (json.isRawJSON(value) ? Number(value.rawJSON) : value);

/**
 * Size of a text as a JSON string, and so of a body in Lambda's result.
 * @example escapedSize('"') // 4: a backslash before it, and the marks around
 */
export const escapedSize = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Most bytes that a character of a JSON text takes when it is escaped again. */
const WORST = 7;

/** Whether a JSON text has at most `max` bytes when it is escaped again. */
export const fitsEscaped = (json: string, max: number): boolean =>
  json.length * WORST <= max || escapedSize(json) <= max;
