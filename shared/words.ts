import { hash } from 'node:crypto';
import { canonicalAddress } from './ip-address.ts';
import { lazily } from './memory.ts';

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

/** Most bytes of a sort key (DynamoDB, "Quotas"). */
const MAX_KEY = 1_024;

/** A trimmed text that fits into a key: of a longer one the hash, behind a blank, with which no other text begins. */
export function keyText(text: string): string {
  const own = trimmed(text);
  return Buffer.byteLength(own) > MAX_KEY ? ` ${hash('sha256', own, 'base64url')}` : own;
}

const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'u');

/** Whether each of its characters shows something. */
export const isVisibleThroughout = (text: string): boolean => !ANY_INVISIBLE.test(text);

/** A size for readers: 65,536 is `64 KB`, 1,048,576 is `1 MB`. */
export const sizeInWords = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : bytes % 1_024 === 0 ? `${bytes / 1_024} KB` : `${bytes} bytes`;

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => trimmed(text) === '';

/**
 * A pattern for documents, which no blank text of Latin-1 matches. The regular expressions of Go and Python share no
 * escape for the characters beyond it: a text of these alone matches, and is refused all the same.
 */
export const NOT_BLANK = String.raw`^[\s\x00-\x1f\x7f-\xa0\xad]*[^\s\x00-\x1f\x7f-\xa0\xad]`;

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

/** A test of whether a text contains all of these words, wherever they are. */
export function containing(words: string): (text: unknown) => boolean {
  const wanted = folded(words).split(' ');
  return (text) => {
    const searched = typeof text === 'string' ? folded(text) : '';
    return wanted.every((word) => searched.includes(word));
  };
}

/** The digits of a telephone number, however it is written. */
export const digitsIn = (text: unknown): string => String(text).replace(/\D/g, '');

/** A test of whether a value has the digits of any of these. Null: it is none. */
export const havingDigits =
  (wanted: readonly (string | null)[]) =>
  (value: unknown): boolean =>
    wanted.includes(value === null ? null : digitsIn(value));

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

/**
 * The words by which records are found (`docs/decisions/0170-filters.md`): those of a record's texts, each with an
 * entry of its own, and those that a caller wants. A wanted word finds the texts in which a word, or a part of one,
 * begins with it.
 */

/**
 * Longest word, and how much of it from the first character of a script without spaces on, in code points: longer ones
 * are cut.
 */
const MAX_WORD = 100;
const MAX_SPACELESS = 20;

/**
 * Most words of a record, and what they take with its claims, the longest once more. In bytes of UTF-8: an entry with
 * all of them is below 1 KB.
 */
export const MAX_WORDS = 12;
const MAX_BYTES = 900;

/** Longest prefix of a claim, a sort key, in bytes of UTF-8. A compatibility form may be many times as long. */
const MAX_CLAIM = 1_000;

/** How much of a text is indexed, in UTF-16 units. */
const MAX_TEXT = 1_000;

