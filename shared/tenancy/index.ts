export { countRefusal, ReadCount } from './daily-counts.ts';
export { dataKeyCache } from './data-key-cache.ts';
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
export { readRequestCounts } from './read-request-counts.ts';
export { BUDGET_WINDOW, DELIVERY_BUDGET, flushBudget, readBudget, readBudgets } from './request-budget.ts';
export { readSuspension, type Suspension, stageSuspension } from './suspensions.ts';
