import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Contract } from '#contract';
import { filtersAndOrdersOf, uniqueFieldsOf } from '#contract/derived';

/**
 * The filters that the last release wrote. A filter may be offered only when the release before wrote it: else older records are missing in its lists
 * while the new release is already responding (`docs/adding-a-filter.md`).
 */

export const RELEASED_FILTERS = join(import.meta.dirname, '../functions/released-filters.json');

const recordSchema = z.object({
  release: z.string(),
  /** The filters that a list operation offers or does not offer yet, by its id. */
  filters: z.record(z.string(), z.array(z.string())),
});
export type ReleasedFilters = z.infer<typeof recordSchema>;

/** The record of the last release. */
export const readReleasedFilters = (): ReleasedFilters =>
  recordSchema.parse(JSON.parse(readFileSync(RELEASED_FILTERS, 'utf8')));

/** The filters that these contracts write. */
export function filtersWritten(contracts: readonly Contract[], release: string): ReleasedFilters {
  const lists = listsOf(contracts).map(
    ([id, route]) => [id, [...filtersAndOrdersOf(route), ...(route.notYetOffered ?? [])].toSorted()] as const,
  );
  return { release, filters: Object.fromEntries(lists) };
}

/**
 * The offered filters that the last release did not write, as text. A list that is new in this release had no records.
 */
export function filtersOfferedTooEarly(
  contracts: readonly Contract[],
  { release, filters }: ReleasedFilters,
): string[] {
  return listsOf(contracts).flatMap(([id, route]) => {
    const written = filters[id];
    if (written === undefined) return [];
    // The values of unique fields are claimed by every release.
    const claimed = uniqueFieldsOf(route.query);
    return filtersAndOrdersOf(route)
      .filter((name) => !written.includes(name) && !claimed.has(name))
      .map(
        (name) =>
          `${id} offers \`${name}\`, which release ${release} does not write: declare it as notYetOffered first`,
      );
  });
}

const listsOf = (contracts: readonly Contract[]) =>
  contracts.flatMap(({ routes }) => Object.entries(routes).filter(([, route]) => route.response.isList));

/** One line for each list. */
export function releasedFiltersText({ release, filters }: ReleasedFilters): string {
  const lines = Object.entries(filters).map(
    ([id, names]) => `    "${id}": [${names.map((name) => JSON.stringify(name)).join(', ')}]`,
  );
  return `{\n  "release": ${JSON.stringify(release)},\n  "filters": {\n${lines.join(',\n')}\n  }\n}\n`;
}
