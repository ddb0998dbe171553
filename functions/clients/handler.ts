import { pipeline } from '../../shared/http/pipeline.ts';
import { clients } from './contract.ts';
import { clientOperations } from './operations.ts';

export const handler = pipeline(clients, clientOperations);
