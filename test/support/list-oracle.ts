/**
 * What a list must contain, computed from its records as the reference describes it and by none of the lists' code:
 * slow, naive, and therefore right.
 */

/** A record, or any part of one. */
export type Row = Readonly<Record<string, unknown>>;

/** The fields of a kind of record by which `q` finds it. */
export interface Searched {
  /** Texts that are split into words. */
  readonly words: readonly string[];
  /** Unique fields, of which only a prefix of the whole value is found. */
  readonly claims: readonly string[];
}

/** What a list is asked for. */
export interface Asked {
  /** By field, the values of which a record has one. */
  readonly anyOf?: Readonly<Record<string, readonly string[]>>;
  /** Tags, all of which a record has. */
  readonly tags?: readonly string[];
  readonly q?: string | undefined;
  /** By field, the only text that it may have. */
  readonly exactly?: Readonly<Record<string, string>>;
  /** The first and the last time that `last_activity_at` may be. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Tags of a record by which it is found; others are only stored. */
const MOST_TAGS = 20;

/** The records of a list, in the order in which they were given. */
export const expected = <T extends Row>(rows: readonly T[], asked: Asked, searched: Searched): T[] =>
  rows.filter((row) => isWanted(row, asked, searched));

function isWanted(row: Row, { anyOf = {}, tags = [], q, exactly = {}, after, before }: Asked, searched: Searched) {
  const found = Array.isArray(row.tags) ? [...new Set(row.tags as string[])].slice(0, MOST_TAGS) : [];
  const moved = row.last_activity_at as string | null | undefined;
  return (
    Object.entries(anyOf).every(([field, values]) => values.some((value) => value === textOf(row[field]))) &&
    tags.every((tag) => found.includes(tag)) &&
    Object.entries(exactly).every(([field, value]) => exactOf(field, row[field]) === exactOf(field, value)) &&
    (q === undefined || isFound(row, q, searched)) &&
    (after === undefined || (typeof moved === 'string' && Date.parse(moved) >= Date.parse(after))) &&
    (before === undefined || (typeof moved === 'string' && Date.parse(moved) < Date.parse(before)))
  );
}

/** Mail addresses are the same whatever their case. */
const exactOf = (field: string, value: unknown): unknown =>
  field === 'email' && typeof value === 'string' ? value.toLowerCase() : value;

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value);

/** Whether every word of `q` begins a word or a claim of a record. */
export function isFound(row: Row, q: string, { words, claims }: Searched): boolean {
  const texts = [
    ...textsOf(row, words).flatMap(wordsOf),
    // The words of a claim after its first.
    ...textsOf(row, claims).flatMap((claim) => wordsOf(claim.split(/\s/).slice(1).join(' '))),
    ...textsOf(row, claims).map((claim) => plain(claim).trim().replaceAll(/\s+/g, ' ')),
  ];
  const begins = (word: string): boolean => texts.some((text) => text.startsWith(word));
  // Where the end of a text without spaces is not typed yet, its last word may be another one.
  return wordsOfQuery(q).every((word) => begins(word) || (isSpaceless(word) && segmentsOf(word).every(begins)));
}

const textsOf = (row: Row, fields: readonly string[]): string[] =>
  fields.map((field) => textOf(row[field])).filter((text) => text !== undefined);

/** Letters without a decomposition that the tests of lists use, and what is typed for them. */
const TYPED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', æ: 'ae', '’': "'", ʼ: "'", '–': '-' };

/** Without case, accents, compatibility forms and letters that few keyboards have. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(/[^\0-\x7f]/g, (character) => TYPED[character] ?? character);

/** What a word of `q` may begin: each token of a text, and the rest of it from each of its parts, or words without spaces, on. */
export const wordsOf = (text: string): string[] => [
  ...new Set(tokensOf(text).flatMap((token) => beginningsOf(token).map((index) => token.slice(index)))),
];

/** Where the parts of a token begin. */
const beginningsOf = (token: string): number[] => [
  0,
  ...Array.from(token.matchAll(/(?<=[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu), ({ index }) => index),
  ...(isSpaceless(token) ? segmented(token).map(({ index }) => index) : []),
];

/** The words that a query looks for. Punctuation counts only where there is nothing else. */
export function wordsOfQuery(q: string): string[] {
  const words = [...new Set(plain(q).split(/\s+/).flatMap(tokensOf))];
  const significant = words.filter((word) => /[^\p{P}]/u.test(word));
  return significant.length === 0 ? words : significant;
}

/** Texts between white space, without the punctuation around them; with it, where there is nothing else. */
function tokensOf(text: string): string[] {
  const all = plain(text)
    .split(/\s+/)
    .filter((token) => token !== '');
  const tokens = all.map((token) => token.replaceAll(/^\p{P}+|\p{P}+$/gu, '')).filter((token) => token !== '');
  return tokens.length === 0 ? all : tokens;
}

const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const isSpaceless = (token: string): boolean => WITHOUT_SPACES.test(token);

/** The words of a token without spaces, by Unicode's dictionaries. */
const segmented = (token: string) =>
  Array.from(new Intl.Segmenter('en', { granularity: 'word' }).segment(token)).filter(({ isWordLike }) => isWordLike);
const segmentsOf = (token: string): string[] => segmented(token).map(({ segment }) => segment);
