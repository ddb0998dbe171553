export * as accessItems from './access-items.ts';
export { findIntegration, readPointer } from './app-codes.ts';
export { DeliveryBudget } from './budget/delivery-budget.ts';
export { RequestBudget } from './budget/request-budget.ts';
export { readRequestCounts } from './budget/request-counts.ts';
export { countRefusal, ReadCount } from './daily-counts.ts';
export { dataKeyCache } from './data-key-cache.ts';
export {
  appKey,
  BUDGET_OF,
  loginFailureKey,
  suspensionKey,
} from './keys.ts';
export { LoginAttempt } from './login-attempt.ts';
export {
  listedEntity,
  type Organization,
  organizationEntity,
  organizationList,
  placeInList,
  stageOrganization,
  stageOrganizationChange,
  stageOrganizationRemoval,
} from './organizations.ts';
export { ProviderKeyStore } from './provider-keys.ts';
export { stageCount } from './quotas.ts';
export {
  areLive,
  type Credentials,
  itemOfAppCode,
  liveCredentials,
  readCredentials,
  readCredentialsOf,
  requireCredentials,
  stageCredentials,
  stageCredentialsChange,
  stageTokensEnd,
} from './stored-credentials.ts';
export { readSuspension, type Suspension, stageSuspension } from './suspensions.ts';
export {
  type Grant,
  isLiveUser,
  powerOf,
  readHeldByUser,
  readUserAccess,
  requireUserAccess,
  type SignIn,
  signInKey,
  type UserAccess,
  userAccessKey,
} from './user-access.ts';
