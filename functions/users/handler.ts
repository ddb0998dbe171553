import { pipeline } from '../../shared/http/pipeline.ts';
import { users } from './contract.ts';
import { userOperations } from './operations.ts';

export const handler = pipeline(users, userOperations);
