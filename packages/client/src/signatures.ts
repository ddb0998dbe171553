import type { RequiredKeysOf } from 'openapi-typescript-helpers';
import type { WatchOptions } from './lists.ts';
import type { operations } from './schema.ts';

/** The types of which `calls.ts` makes its signatures. */

type OperationId = keyof operations;

type Parameters<K extends OperationId, In extends 'query' | 'header'> = NonNullable<operations[K]['parameters'][In]>;

/** What the query of an operation takes. */
export type Query<K extends OperationId> = Parameters<K, 'query'>;

/** What a call takes besides what it sends: the headers of its operation, `If-Match` as `ifMatch`, and more. */
export type Options<K extends OperationId> = Headers<Parameters<K, 'header'>> &
  QueryOption<Query<K>> & {
    /** Further headers. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

/** For `org_id` of platform callers, and for the value that an upsert names. Operations that read have their query as an argument, too. */
type QueryOption<Q> = RequiredKeysOf<Q> extends never ? { readonly query?: Q } : { readonly query: Q };

/** With `If-None-Match` a response may be empty: only calls by path take it. */
type Headers<H> = {
  readonly [Name in keyof H as Name extends 'If-None-Match' ? never : CamelCase<Name & string>]: H[Name];
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** A list: loop over its records, which are read page by page, or over its pages. It sends nothing before. */
export interface Listing<Page extends { readonly data: readonly unknown[] }>
  extends AsyncIterable<Page['data'][number]> {
  /** The page that the query names, else the first. */
  readonly page: () => Promise<Page>;
  /** That page and all behind it. */
  readonly pages: () => AsyncGenerator<Page, void>;
  /** That page now and after every change, until the loop is left. */
  readonly watch: (options?: WatchOptions) => AsyncGenerator<Page, void>;
}

/** A record with its secret, which is shown once. A call that gets none throws a {@link SecretNotShownError}. */
export type WithSecret<T> = Omit<T, 'secret'> & { readonly secret: string };
