import { pipeline } from '#http';
import { access } from './contract.ts';
import { accessOperations } from './operations.ts';

export const handler = pipeline(access, accessOperations);
