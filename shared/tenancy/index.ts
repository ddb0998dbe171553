export { type FoundIntegration, findIntegration, readPointer } from './app-codes.ts';
export { DeliveryBudget } from './budget/delivery-budget.ts';
export { type Limit, RequestBudget } from './budget/request-budget.ts';
export { readRequestCounts } from './budget/request-counts.ts';
export { DELIVERY_BUDGET } from './budget/stored-budget.ts';
export { countRefusal, ReadCount } from './daily-counts.ts';
export { dataKeyCache } from './data-key-cache.ts';
export {
  appKey,
  BUDGET_OF,
  budgetKey,
  dailyCountKey,
  dataKeyKey,
  deliveryStateKey,
  loginFailureKey,
  quotaKey,
  registerKey,
  suspensionKey,
} from './keys.ts';
export { LoginAttempt } from './login-attempt.ts';
export {
  copyKeyOf,
  LISTED_AS,
  listedEntity,
  type Organization,
  organizationEntity,
  organizationList,
  stageOrganization,
  stageOrganizationChange,
  stageOrganizationRemoval,
} from './organizations.ts';
export { type Count, stageCount } from './quotas.ts';
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
