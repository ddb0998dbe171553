/**
 * JSON that comes back as it came. `JSON.parse` turns `12345678901234567890` into another number and `1e400` into null; here a number
 * that a double does not write in the same way stays the text it is (`JSON.rawJSON`), and `JSON.stringify` writes that text again.
 */

interface RawJson {
  readonly rawJSON: string;
}

interface Context {
  readonly source?: string;
}

/** In the runtime since Node 22 (V8 11.4); the compiler's library does not know it yet. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver: (key: string, value: unknown, context: Context) => unknown): unknown;
};

/** @throws SyntaxError */
export const parseJson = (text: string): unknown =>
  // A reviver makes parsing thirty times slower, and hardly any document needs it.
  hasUnusualNumbers(text) ? json.parse(text, keepNumber) : JSON.parse(text);

export interface Parsed {
  readonly value: unknown;
  /** Whether unusual numbers were kept as their text. If not, they are the doubles nearest to them. */
  readonly isExact: boolean;
}

/**
 * Parses exactly what is worth it.
 * @param isWorthIt is told the value as `JSON.parse` makes it
 * @throws SyntaxError
 */
export function parseWhere(text: string, isWorthIt: (value: unknown) => boolean): Parsed {
  const value = JSON.parse(text);
  if (!hasUnusualNumbers(text)) return { value, isExact: true };
  return isWorthIt(value) ? { value: parseJson(text), isExact: true } : { value, isExact: false };
}

/** A number with so many digits, a fraction that ends in 0, an exponent, or minus zero; in a text, a false alarm does no harm. */
const UNUSUAL_NUMBER = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0/;

/** Whether a text may hold numbers that would not come back as they were written. */
export const hasUnusualNumbers = (text: string): boolean => UNUSUAL_NUMBER.test(text);

const keepNumber = (_: string, value: unknown, { source }: Context): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value;

/** A value whose numbers are to be reckoned with: the double nearest to a number that was kept as text. */
export const asNumber = (value: unknown): unknown => (json.isRawJSON(value) ? Number(value.rawJSON) : value);
