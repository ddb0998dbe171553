/** Texts as lists compare them (`docs/decisions/0170-filters.md`). */

/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/gu;

/** White space and control characters. */
const BLANKS = /[\s\p{Cc}]+/gu;

/**
 * A text without what people do not type when they look for it: case, accents, compatibility forms (`Ａ`, `ﬁ`, Unicode's NFKD), and more than one
 * blank in a row. Where one text is a prefix of another, its folded text is a prefix of the other’s, as long as no character is cut in two.
 */
export function folded(text: string): string {
  // Upper case first, which makes letters of some accents (`ᾳ` is `ΑΙ`); and last, for the letters of compatibility forms.
  const bared = bare(caseless(bare(text.toUpperCase())));
  return bared.replace(BLANKS, ' ').trim();
}

const bare = (text: string): string => text.normalize('NFKD').replace(ACCENTS, '');

/** Through upper case, so that `ß` is `ss`, and first through lower case, so that `ẞ` is. The final sigma would depend on what follows it. */
const caseless = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
