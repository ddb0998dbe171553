import { pipeline } from '#http';
import { health } from './contract.ts';
import { healthOperations } from './operations.ts';

export const handler = pipeline(health, healthOperations);
