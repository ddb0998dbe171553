import type { MaybeOptionalInit, ParseAsResponse } from 'openapi-fetch';
import type { PathsWithMethod, RequiredKeysOf, ResponseObjectMap, SuccessResponse } from 'openapi-typescript-helpers';
import type { paths } from './schema.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a path takes: `params`, `body`, `headers`, `signal` and the rest of `RequestInit`. */
export type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>;

export type InitParam<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];

/** What a success returns. */
export type DataOf<P extends keyof paths, M extends Method, I = unknown> = ParseAsResponse<
  SuccessResponse<Extract<ResponseObjectMap<paths[P][M]>, object>, `${string}/${string}`>,
  I
>;

/** Nothing may come back for `If-None-Match`: a 304. */
type Conditional<I> = I extends { params: { header: { 'If-None-Match': string } } } ? undefined : never;

export interface ApiResponse<T> {
  readonly data: T;
  readonly response: Response;
}

/** Calls an operation of a path; what is not a success (or a 304) is thrown as a {@link CustodiaProblem}. */
export type Call<M extends Method> = <P extends PathsWithMethod<paths, M>, I extends Init<P, M>>(
  path: P,
  ...init: InitParam<I>
) => Promise<ApiResponse<DataOf<P, M, I> | Conditional<I>>>;

/** Paths that can be read. */
export type ReadPath = PathsWithMethod<paths, 'get'>;

/** Paths whose response is a list. */
export type ListPath = { [P in ReadPath]: DataOf<P, 'get'> extends { data: readonly unknown[] } ? P : never }[ReadPath];

export type RecordOf<P extends ListPath> = DataOf<P, 'get'> extends { data: readonly (infer T)[] } ? T : never;
