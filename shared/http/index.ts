export { carriedRequests } from './carried-requests.ts';
export type { OpenInput, Operations } from './operation.ts';
export { pagesOf } from './pages.ts';
export { pipeline } from './pipeline.ts';
export { requireLivePermissions } from './privileged-operations.ts';
export { noRecord, noSuchRecord } from './problems.ts';
export { organizationOf, requireNamedOwner, tenantOf } from './request/tenant.ts';
export { refuseSuspended } from './suspension.ts';
export { upsertOf } from './upsert.ts';
