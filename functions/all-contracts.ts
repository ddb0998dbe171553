import type { Contract } from '#contract';
import { account } from './account/contract.ts';
import { alerts } from './alerts/contract.ts';
import { audit } from './audit/contract.ts';
import { auth } from './auth/contract.ts';
import { batch } from './batch/contract.ts';
import { docs } from './docs/contract.ts';
import { events } from './events/contract.ts';
import { webhookEndpoints } from './events/endpoints/contract.ts';
import { health } from './health/contract.ts';
import { identityProviders } from './identity-providers/contract.ts';
import { integrations } from './integrations/contract.ts';
import { logs } from './logs/contract.ts';
import { mcp } from './mcp/contract.ts';
import { openapi } from './openapi/contract.ts';
import { orgs } from './orgs/contract.ts';
import { recordContracts } from './record-contracts.ts';
import { attachments } from './tickets/attachments/contract.ts';
import { trash } from './trash/contract.ts';
import { webhooks } from './webhooks/contract.ts';
import { wellKnown } from './well-known/contract.ts';

/**
 * The contracts of all domains, in the order in which the OpenAPI document is read. The stack, the local gateway and
 * the permission catalogue are made from this list as well.
 */
export const contracts: readonly Contract[] = [
  auth,
  ...recordContracts,
  attachments,
  alerts,
  trash,
  batch,
  mcp,
  orgs,
  identityProviders,
  integrations,
  account,
  events,
  webhooks,
  webhookEndpoints,
  logs,
  audit,
  docs,
  health,
  wellKnown,
  openapi,
];
