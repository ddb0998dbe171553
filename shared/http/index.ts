export { jsonOf } from './json-text.ts';
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
export { allOf, presentPermissions, requireLivePermissions, requireRateLimit } from './privileged-operations.ts';
export { problemOf } from './problems.ts';
export { ProtectedRead } from './protected-read.ts';
export { noSuchRecord } from './references.ts';
export { isDenial, recordRefusal } from './refusals.ts';
export type { HttpRequest } from './request.ts';
export { present } from './response/present.ts';
export { derivedMetadata, projectionOf } from './route-metadata.ts';
export { type MatchedRoute, type RouteTable, routeTable } from './route-table.ts';
export { runToCommit } from './run.ts';
export { refuseSuspended } from './suspension.ts';
export { organizationOf, requireNamedOwner, tenantOf } from './tenancy.ts';
export { validBody, validParams } from './validate.ts';
