/**
 * Parts of the pipeline, for those that run operations or show records without a request of their own: webhooks, the
 * operator, the build.
 */

export { callOperation } from './call-operation.ts';
export { type MatchedRoute, routeTable } from './operation.ts';
export { refusalOfCaller } from './privileged-operations.ts';
export { ProtectedRead } from './protected-read.ts';
export { readBody } from './request/validate.ts';
export { derivedMetadata, type Projection, present, presentBy, projectionOf } from './route-metadata.ts';
export { runToCommit } from './unit-of-work.ts';
