import { pipeline } from '#http';
import { webhookEndpoints } from './contract.ts';
import { webhookEndpointOperations } from './operations.ts';

export const handler = pipeline(webhookEndpoints, webhookEndpointOperations);