/** All but the punctuation at the ends. */
const CORE = /[^\p{P}](?:.*[^\p{P}])?/su;
/** Where a part of a word begins: after punctuation and symbols. */
const PART = /(?<=[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;
const ASCII_PART = /(?<=[^a-z\d])[a-z\d]/gi;
/** Scripts whose words no blanks separate. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Made for the first text that needs it: that takes 30 ms, which no start of a function should wait for. */
const segmenter = lazily(() => new Intl.Segmenter('en', { granularity: 'word' }));

const isNotEmpty = (text: string): boolean => text !== '';

/**
 * What blanks separate, without punctuation at the ends, but for the colons of an address. What is nothing but
 * punctuation counts only where a text has nothing else.
 */
function tokensOf(text: string): readonly string[] {
  const all = normal(text.slice(0, MAX_TEXT)).split(BLANKS).filter(isNotEmpty);
  const tokens = all.map(withoutPunctuation).filter(isNotEmpty);
  return tokens.length === 0 ? all : tokens;
}

function normal(text: string): string {
  if (isAscii(text)) return withAsciiMarks(text);
  // Marks first, because some are a blank with an accent; and last, for those of compatibility forms.
  return withPlainMarks(withPlainMarks(text.toWellFormed()).normalize('NFKC')).replace(IGNORED, '');
}

/** Most tokens. */
const PLAIN = /^[a-z\d]+$/i;

/** Punctuation at the ends is a part of some addresses with colons alone. */
const withoutPunctuation = (token: string): string =>
  PLAIN.test(token) || (token.includes(':') && canonicalAddress(token) !== undefined) ? token : coreOf(token);

const coreOf = (token: string): string => CORE.exec(token)?.[0] ?? '';

/** An IP address in its one spelling, and as it was written; any other token as it is. */
function spellingsOf(token: string): readonly string[] {
  const address = token.includes(':') ? canonicalAddress(token) : undefined;
  return address === undefined ? [token] : [...new Set([address, token].map((each) => coreOf(each) || each))];
}

const isSpaceless = (token: string): boolean => SPACELESS.test(token);

/** A token as it is compared. It may be empty: one of accents alone. */
function wordOf(token: string): string {
  const text = folded(token).replaceAll(' ', '');
  if (isAscii(text)) return text.slice(0, MAX_WORD);
  const characters = Array.from(text);
  const spaceless = characters.findIndex(isSpaceless);
  return characters.slice(0, spaceless < 0 ? MAX_WORD : Math.min(MAX_WORD, spaceless + MAX_SPACELESS)).join('');
}

/** Where the words of a token of a script without spaces begin. */
const segmentsOf = (token: string): readonly number[] =>
  Array.from(segmenter().segment(token)).flatMap(({ index, isWordLike }) => (isWordLike === true ? [index] : []));

interface Candidate {
  readonly word: string;
  /** Whether it is the end of another one, from a part on: `server` of `print-server`. */
  readonly isPart: boolean;
}

/** The same for a token without other characters, which most are. */
const asciiCandidates = (token: string): readonly Candidate[] =>
  [0, ...(PLAIN.test(token) ? [] : Array.from(token.matchAll(ASCII_PART), ({ index }) => index))].map((index) => ({
    word: token.slice(index, index + MAX_WORD).toLowerCase(),
    isPart: index > 0,
  }));

/** The words of a text: from the beginning of each token, each segment and each part to the end of the token. */
function candidatesIn(text: string): readonly Candidate[] {
  const candidates = tokensOf(text).flatMap((written) => {
    if (isAscii(written) && !written.includes(':')) return asciiCandidates(written);
    const [token = '', ...others] = spellingsOf(written);
    const isOfSpaceless = isSpaceless(token);
    const words = new Set([0, ...(isOfSpaceless ? segmentsOf(token) : [])]);
    const parts = Array.from(token.matchAll(PART), ({ index }) => index).filter((index) => !words.has(index));
    const from = (index: number): string => wordOf(token.slice(index, index + 4 * MAX_WORD));
    return [
      ...Array.from(words, (index) => ({ word: from(index), isPart: false })),
      ...others.map((other) => ({ word: wordOf(other), isPart: false })),
      ...parts.map((index) => ({ word: from(index), isPart: true })),
    ].filter(({ word }) => word !== '');
  });
  return candidates.toSorted((one, other) => Number(one.isPart) - Number(other.isPart));
}

/**
 * The words of a record's texts that have an entry: first the first word of each text, then the second, and so on, then
 * their parts. One that another begins with has none: what begins it begins the other.
 * @param claims further texts by which the record is found, which its entries carry too
 */
export function wordsOf(texts: readonly string[], claims: readonly string[]): readonly string[] {
  const candidates = texts
    .flatMap((text) => candidatesIn(text).map((candidate, index) => ({ ...candidate, index })))
    .sort((one, other) => Number(one.isPart) - Number(other.isPart) || one.index - other.index);
  let words: readonly string[] = [];
  for (const { word } of candidates) {
    if (words.some((other) => other.startsWith(word))) continue;
    const further = [...words.filter((other) => !word.startsWith(other)), word];
    if (further.length <= MAX_WORDS && sizeOf(further, claims) <= MAX_BYTES) words = further;
  }
  return words;
}

const sizeOf = (words: readonly string[], claims: readonly string[]): number => {
  const sizes = words.map((word) => Buffer.byteLength(word) + 1);
  const all = [...sizes, ...claims.map((claim) => Buffer.byteLength(claim) + 4)];
  return all.reduce((sum, size) => sum + size, Math.max(...sizes));
};

/** A word that a caller wants. */
export interface WantedWord {
  /** Folded. A word of the record begins with one of these; */
  readonly words: readonly string[];
  /** or a claim of the record with one of these. */
  readonly claims: readonly string[];
}

/**
 * The words of a query, the longest first: they are the ones that the fewest records have. A token of a script without
 * spaces is found by its segments, each wherever it is, or as it stands: where it ends within a word, it has other
 * segments than the text.
 */
export function wantedWords(q: string): readonly WantedWord[] {
  const tokens = q.split(BLANKS).filter(isNotEmpty);
  const wanted = tokens.flatMap((token) => wantedBy(token));
  const significant = wanted.filter(({ words }) => words.some((word) => /[^\p{P}]/u.test(word)));
  const all = significant.length === 0 ? wanted : significant;
  // Drop words that are prefixes of others.
  const needed = all.filter(
    ({ words: [first = '', ...others] }, index) =>
      others.length > 0 ||
      !all.some(({ words }, at) => at !== index && words[0]?.startsWith(first) && (words[0] !== first || at < index)),
  );
  return needed.toSorted((one, other) => lengthOf(other) - lengthOf(one));
}

const lengthOf = ({ words: [first = ''] }: WantedWord): number => first.length;

function wantedBy(typed: string): readonly WantedWord[] {
  return tokensOf(typed).flatMap((token): WantedWord[] => {
    const isOfSpaceless = isSpaceless(token);
    const word = wordOf(token);
    if (word === '') return [];
    const forms = new Set([typed, token, word, token.toUpperCase()]);
    const claims = [...forms].filter((form) => Buffer.byteLength(form) <= MAX_CLAIM);
    if (!isOfSpaceless) return [{ words: spellingsOf(token).map(wordOf), claims }];
    const starts = segmentsOf(token);
    const segments = starts.map((start, index) => wordOf(coreOf(token.slice(start, starts[index + 1]))));
    const distinct = [...new Set(segments.filter(isNotEmpty))];
    return (distinct.length === 0 ? [word] : distinct).map((segment) => ({
      words: word.startsWith(segment) && segment !== word ? [segment] : [...new Set([segment, word])],
      claims,
    }));
  });
}

/** Whether a wanted word finds a record with these words and claims. */
export const isFound = (wanted: WantedWord, words: readonly string[], claims: readonly string[]): boolean =>
  wanted.words.some((wish) => words.some((word) => word.startsWith(wish))) ||
  wanted.claims.some((wish) => claims.some((claim) => claim.startsWith(wish)));
