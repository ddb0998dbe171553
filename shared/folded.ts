import { BLANKS, IGNORED } from './blank.ts';

/**
 * Texts as search, slugs and comparisons take them: without what people do not type when they look for something
 * (`docs/decisions/0170-filters.md#decision-one-folding`).
 */

/**
 * Accents of Latin, Greek and Cyrillic letters: Unicode's blocks of combining diacritical marks. Marks of other scripts
 * are letters of their own.
 */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

/**
 * Small letters to which Unicode gives no decomposition, by the letters that people type for them. They are basic
 * letters with a stroke, hook, bar, tail or descender, and letters that were two, of Latin and Cyrillic alphabets in
 * use.
 */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: 'ⱥ', ae: 'æ', b: 'ƀɓƃ', c: 'ƈȼ', d: 'đðɖɗƌ', e: 'əǝɛɇ', f: 'ƒ', g: 'ǥɠɣ', h: 'ħɦⱨ', i: 'ɨɩ', j: 'ȷɉ' },
  ...{ k: 'ĸƙⱪ', l: 'łƚɫɬⱡ', m: 'ɱ', n: 'ŋɲƞ', o: 'øɔɵ', oe: 'œ', p: 'ƥᵽ', q: 'ɋ', r: 'ɍɽ', s: 'ȿ', t: 'ŧƭʈⱦƫ' },
  ...{ th: 'þ', u: 'ʉʊ', v: 'ʋ', w: 'ⱳ', y: 'ƴɏ', z: 'ƶȥʒɀⱬ' },
  ...{ а: 'ә', г: 'ґғҕӷ', ж: 'җ', з: 'ҙ', к: 'қҝҟӄ', л: 'ӆԓ', м: 'ӎ', н: 'ңӈӊ', о: 'ө', п: 'ҧ', р: 'ҏ', с: 'ҫ' },
  ...{ т: 'ҭ', у: 'үұ', х: 'һҳӽӿ', ч: 'ҷҹ' },
};
const TYPED: ReadonlyMap<string, string> = new Map(
  Object.entries(LETTERS).flatMap(([typed, letters]) => Array.from(letters, (letter) => [letter, typed] as const)),
);
/** Where they are: the blocks of Latin and Cyrillic letters. */
const EXTENDED = /[\u00e6-\u052f\u1d00-\u1d7f\u2c60-\u2c7f]/gu;

/** What looks like an apostrophe: quotation marks, primes, modifier letters, accents without a letter. */
const APOSTROPHES = /[‘’‚‛′‵`´΄᾽᾿῾\u1ffd＇ʹʻʼʽʾʿˈˊˋʹꞋꞌ՚׳]/gu;
/** Hyphens, dashes and minus signs. */
const DASHES = /\p{Dash}/gu;

/** A text with the apostrophe and the hyphen of ASCII in place of those that look like them. */
export const withPlainMarks = (text: string): string => text.replace(APOSTROPHES, "'").replace(DASHES, '-');

/** Whether a text has only characters of ASCII, of which the grave accent alone looks like another. */
export const isAscii = (text: string): boolean => ASCII.test(text);
const ASCII = /^\p{ASCII}*$/u;
export const withAsciiMarks = (text: string): string => text.replaceAll('`', "'");

/**
 * A text without case, characters that show nothing, accents, compatibility forms (`Ａ`, `ﬁ`, Unicode's NFKD), letters
 * that few keyboards have (`ł` is `l`, `ø` is `o`, `ß` is `ss`), look-alikes of the apostrophe and the hyphen, and more
 * than one blank in a row. Other scripts stay: nothing is transliterated. Where one text is a prefix of another, its
 * folded text is a prefix of the other’s, as long as no character is cut in two.
 */
export function folded(text: string): string {
  if (isAscii(text)) return withAsciiMarks(text).toLowerCase().replace(BLANKS, ' ').trim();
  // Upper case first, which makes letters of some accents (`ᾳ` is `ΑΙ`); and last, for the letters of compatibility
  // forms.
  const bared = bare(caseless(bare(text.replace(IGNORED, '').toUpperCase())));
  return bared
    .replace(EXTENDED, (letter) => TYPED.get(letter) ?? letter)
    .replace(BLANKS, ' ')
    .trim();
}

/** Marks first, because some are a blank with an accent; and last, for those of compatibility forms. */
const bare = (text: string): string => withPlainMarks(withPlainMarks(text).normalize('NFKD').replace(ACCENTS, ''));

/**
 * Through upper case, so that `ß` is `ss`, and first through lower case, so that `ẞ` is. The final sigma would depend
 * on what follows it.
 */
const caseless = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
