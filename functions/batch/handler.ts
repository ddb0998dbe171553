import { pipeline } from '#http';
import { domains } from '../webhooks/domains.ts';
import { batch } from './contract.ts';
import { batchOperations } from './operations.ts';

export const handler = pipeline(batch, batchOperations(domains));
