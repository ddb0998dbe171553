/** Parts of the pipeline, for those that run operations or show records without a request of their own: webhooks, the operator, the build. */

export { DeliveryBudget } from './budget/delivery-budget.ts';
export { callOperation } from './call-operation.ts';
export { refusalOfCaller } from './privileged-operations.ts';
export { readBody } from './request/validate.ts';
export { present, presentBy } from './response/present.ts';
export { derivedMetadata, type Projection, projectionOf } from './routes/route-metadata.ts';
export { type MatchedRoute, routeTable } from './routes/route-table.ts';
export { ProtectedRead } from './unit-of-work/protected-read.ts';
export { runToCommit } from './unit-of-work/run.ts';
