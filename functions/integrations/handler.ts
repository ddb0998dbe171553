import { pipeline } from '../../shared/http/pipeline.ts';
import { integrations } from './contract.ts';
import { integrationOperations } from './operations.ts';

export const handler = pipeline(integrations, integrationOperations);
