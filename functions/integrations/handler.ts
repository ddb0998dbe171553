import { pipeline } from '#http';
import { integrations } from './contract.ts';
import { integrationOperations } from './operations.ts';

export const handler = pipeline(integrations, integrationOperations);
