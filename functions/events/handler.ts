import { pipeline } from '#http';
import { events } from './contract.ts';
import { eventOperations } from './operations.ts';

export const handler = pipeline(events, eventOperations);
