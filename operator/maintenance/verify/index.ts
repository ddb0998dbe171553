export { claimedFieldsOf } from './claims.ts';
export type { Verified } from './difference.ts';
export { countedBy, type Kind, kind, quotaOf } from './kinds.ts';
export { concurrently } from './reading.ts';
export { verify } from './verify.ts';
