import { pipeline } from '../../shared/http/pipeline.ts';
import { logs } from './contract.ts';
import { logOperations } from './operations.ts';

export const handler = pipeline(logs, logOperations);
