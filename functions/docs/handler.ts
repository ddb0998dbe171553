import { pipeline } from '#http';
import { docs } from './contract.ts';
import { docsOperations } from './operations.ts';

export const handler = pipeline(docs, docsOperations);
