import { pipeline } from '#http';
import { webhookEndpoints } from '../events/endpoints/contract.ts';
import { webhookEndpointOperations } from '../events/endpoints/operations.ts';

export const handler = pipeline(webhookEndpoints, webhookEndpointOperations);
