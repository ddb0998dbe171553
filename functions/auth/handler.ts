import { pipeline } from '../../shared/http/pipeline.ts';
import { auth } from './contract.ts';
import { authOperations } from './operations.ts';

export const handler = pipeline(auth, authOperations);
