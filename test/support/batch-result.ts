import type { JsonBody } from './api.ts';

/** What the response of a batch says of one of its operations. */
export interface BatchResult {
  readonly key: string;
  readonly status: number;
  readonly etag?: string;
  readonly replayed?: true;
  readonly retry_after?: number;
  readonly omitted?: true;
  readonly body?: JsonBody & { readonly id: string };
  readonly problem?: JsonBody & { readonly type: string; readonly errors?: readonly JsonBody[] };
}
