import { pipeline } from '#http';
import { serviceActions } from './contract.ts';
import { serviceActionOperations } from './operations.ts';

export const handler = pipeline(serviceActions, serviceActionOperations);
