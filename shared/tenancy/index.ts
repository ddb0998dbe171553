export { type FoundIntegration, findIntegration, isOfEarlierVersion } from './app-codes.ts';
export {
  areAsExpected,
  type Credentials,
  type Holder,
  liveCredentials,
  orgIdOf,
  readCredentials,
  readCredentialsOf,
  requireCredentials,
  type StoredSecret,
  stageCredentials,
  stageCredentialsChange,
  stageTokensEnd,
} from './credentials.ts';
export { countRead, countRefusal, isEventDue, type ReadCount, stageEventLeft } from './daily-counts.ts';
export { dataKeyCache } from './data-key-cache.ts';
export {
  countFailedLogin,
  FAILURES_KEPT,
  type FailedLogins,
  forgetFailedLogins,
  type LoginAttempt,
  readFailedLogins,
} from './failed-logins.ts';
export { finishAllCascadeDeletes } from './finish-cascade-deletes.ts';
export { checkTable } from './health.ts';
export {
  allOrganizations,
  copyKeyOf,
  LISTED_AS,
  listedEntity,
  type Organization,
  organizationEntity,
  pageOfOrganizations,
  stageOrganization,
  stageOrganizationChange,
  stageOrganizationRemoval,
} from './organizations.ts';
export { type Count, stageCount } from './quotas.ts';
export { flushBudget, MOST_SPENT_MS, readBudgets, WHOLE_TENANT, WINDOW_MS } from './request-budget.ts';
export { stageRestoring, stageResumption, stageSuspension } from './suspend.ts';
export { type Restoring, readSuspension, type Suspension } from './suspensions.ts';
