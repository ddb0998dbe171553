import { entity, order, words } from '../../shared/table/index.ts';
import { type Job, jobsBy } from '../../test/support/jobs.ts';
import { ZipfTexts, zipfWord } from './zipf.ts';

/** Long lists that are made directly in storage, and the pages that are read of them. */

export const PAGE_SIZE = 25;

/** Filter fields of every record. */
export const FILTERS = 5;

const sized = jobsBy(FILTERS);
const searches = [words<keyof Job>(['title']), order<keyof Job>('last_activity_at')];

export const KINDS = {
  sized,
  searched: entity<Job>('JOB', { indexes: [...sized.indexes, ...searches] as never }),
} as const;
export type KindName = keyof typeof KINDS;

export interface SizedList {
  readonly org: string;
  readonly kind: KindName;
  /** How many numbers it has allocated. */
  readonly length: number;
  readonly isLive: (number: number) => boolean;
  /** Whether its deletions are some days old, and it was read since. */
  readonly isCompacted: boolean;
  /** By field: which numbers have the value `a`, where they are live. */
  readonly sets: Readonly<Record<string, (number: number) => boolean>>;
  /** What its records are called, and their places in the order of activity: of a list that is searched. */
  readonly searched?: { readonly titles: ZipfTexts; readonly placeOf: (number: number) => number };
}

/** How a page is read: by the service's code, by queries from the beginning, or so with `Select: COUNT` and a total. */
export const WAYS = ['counted list', 'walk', 'COUNT, and the total'] as const;
export type Way = (typeof WAYS)[number];

/** A page to read. */
export interface SizedCase {
  /** One name at every size, by which its limits are found. */
  readonly name: string;
  /** The length that the limits are for. */
  readonly size: number;
  /** Default: the service's. The others need all records of the list. */
  readonly way?: Way;
  readonly list: SizedList;
  readonly fields: readonly string[];
  /** Ranks of the words that its records have (`zipf.ts`). */
  readonly words?: readonly number[];
  /** Whether the latest activity comes first, in place of the newest record. */
  readonly isByActivity?: true;
  /** Place of the page in the list, newest first, or its number. */
  readonly at: 'begin' | 'middle' | 'end' | number;
}

/** A request of the page. */
export interface PageRequest {
  readonly filter: Readonly<Record<string, string>>;
  readonly q?: string;
  readonly sort: '-created_at' | '-last_activity_at';
}

export const requestOf = ({ fields, words, isByActivity }: SizedCase): PageRequest => ({
  filter: Object.fromEntries(fields.map((field) => [field, 'a'])),
  ...(words === undefined ? {} : { q: words.map(zipfWord).join(' ') }),
  sort: isByActivity ? '-last_activity_at' : '-created_at',
});

/** What a page must have. */
export interface ExpectedPage {
  readonly page: number;
  readonly total: number;
  /** In the order of the page. */
  readonly numbers: readonly number[];
}

