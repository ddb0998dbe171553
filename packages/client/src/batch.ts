import type { RequiredKeysOf } from 'openapi-typescript-helpers';
import type { Batch, BatchResult, operations, Problem } from './schema.ts';
import type { ApiResponse } from './types.ts';

/** Many operations in one request, `POST /api/v1/batch`. */

type AnyOperation = Batch['operations'][number];

/** An operation of a batch: a creation is carried out once under its key, for a day. Its `operation` says which `params` and `body` it takes. */
export type BatchOperation<Id extends AnyOperation['operation'] = AnyOperation['operation']> = {
  [K in Id]: Omit<AnyOperation, 'operation' | 'params' | 'body'> & { readonly operation: K } & ParamsOf<K> & BodyOf<K>;
}[Id];

type ParamsOf<K extends AnyOperation['operation']> = [NamesIn<K>] extends [never]
  ? { readonly params?: Readonly<Record<string, string>> }
  : { readonly params: { readonly [Name in NamesIn<K>]: string } & Readonly<Record<string, string>> };

/** The ids in the path, and what an upsert finds its record by. */
type NamesIn<K extends AnyOperation['operation']> =
  | KeysOf<operations[K]['parameters']['path']>
  | RequiredIn<operations[K]['parameters']['query']>;

type KeysOf<P> = [NonNullable<P>] extends [never] ? never : keyof NonNullable<P> & string;
type RequiredIn<Q> = [NonNullable<Q>] extends [never] ? never : RequiredKeysOf<NonNullable<Q>> & string;

type BodyOf<K extends AnyOperation['operation']> = operations[K] extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? { readonly body: Body }
  : { readonly body?: never };

type AnyResult = BatchResult['results'][number];

/** What became of an operation, with the `problem` that it would have returned alone. */
export interface OperationResult extends Omit<AnyResult, 'body' | 'problem'> {
  /** With `Prefer: return=representation` the whole record; absent after a deletion, and past 4 MB. */
  readonly body?: { readonly id: string | number; readonly version?: number; readonly [field: string]: unknown };
  readonly problem?: Problem;
}

/** The results of a batch in the order of its operations, and how many there are of each status. */
export interface BatchResponse extends Omit<BatchResult, 'results'> {
  readonly results: readonly OperationResult[];
}

export interface BatchOptions {
  /** For `org_id` of platform callers. */
  readonly query?: { readonly org_id?: string };
  /** `Prefer: 'return=representation'`: results have whole records. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Most operations of a batch, and most bytes of its body. */
export const MOST_OPERATIONS = 200;
export const MOST_BYTES = 1_000_000;

/** Sends a batch whose operations are written as JSON already. */
export type SendBatch = (
  operations: readonly BatchOperation[],
  texts: readonly string[],
  options: BatchOptions,
) => Promise<ApiResponse<BatchResponse>>;

/**
 * Whether an operation can be carried out twice: creations have their key, and changes set the same values. Not one of a
 * version that it replaces, and no deletion: the second is a 412 or a 404.
 */
export const isRepeatable = ({ operation, if_match }: BatchOperation): boolean =>
  if_match === undefined && !operation.startsWith('delete');
