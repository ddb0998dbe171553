/**
 * Characters that a terminal interprets, or that make a text look like another one: control characters with line breaks
 * and C1 (Cc), format characters with bidirectional marks and such of no width (Cf, Default_Ignorable_Code_Point), line
 * and paragraph separators, other spaces than the usual one, and what has no meaning or none that is agreed on (Co, Cs,
 * Cn). U+2800 is Braille and blank. https://www.unicode.org/reports/tr36/
 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as one line with such characters escaped: `Acme\n`, `\u{202e}emcA`. */
export const escaped = (text: string): string =>
  text.replaceAll(DECEPTIVE, (character) => SHORT[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** A text that others have written, in quotation marks, so that its end is clear: `"Acme (suspended)"`. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** A value as JSON in which the same characters are escapes; programs read the same value. */
export const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, undefined, indent).replaceAll(DECEPTIVE, (character) =>
    // Line breaks between values are part of the format; all other such characters are in values.
    character === '\n'
      ? character
      : unitsOf(character)
          .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
          .join(''),
  );

const unitsOf = (character: string): number[] => character.split('').map((unit) => unit.charCodeAt(0));
