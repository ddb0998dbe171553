import { PROBLEMS, type Problem } from '#contract';
import { GUIDES, guidePage } from './guides.ts';
import { TITLES } from './layout.ts';
import type { operations } from './reference/document.ts';
import { rowsOf } from './reference/fields.ts';
import { groups, recordNames } from './reference/groups.ts';
import { directionOf, isOfOneOperation, schemaNamed } from './reference/records.ts';

/** What the search of the pages finds: a module whose lists `browser/search.js` reads. */

const KINDS = ['Operations', 'Fields', 'Parameters', 'Records', 'Problems', 'Permissions', 'Guides'] as const;

interface Entry {
  readonly kind: (typeof KINDS)[number];
  readonly page: string;
  readonly anchor: string;
  readonly title: string;
  /** Where it is; a number: how many operations have it besides that of the anchor. */
  readonly context: string | number;
  /** Further text that it is found by. */
  readonly text: string;
}

/** Words that are in most texts. */
const COMMON = new Set(
  `a an and are as at be been by can do does each else for from has have how if in into is it its may more most no not
  of on one only or other same so than that the their them then there these they this those to under until up was what
  when where which while who whose with without would you your of records record such`.split(/\s+/),
);

/** Letters by which words are told apart: `notification` and `notifications` are one word. Titles have whole words. */
const STEM = 6;

/** A word of more texts than this finds nothing that its titles do not. */
const MOST_TEXTS = { all: 11, guides: 3 };

/** The words of a text once, without those of the title. */
function wordsOf({ text, title }: Entry): readonly string[] {
  const known = new Set([...COMMON, ...title.toLowerCase().split(/[^a-z]+/)]);
  const words = text
    .replace(/<[^>]*>|&\w+;/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 2 && !known.has(word));
  return [...new Set(words.map((word) => word.slice(0, STEM)))];
}

/** The words of each entry that tell it apart. */
function distinctiveWords(entries: readonly Entry[], most: number): ReadonlyMap<Entry, string> {
  const words = new Map(entries.map((entry) => [entry, wordsOf(entry)]));
  const uses = Map.groupBy([...words.values()].flat(), (word) => word);
  const isRare = (word: string): boolean => (uses.get(word)?.length ?? 0) <= most;
  return new Map([...words].map(([entry, all]) => [entry, all.filter(isRare).join(' ')]));
}

const operationEntries = (): Entry[] =>
  groups.flatMap(({ page, operations }) =>
    operations.map(({ id, summary, method, path, description }) => ({
      ...{ kind: 'Operations' as const, page, anchor: id, title: summary },
      context: `${method} ${path.replace('/api/v1', '')}`,
      text: `${id.replace(/([A-Z])/g, ' $1')} ${description}`,
    })),
  );

const recordEntries = (): Entry[] =>
  groups.flatMap((group) =>
    recordNames(group).map((name) => ({
      ...{ kind: 'Records' as const, page: group.page, anchor: name, title: name, context: group.title },
      text: schemaNamed(name).description ?? '',
    })),
  );

/** Each field once for what it is: that of a record stands for those of bodies which change it. */
function fieldEntries(): Entry[] {
  const seen = new Set<string>();
  return groups.flatMap((group) =>
    recordNames(group).flatMap((name) =>
      rowsOf(schemaNamed(name), directionOf(name)).flatMap(({ name: field, description = '' }) => {
        const key = `${field} ${description}`;
        if (seen.has(key)) return [];
        seen.add(key);
        const anchor = isOfOneOperation(name) ? name : `${name}.${field}`;
        return [{ kind: 'Fields' as const, page: group.page, anchor, title: field, context: name, text: description }];
      }),
    ),
  );
}

/** What several operations have is found once, and says how many they are. */
function sharedEntries(
  kind: Entry['kind'],
  namesOf: (operation: (typeof operations)[number]) => [string, string][],
): Entry[] {
  const places = groups.flatMap(({ page, operations }) =>
    operations.flatMap((operation) => namesOf(operation).map(([title, text]) => ({ title, text, page, operation }))),
  );
  return [...Map.groupBy(places, ({ title }) => title)].flatMap(([title, [first, ...others]]) => {
    if (first === undefined) return [];
    const { page, operation, text } = first;
    return [{ kind, page, anchor: operation.id, title, context: others.length, text }];
  });
}

const problemEntries = (): Entry[] =>
  (Object.keys(PROBLEMS) as Problem['type'][]).map((type) => ({
    ...{ kind: 'Problems', page: 'problems', anchor: type, title: type, text: '' },
    context: `${PROBLEMS[type].status} ${PROBLEMS[type].title}`,
  }));

/** The sections of the guides. */
async function guideEntries(): Promise<Entry[]> {
  const pages = await Promise.all(
    GUIDES.filter((name) => name !== 'changelog').map(async (name) => ({ name, html: await guidePage(name) })),
  );
  return pages.flatMap(({ name, html }) =>
    html
      .split(/<h[23] id="/)
      .slice(1)
      .map((section) => {
        const [, anchor = '', title = ''] = /^([^"]*)">(.*?)<\/h/s.exec(section) ?? [];
        const heading = title.replace(/<[^>]*>/g, '');
        return { kind: 'Guides', page: name, anchor, title: heading, context: TITLES[name], text: section };
      }),
  );
}

/** The text of the module. */
export async function searchIndex(): Promise<string> {
  const entries = [
    ...operationEntries(),
    ...recordEntries(),
    ...fieldEntries(),
    ...sharedEntries('Parameters', ({ parameters }) =>
      parameters.map(({ name, description = '' }) => [name, description]),
    ),
    ...sharedEntries('Permissions', ({ permission }) => (permission === undefined ? [] : [[permission, '']])),
    ...problemEntries(),
    ...(await guideEntries()),
  ];
  const pages = [...new Set(entries.map(({ page }) => page))];
  const [guides, others] = [
    entries.filter(({ kind }) => kind === 'Guides'),
    entries.filter(({ kind }) => kind !== 'Guides'),
  ];
  const words = new Map([...distinctiveWords(others, MOST_TEXTS.all), ...distinctiveWords(guides, MOST_TEXTS.guides)]);
  const rows = entries.map((entry) => {
    const { kind, page, anchor, title, context } = entry;
    // As `browser/search.js` completes it.
    const place = anchor === `${context}.${title}` ? 0 : anchor;
    return JSON.stringify([KINDS.indexOf(kind), pages.indexOf(page), place, title, context, words.get(entry)]);
  });
  return `export const stem = ${STEM};
export const kinds = ${JSON.stringify(KINDS)};
export const pages = ${JSON.stringify(pages)};
export const entries = [
${rows.join(',\n')}
];
`;
}
