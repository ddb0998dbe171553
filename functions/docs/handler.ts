import { pipeline } from '../../shared/http/pipeline.ts';
import { docs } from './contract.ts';
import { docsOperations } from './operations.ts';

export const handler = pipeline(docs, docsOperations);
