import { pipeline } from '#http';
import { auth } from './contract.ts';
import { authOperations } from './operations.ts';

export const handler = pipeline(auth, authOperations);
