import { pipeline } from '../../shared/http/pipeline.ts';
import { tickets } from './contract.ts';
import { ticketOperations } from './operations.ts';

export const handler = pipeline(tickets, ticketOperations);
