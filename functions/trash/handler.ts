import { pipeline } from '#http';
import { trash } from './contract.ts';
import { trashOperations } from './operations.ts';

export const handler = pipeline(trash, trashOperations);
