export { Eraser } from './erase/eraser.ts';
export { type Erasure, readErasure, stageErasure, stageProgress } from './erase/erasure.ts';
export { TableCopy } from './restore/copy.ts';
export type { Change } from './restore/differences.ts';
export type { Verified } from './verify/difference.ts';
export { countedBy, type Kind, kind, quotaOf } from './verify/kinds.ts';
export { verify } from './verify/verify.ts';