/** Bits that look random, the same in every run. */
function bitsOf(number: number): number {
  let mixed = Math.imul(number + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const DENSE = ['f1', 'f2', 'f3', 'f4'] as const;
const RARE = 'f5';
const MEMBERS_OF_RARE = 10;

/** One record in ten is deleted, anywhere. Half of the records are in each dense set, and ten in the rare one. */
function mixedList(length: number): SizedList {
  const step = length / MEMBERS_OF_RARE;
  const isRare = (number: number): boolean => number % step === step - 1;
  const dense = DENSE.map((field, index) => {
    const mask = 1 << (8 + index);
    return [field, (number: number) => (bitsOf(number) & mask) !== 0] as const;
  });
  return {
    org: `mixed-${length}`,
    kind: 'sized',
    length,
    isCompacted: false,
    isLive: (number) => isRare(number) || (bitsOf(number) & 0xff) >= 26,
    sets: { ...Object.fromEntries(dense), [RARE]: isRare },
  };
}

/** All but the newest records and some old ones are deleted: what jobs leave that are deleted when they are done. */
function deletedList(length: number, live: number, old: number): SizedList {
  const step = length / old;
  return {
    org: `deleted-${length}`,
    kind: 'sized',
    length,
    isCompacted: true,
    isLive: (number) => number >= length - live + old || number % step === step / 2,
    sets: {},
  };
}

/** One record in a hundred is left, anywhere. */
const thinnedList = (length: number): SizedList => ({
  org: `thinned-${length}`,
  kind: 'sized',
  length,
  isCompacted: true,
  isLive: (number) => bitsOf(number) % 100 === 0,
  sets: {},
});

const THINNED = 1_000_000;

/**
 * The list that is found by words, and in the order of activity. Half of its records are in one set, and ten in
 * another.
 */
function searchedList(length: number): SizedList {
  const org = `5ea0c4ed-0000-4000-8000-${String(length).padStart(12, '0')}`;
  const sets = pick(mixedList(length).sets, [DENSE[0], RARE]);
  const searched = { titles: textsOf(length), placeOf: (number: number) => (number * STEP + STEP) % length };
  return { org, kind: 'searched', length, isCompacted: false, isLive: () => true, sets, searched };
}

/** Has no divisor in common with a length. */
const STEP = 7_919;

const pick = <T>(all: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));

/** Takes seconds to make. */
const texts = new Map<number, ZipfTexts>();

function textsOf(length: number): ZipfTexts {
  const made = texts.get(length) ?? new ZipfTexts(length, bitsOf);
  texts.set(length, made);
  return made;
}

const SEARCHED = 1_000_000;

/**
 * Pages of the list that is searched. Of a million records, 1,991 have the word of rank 400, 831 that of rank 1,000,
 * and 560,000 the first one.
 */
const SEARCHES: readonly Omit<SizedCase, 'list' | 'size'>[] = [
  { name: 'a word', words: [1_000], fields: [], at: 'begin' },
  { name: 'a word of as many as are read', words: [400], fields: [], at: 'middle' },
  { name: 'two words', words: [450, 1_000], fields: [], at: 'begin' },
  { name: 'two words, one of half of the records', words: [400, 1], fields: [], at: 'begin' },
  { name: 'two words of as many as are read', words: [400, 410], fields: [], at: 'begin' },
  { name: 'a word, and half', words: [400], fields: [DENSE[0]], at: 'begin' },
  { name: 'a word of half of the records, and ten records', words: [1], fields: [RARE], at: 'begin' },
  { name: 'by activity, first page', isByActivity: true, fields: [], at: 'begin' },
  { name: 'half by activity, first page', isByActivity: true, fields: [DENSE[0]], at: 'begin' },
  { name: 'half by activity, page 300', isByActivity: true, fields: [DENSE[0]], at: 300 },
  { name: 'ten records by activity', isByActivity: true, fields: [RARE], at: 'begin' },
  { name: 'two words by activity', isByActivity: true, words: [450, 1_000], fields: [], at: 'begin' },
];

const DELETED: Readonly<Record<number, { readonly name: string; readonly live: number; readonly old: number }>> = {
  1000000: { name: '99 % deleted', live: 10_000, old: 10 },
  10000000: { name: '99.98 % deleted', live: 2_000, old: 20 },
};

/** The pages of lists with this length. @param scale the length is divided by it */
export function casesOf(size: number, scale = 1): SizedCase[] {
  const length = size / scale;
  const list = mixedList(length);
  const of = (cases: readonly Omit<SizedCase, 'list' | 'size'>[], ofList: SizedList): SizedCase[] =>
    cases.map((each) => ({ ...each, size, list: ofList }));
  const deleted = DELETED[size];
  const inTheMiddle = (name: string) => [{ name, fields: [], at: 'middle' as const }];
  return [
    ...of(MIXED, list),
    ...(deleted === undefined
      ? []
      : of(inTheMiddle(deleted.name), deletedList(length, Math.ceil(deleted.live / scale) + deleted.old, deleted.old))),
    ...(size === THINNED ? of(inTheMiddle('99 % deleted, anywhere'), thinnedList(length)) : []),
    ...(size === SEARCHED ? of(SEARCHES, searchedList(length)) : []),
  ];
}

const MIXED: readonly Omit<SizedCase, 'list' | 'size'>[] = [
  { name: 'all, first page', fields: [], at: 'begin' },
  { name: 'all, middle', fields: [], at: 'middle' },
  { name: 'all, last page', fields: [], at: 'end' },
  { name: 'a filter that half match', fields: DENSE.slice(0, 1), at: 'middle' },
  { name: 'four such filters', fields: DENSE, at: 'middle' },
  { name: 'ten records, and half', fields: [RARE, DENSE[0]], at: 'begin' },
];

const COMPARED = 100_000;

/** Pages of a list, each read in every way. */
export function comparedCases(scale = 1): SizedCase[] {
  const list = { ...mixedList(COMPARED / scale), org: 'compared' };
  const pages = ['begin', 100, 1_000, 'end'] as const;
  return WAYS.flatMap((way) =>
    pages.map((at): SizedCase => ({ name: `page ${at}`, size: COMPARED, list, way, fields: [], at })),
  );
}

/** Looks at each number, by none of the code that is measured. */
export function expectedPage({ list, fields, words = [], isByActivity, at }: SizedCase): ExpectedPage {
  const { titles, placeOf } = list.searched ?? {};
  const tests = [
    list.isLive,
    ...fields.map((field) => list.sets[field] ?? (() => false)),
    ...words.map((rank) => (number: number) => titles?.has(number, rank) ?? false),
  ];
  const members = new Uint32Array(list.length);
  let total = 0;
  for (let number = 0; number < list.length; number++) {
    if (tests.every((test) => test(number))) members[total++] = number;
  }
  const found = members.subarray(0, total);
  if (isByActivity && placeOf !== undefined) found.sort((one, other) => placeOf(one) - placeOf(other));
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const page = pageAt(at, last);
  const end = total - (page - 1) * PAGE_SIZE;
  return { page, total, numbers: [...found.subarray(Math.max(0, end - PAGE_SIZE), end)].reverse() };
}

/** A page by its place, at most the last one. */
function pageAt(at: SizedCase['at'], last: number): number {
  if (typeof at === 'number') return Math.min(at, last);
  if (at === 'begin') return 1;
  return at === 'end' ? last : Math.ceil(last / 2);
}
