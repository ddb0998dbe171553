import type * as z from 'zod';
import { type Route, referencesIn, uniqueFieldsOf } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';

/** Records and references according to the contracts, so that no test keeps a list of them. */

const routes = contracts.flatMap((contract) => Object.entries(contract.routes));

/** The operation that creates a record, by the record's name. */
export const creatorOf = (record: string): readonly [operationId: string, route: Route] | undefined =>
  routes.find(([, { method, body }]) => method === 'POST' && body?.name === `${record}Create`);

/**
 * Names of records by the fields and parameters that hold their ids. The `id` of a path belongs to another record in
 * each path.
 */
export const references: ReadonlyMap<string, string> = new Map(
  routes.flatMap(([, { params, query, body }]) =>
    [params, query, ...(body === undefined ? [] : [body.schema])].flatMap((schema) =>
      [...referencesIn(schema)].filter(([field]) => field !== 'id'),
    ),
  ),
);

/** Names of the fields that are unique in some body. */
export const uniqueFields: ReadonlySet<string> = new Set(
  routes.flatMap(([, { body }]) => (body === undefined ? [] : [...uniqueFieldsOf(body.schema).keys()])),
);

/**
 * A value for a unique field that no other record has: the example with a suffix before it, else one of the example's form.
 * @throws Error when the field takes neither
 */
export function freshValue({ shape }: z.ZodObject, field: string, example: unknown, suffix: string): string {
  const schema = shape[field] as z.ZodType;
  const values = [`${suffix}-${example}`, likeExample(String(example)), `${example}/${suffix}`];
  const found = values.find((value) => schema.safeParse(value).success);
  if (found === undefined) {
    throw new Error(`${field} is unique, and no other value could be made of its example ${JSON.stringify(example)}`);
  }
  return found;
}

let made = 0;

/** Other letters and digits in the same places, different in each call: `SN-0042` becomes `AA-1000`, `AA-2000` … */
function likeExample(example: string): string {
  made += 1;
  let rest = made;
  const next = (first: string, base: number): string => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return String.fromCharCode(first.charCodeAt(0) + digit);
  };
  return example
    .replace(/\d/g, () => next('0', 10))
    .replace(/[a-z]/g, () => next('a', 26))
    .replace(/[A-Z]/g, () => next('A', 26));
}
