import { pipeline } from '../../shared/http/pipeline.ts';
import { access } from './contract.ts';
import { accessOperations } from './operations.ts';

export const handler = pipeline(access, accessOperations);
