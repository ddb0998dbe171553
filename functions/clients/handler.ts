import { pipeline } from '#http';
import { clients } from './contract.ts';
import { clientOperations } from './operations.ts';

export const handler = pipeline(clients, clientOperations);
