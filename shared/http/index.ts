export { carriedRequests } from './carried-requests.ts';
export { organizationOf, refuseSuspended, requireNamedOwner, tenantOf } from './middleware/tenant.ts';
export type { OpenInput, Operations } from './operation.ts';
export { pagesOf } from './pages.ts';
export { pipeline } from './pipeline.ts';
export { requireLivePermissions } from './privileged-operations.ts';
export { noRecord, noSuchRecord } from './problems.ts';
export { upsertOf } from './upsert.ts';
