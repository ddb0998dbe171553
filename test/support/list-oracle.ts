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
    Object.entries(exactly).every(([field, value]) => row[field] === value) &&
    (q === undefined || isFound(row, q, searched)) &&
    (after === undefined || (typeof moved === 'string' && Date.parse(moved) >= Date.parse(after))) &&
    (before === undefined || (typeof moved === 'string' && Date.parse(moved) <= Date.parse(before)))
  );
}

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value);

/** Whether every word of `q` begins a word or a claim of a record. */
export function isFound(row: Row, q: string, { words, claims }: Searched): boolean {
  const texts = [
    ...textsOf(row, words).flatMap(wordsOf),
    ...textsOf(row, claims).map((claim) => plain(claim).trim().replaceAll(/\s+/g, ' ')),
  ];
  return wordsOfQuery(q).every((word) => texts.some((text) => text.startsWith(word)));
}

const textsOf = (row: Row, fields: readonly string[]): string[] =>
  fields.map((field) => textOf(row[field])).filter((text) => text !== undefined);

/** Without case, accents and compatibility forms. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ');

/** The words by which a text is found: each token, and the parts of those with punctuation inside. */
export const wordsOf = (text: string): string[] => [
  ...new Set(tokensOf(text).flatMap((token) => [token, ...token.split(/\p{P}+/u)].filter((word) => word !== ''))),
];

/** The words for which a query looks. */
export const wordsOfQuery = (q: string): string[] => [...new Set(tokensOf(q))];

/** Texts between white space, without the punctuation around them; of scripts without spaces the words that Unicode's dictionaries find. */
const tokensOf = (text: string): string[] =>
  plain(text)
    .split(/\s+/)
    .map((token) => token.replaceAll(/^\p{P}+|\p{P}+$/gu, ''))
    .filter((token) => token !== '')
    .flatMap((token) => (WITHOUT_SPACES.test(token) ? segmentsOf(token) : [token]));

const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const segmentsOf = (token: string): string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(token))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
