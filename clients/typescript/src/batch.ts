import type { Batch, BatchResult, Problem } from './schema.ts';
import type { ApiResponse } from './types.ts';

/** Many operations in one request, `POST /api/v1/batch`. */

/** An operation of a batch: a creation is carried out once under its key, for a day. */
export type BatchOperation = Batch['operations'][number];

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
