import { pipeline } from '../../shared/http/pipeline.ts';
import { serviceActions } from './contract.ts';
import { serviceActionOperations } from './operations.ts';

export const handler = pipeline(serviceActions, serviceActionOperations);
