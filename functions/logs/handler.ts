import { pipeline } from '#http';
import { logs } from './contract.ts';
import { logOperations } from './operations.ts';

export const handler = pipeline(logs, logOperations);
