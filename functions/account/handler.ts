import { pipeline } from '#http';
import { account } from './contract.ts';
import { accountOperations } from './operations.ts';

export const handler = pipeline(account, accountOperations);
