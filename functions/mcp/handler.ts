import { pipeline, routeTable } from '#http';
import { events } from '../events/contract.ts';
import { eventOperations } from '../events/operations.ts';
import { domains } from '../webhooks/domains.ts';
import { mcp } from './contract.ts';
import { mcpOperations } from './operations.ts';

export const handler = pipeline(mcp, mcpOperations([...domains, routeTable(events, eventOperations)]));
