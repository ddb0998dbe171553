export { type Credentials, type Custodia, type CustodiaOptions, createCustodia } from './client.ts';
export type { Lists, WatchOptions } from './lists.ts';
export { CustodiaProblem, type ProblemType } from './problem.ts';
export type { RetryOptions } from './retry.ts';
export type * from './schema.ts';
export type { Timing } from './timing.ts';
export type { ApiResponse, DataOf, ListPath, ReadPath, RecordOf } from './types.ts';
export { type ReceivedWebhook, signWebhook, type VerifyOptions, verifyWebhook } from './webhook.ts';
