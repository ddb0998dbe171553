import * as z from 'zod';
import { wantedWords } from '../words.ts';
import { bounded, name, shownAs, uuid } from './fields.ts';
import { CREATED } from './filter-names.ts';
import { boundOf, instantOf } from './instant.ts';

/**
 * The kinds of parameters of paths and queries. All arrive as text; each kind here parses it and describes in OpenAPI
 * what it accepts.
 */

/** A decimal integer, digits only: `parseInt` would accept `12abc`. */
const integer = (min: number, max: number, standard: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return bounded(10, error)
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error })
    .optional()
    .transform((value) => value ?? standard)
    .meta(shownAs({ type: 'integer', format: 'int32', minimum: min, maximum: max, default: standard }));
};

/** How many elements a response has at most. */
export const limit = (max: number, standard: number) => integer(1, max, standard);

export const flag = () =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .meta(shownAs({ type: 'boolean' }));

const DATE_EXAMPLE = '2026-11-20';
const A_DATE = `must be a date, such as ${DATE_EXAMPLE}`;

/** A day of UTC (RFC 3339, full-date). */
export const date = () =>
  bounded(10, A_DATE)
    .refine((value) => value === instantOf(value)?.slice(0, 10), { error: A_DATE })
    .meta(shownAs({ type: 'string', format: 'date', maxLength: 10, examples: [DATE_EXAMPLE] }));

export const PAGE_SIZE = { standard: 25, max: 200 } as const;
const MAX_PAGE = 1_000_000_000;

/** Newest first, or oldest first. */
const SORTS = [`-${CREATED}`, CREATED] as const;

/** The `sort` of a list that an index also sorts by these times. Described by its route. */
export const sort = <const F extends string>(...fields: readonly F[]) =>
  z.enum([...SORTS, ...fields.flatMap((field) => [`-${field}` as const, field])]).default(SORTS[0] as never);

const INSTANT_EXAMPLE = '2026-11-20T09:30:00Z';
const AN_INSTANT = `must be an ISO 8601 time in the years 0001 to 9999 of UTC, such as ${INSTANT_EXAMPLE}`;

/**
 * A time (ISO 8601) that times of records are compared with, in UTC where it says no zone. It becomes the bound of
 * theirs, to the millisecond.
 */
export const instant = () =>
  bounded(40, AN_INSTANT)
    .refine((value) => boundOf(value) !== undefined, { error: AN_INSTANT })
    .transform((value) => boundOf(value) ?? value)
    .meta(shownAs({ type: 'string', format: 'date-time', maxLength: 40, examples: [INSTANT_EXAMPLE] }));

/** The query of every paged list (spec §4, §8). */
export const page = () => ({
  page: integer(1, MAX_PAGE, 1).describe('Which page, counted from 1.'),
  page_size: integer(1, PAGE_SIZE.max, PAGE_SIZE.standard).describe('How many records a page holds.'),
  sort: z
    .enum(SORTS)
    .default('-created_at')
    .describe('Order of creation: newest first (`-created_at`) or oldest first.'),
});

/** The name of the parameter for words, in lists that can be searched by them. */
export const WORDS = 'q';

/** Longest text with words, in characters. */
const MAX_QUERY = 100;

/**
 * Words that records are searched by: at least one.
 * @param texts what they are found in, such as `name or slug`
 */
export const words = (texts: string, example: string) =>
  name(MAX_QUERY)
    .refine((value) => wantedWords(value).length > 0, { error: 'must not be blank' })
    .optional()
    .describe(
      `Only records of which every one of these words begins a word of the ${texts}, such as \`${example}\`. Case, ` +
        'accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. ' +
        '`server` also finds `print-server`. A record is found by about its first 12 words and their parts; in ' +
        'scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must ' +
        'leave few records.',
    );

/** How much a list shows of each record. Described by its route. */
export const view = () => z.enum(['summary', 'full']).default('summary');

/** The query of lists with cursor pages. The `Link` header of a response has the cursor of the next page. */
export const cursor = () => ({
  after: uuid().optional().describe('Id of the last record already seen: the list goes on behind it.'),
});

/** The organization that a platform caller works in. A caller of an organization may give its own. */
export const tenant = () =>
  uuid().optional().describe('The organization to work in. Platform callers name any; others at most their own.');
