export { DeliveryBudget } from './budget/delivery-budget.ts';
export { type Limit, RequestBudget } from './budget/request-budget.ts';
export { readRequestCounts } from './budget/request-counts.ts';
export { DELIVERY_BUDGET, readBudgets } from './budget/stored-budget.ts';
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
export { readSuspension, type Suspension, stageSuspension } from './suspensions.ts';
