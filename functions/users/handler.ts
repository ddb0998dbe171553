import { pipeline } from '#http';
import { users } from './contract.ts';
import { userOperations } from './operations.ts';

export const handler = pipeline(users, userOperations);
