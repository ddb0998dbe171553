import { pipeline } from '#http';
import { terminals } from './contract.ts';
import { terminalOperations } from './operations.ts';

export const handler = pipeline(terminals, terminalOperations);
