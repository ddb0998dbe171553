/**
 * JSON that comes back as it came. `JSON.parse` turns `12345678901234567890` into another number and `1e400` into null; here a number
 * that a double does not write in the same way stays the text it is (`JSON.rawJSON`), and `JSON.stringify` writes that text again.
 */

interface RawJson {
  readonly rawJSON: string;
}

/** In the runtime since Node 22 (V8 11.4); the compiler's library does not know it yet. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};

/** @throws SyntaxError */
export function parseJson(text: string): unknown {
  // A reviver makes parsing several times slower, and hardly any document needs it.
  return UNUSUAL_NUMBER.test(text) ? json.parse(text, keepNumber) : JSON.parse(text);
}

/** A number with so many digits, a fraction that ends in 0, an exponent, or minus zero; in a text, a false alarm does no harm. */
const UNUSUAL_NUMBER = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0/;

const keepNumber = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value;

/** A value whose numbers are to be reckoned with: the double nearest to a number that was kept as text. */
export const asNumber = (value: unknown): unknown => (json.isRawJSON(value) ? Number(value.rawJSON) : value);
