import { pipeline } from '#http';
import { services } from './contract.ts';
import { serviceOperations } from './operations.ts';

export const handler = pipeline(services, serviceOperations);
