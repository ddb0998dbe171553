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
export { countRefusal, ReadCount } from './daily-counts.ts';
export { dataKeyCache } from './data-key-cache.ts';
export { finishAllCascadeDeletes } from './finish-cascade-deletes.ts';
export { LoginAttempt } from './login-attempt.ts';
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
export { BUDGET_WINDOW, flushBudget, readBudgets } from './request-budget.ts';
export { readSuspension, type Suspension, stageSuspension } from './suspensions.ts';
