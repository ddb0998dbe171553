export {
  emptyResponse,
  listResponse,
  type OpenInput,
  type Operations,
  pageResponse,
  recordResponse,
  textResponse,
} from './operation.ts';
export { pagesOf } from './pages.ts';
export { pipeline } from './pipeline.ts';
export { requireLivePermissions } from './privileged-operations.ts';
export { noSuchRecord, problemOf } from './problems.ts';
export type { HttpRequest } from './request/http-request.ts';
export { jsonOf } from './request/json-text.ts';
export { organizationOf, requireNamedOwner, tenantOf } from './request/tenant.ts';
export { validBody, validParams } from './request/validate.ts';
export { present } from './response/present.ts';
export { derivedMetadata, projectionOf } from './routes/route-metadata.ts';
export { type MatchedRoute, type RouteTable, routeTable } from './routes/route-table.ts';
export { refuseSuspended } from './suspension.ts';
export { ProtectedRead } from './unit-of-work/protected-read.ts';
export { runToCommit } from './unit-of-work/run.ts';
