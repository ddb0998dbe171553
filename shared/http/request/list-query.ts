import type { querySchemaOf } from '#contract/lists';
import type { PageQuery } from '#table';

/** The query of a list as storage takes it. */

type Where = NonNullable<PageQuery['where']>[number];
type SortKey = NonNullable<PageQuery['sort']>[number];

/** What parameters say of records, by name. */
type Conditions = ReturnType<typeof querySchemaOf>['conditions'];

/** A parsed query; that of a list with its filters as conditions, and its order as fields. */
export function listed(
  parsed: Readonly<Record<string, unknown>>,
  conditions: Conditions = new Map(),
): Record<string, unknown> {
  const { sort, ...others } = parsed;
  if (sort === undefined) return others;
  const kept = Object.entries(others).filter(([name]) => !conditions.has(name));
  return { ...Object.fromEntries(kept), where: whereOf(others, conditions), sort: keysOf(String(sort)) };
}

function whereOf(parsed: Readonly<Record<string, unknown>>, conditions: Conditions): readonly Where[] {
  const where: Where[] = [];
  const ranges: Record<string, Where & { readonly field: string }> = {};
  for (const [name, { field, as }] of conditions) {
    const value = parsed[name];
    if (value === undefined) continue;
    if (as === 'words') where.push({ words: String(value) });
    else if (as === 'anyOf' || as === 'allOf') where.push({ field, [as]: [value].flat() } as unknown as Where);
    else
      ranges[field] = {
        ...(ranges[field] ?? { field }),
        ...(as === 'atLeast' ? { from: value as string } : { [as]: value }),
      };
  }
  return [...where, ...Object.values(ranges)];
}

/** `-priority,name`: by priority, the highest first, then by name. */
const keysOf = (sort: string): readonly SortKey[] =>
  sort.split(',').map((key) => ({ field: key.replace(/^-/, ''), descending: key.startsWith('-') }));
