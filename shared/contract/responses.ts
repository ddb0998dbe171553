import * as z from 'zod';
import { lazily } from '../memory.ts';
import type { Example, ResponseType } from './route.ts';

/** What routes return when they succeed. */

const withRecord =
  (status: 200 | 201 | 202) =>
  <S extends z.ZodType>(record: { readonly schema: S }, description: string, example: Example): ResponseType<S> => ({
    status,
    get schema() {
      return record.schema;
    },
    description,
    example,
  });

/** 200 with a record. */
export const ok = withRecord(200);
/** 201 with the created record. */
export const created = withRecord(201);
/** 202 with what is going to be done. */
export const accepted = withRecord(202);

/** 204 without a body. */
export const noContent = (description: string): ResponseType<z.ZodUndefined> => ({
  status: 204,
  schema: undefined,
  description,
});

interface Named<S extends z.ZodType> {
  readonly name: string;
  readonly schema: S;
}

/**
 * 200 with `{ data, page, page_size, total }` (spec §4).
 * @example response: pageOf(terminal, 'A page of terminals.', terminalExample)
 */
export const pageOf = <S extends z.ZodType>(record: Named<S>, description: string, example: Example) => {
  const schema = lazily(() =>
    z
      .strictObject({
        data: z.array(record.schema).max(200).describe('The records of this page, in the order of `sort`.'),
        page: z.int32().min(1).describe('Which page this is, counted from 1.'),
        page_size: z.int32().min(1).max(200).describe('How many records a page has, but for the last.'),
        total: z.int().min(0).describe('How many records there are on all pages together, exactly.'),
      })
      .meta({ id: `${record.name}Page` }),
  );
  return listOf(schema, description, { data: [example], page: 1, page_size: 25, total: 1 });
};

/** Most records of a cursor page. */
export const WHOLE_LIST = 1_000;

/**
 * 200 with only `{ data }` (spec §4): up to {@link WHOLE_LIST} records, with a `Link` to the next ones.
 * @example response: wholeListOf(membership, 'The memberships.', membershipExample)
 */
export const wholeListOf = <S extends z.ZodType>(record: Named<S>, description: string, example: Example) => {
  const schema = lazily(() =>
    z
      .strictObject({
        data: z
          .array(record.schema)
          .max(WHOLE_LIST)
          .describe('Up to 1000 records. `Link` leads to the next ones, if there are any.'),
      })
      .meta({ id: `${record.name}List` }),
  );
  return listOf(schema, description, { data: [example] });
};

const listOf = <S extends z.ZodType>(schema: () => S, description: string, example: Example) => ({
  status: 200 as const,
  isList: true as const,
  get schema() {
    return schema();
  },
  description,
  example,
});
