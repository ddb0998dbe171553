import { pipeline } from '#http';
import { resources } from './contract.ts';
import { resourceOperations } from './operations.ts';

export const handler = pipeline(resources, resourceOperations);
