import { pipeline } from '#http';
import { openapi } from './contract.ts';
import { openApiOperations } from './operations.ts';

export const handler = pipeline(openapi, openApiOperations);
