/**
 * What shows nothing. Ignored characters are format characters, and those that Unicode wants ignored where a font lacks
 * them (Default_Ignorable_Code_Point: fillers, joiners, variation selectors). Blank characters are control and
 * separator characters (white space is among them), and the empty Braille pattern.
 */
const [IGNORED_CHARACTERS, BLANK_CHARACTERS] = [
  String.raw`\p{Default_Ignorable_Code_Point}\p{Cf}`,
  String.raw`\p{Cc}\p{Z}\u2800`,
];
const INVISIBLE = IGNORED_CHARACTERS + BLANK_CHARACTERS;

/** Runs of characters that separate nothing: search takes a text without them. */
export const IGNORED = new RegExp(`[${IGNORED_CHARACTERS}]+`, 'gu');

/** Runs of characters that separate words. */
export const BLANKS = new RegExp(`[${BLANK_CHARACTERS}]+`, 'gu');

/** From the first visible character to the last one. */
const VISIBLE = new RegExp(`[^${INVISIBLE}](?:.*[^${INVISIBLE}])?`, 'su');

/** The text without what shows nothing at its ends. */
export const trimmed = (text: string): string => VISIBLE.exec(text)?.[0] ?? '';

const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'u');

/** Whether each of its characters shows something. */
export const isVisibleThroughout = (text: string): boolean => !ANY_INVISIBLE.test(text);

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => trimmed(text) === '';

/**
 * A pattern for documents, which no blank text of Latin-1 matches. The regular expressions of Go and Python share no
 * escape for the characters beyond it: a text of these alone matches, and is refused all the same.
 */
export const NOT_BLANK = String.raw`^[\s\x00-\x1f\x7f-\xa0\xad]*[^\s\x00-\x1f\x7f-\xa0\xad]`;
