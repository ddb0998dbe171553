import { pipeline } from '../../shared/http/pipeline.ts';
import { openapi } from './contract.ts';
import { openApiOperations } from './operations.ts';

export const handler = pipeline(openapi, openApiOperations);
