import * as z from 'zod';
import { lazily } from '../memory.ts';
import { isGroupable } from './field-filters.ts';
import { type Example, type PermissionCode, type ResponseType, route } from './route.ts';

/** Counts of the records of a list, by the values of a field (`shared/http/summaries.ts`). */

interface Kind {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** More values than 500 read units of records have. */
const MOST_VALUES = 10_240;

/** How many records have each of some values. */
export const counts = (description: string) =>
  z
    .array(
      z.strictObject({
        value: z.string().max(200).nullable().describe('As the filter by the field takes it; null for none.'),
        count: z.int().min(1).describe('How many records have it.'),
      }),
    )
    .max(MOST_VALUES)
    .describe(`${description} The most frequent value comes first.`);

/** The field by which records are counted: a word, an id, a flag or a short text. */
function groupBy({ schema }: Kind) {
  const { shape } = schema as z.ZodObject;
  const fields = Object.keys(shape).filter((field) => field !== 'id' && isGroupable(shape[field] as z.ZodType));
  return z.enum(fields).default('status').describe('The field whose values are counted.');
}

/** 200 with `{ data, total }`. */
function countsOf(kind: Kind, description: string, example: Example) {
  const schema = lazily(() =>
    z
      .strictObject({
        data: counts('The values of the field, with the number of records that match the filters and have them.'),
        total: z.int().min(0).describe('How many records match the filters: the sum of all counts.'),
      })
      .meta({ id: `${kind.name}Counts`, description }),
  );
  return {
    status: 200 as const,
    get schema() {
      return schema();
    },
    description,
    example: { data: [{ value: String(example.status), count: 1 }], total: 1 },
    counted: kind,
  } satisfies ResponseType;
}

interface Naming {
  readonly path: string;
  readonly many: string;
  readonly example: Example;
  readonly read: PermissionCode;
}

/** The route that counts the records of a list by a field. @param filters those that the list declares */
export const summaryRoute = <Q extends z.ZodRawShape>(
  kind: Kind,
  { path, many, example, read }: Naming,
  filters: () => Q,
) =>
  route('GET', `${path}/summary`, {
    summary: `Count ${many} by a field`,
    description:
      'Takes the filters of the list. A field with a closed set of values is counted at any size by the filters that ' +
      'work at any size, but `q`; all others where few records are left to read.',
    extension: true,
    permission: read,
    query: () => ({ group_by: groupBy(kind), ...filters() }),
    response: countsOf(kind, `How many ${many} there are, by the values of a field.`, example),
  });
