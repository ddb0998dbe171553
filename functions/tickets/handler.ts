import { pipeline } from '#http';
import { tickets } from './contract.ts';
import { ticketOperations } from './operations.ts';

export const handler = pipeline(tickets, ticketOperations);
