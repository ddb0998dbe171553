// Made by `npm run docs` from the contracts. Do not edit.
import { type RouteTable, routeTable } from '#http';

async function access(): Promise<RouteTable> {
  const { access } = await import('../access/contract.ts');
  const { accessOperations } = await import('../access/operations.ts');
  return routeTable(access, accessOperations);
}

async function clients(): Promise<RouteTable> {
  const { clients } = await import('../clients/contract.ts');
  const { clientOperations } = await import('../clients/operations.ts');
  return routeTable(clients, clientOperations);
}

async function logs(): Promise<RouteTable> {
  const { logs } = await import('../logs/contract.ts');
  const { logOperations } = await import('../logs/operations.ts');
  return routeTable(logs, logOperations);
}

async function resources(): Promise<RouteTable> {
  const { resources } = await import('../resources/contract.ts');
  const { resourceOperations } = await import('../resources/operations.ts');
  return routeTable(resources, resourceOperations);
}

async function serviceActions(): Promise<RouteTable> {
  const { serviceActions } = await import('../service-actions/contract.ts');
  const { serviceActionOperations } = await import('../service-actions/operations.ts');
  return routeTable(serviceActions, serviceActionOperations);
}

async function services(): Promise<RouteTable> {
  const { services } = await import('../services/contract.ts');
  const { serviceOperations } = await import('../services/operations.ts');
  return routeTable(services, serviceOperations);
}

async function terminals(): Promise<RouteTable> {
  const { terminals } = await import('../terminals/contract.ts');
  const { terminalOperations } = await import('../terminals/operations.ts');
  return routeTable(terminals, terminalOperations);
}

async function tickets(): Promise<RouteTable> {
  const { tickets } = await import('../tickets/contract.ts');
  const { ticketOperations } = await import('../tickets/operations.ts');
  return routeTable(tickets, ticketOperations);
}

async function users(): Promise<RouteTable> {
  const { users } = await import('../users/contract.ts');
  const { userOperations } = await import('../users/operations.ts');
  return routeTable(users, userOperations);
}

/** How to load the domain of an event, by event type: those with an effect, which a route declares. */
export const domains: ReadonlyMap<string, () => Promise<RouteTable>> = new Map([
  ['role.created', access],
  ['membership.updated', access],
  ['client.created', clients],
  ['client.updated', clients],
  ['log.ingested', logs],
  ['resource.created', resources],
  ['resource.updated', resources],
  ['resource.deleted', resources],
  ['resource.metrics_reported', resources],
  ['service_action.created', serviceActions],
  ['service.created', services],
  ['service.updated', services],
  ['service.deleted', services],
  ['terminal.created', terminals],
  ['terminal.updated', terminals],
  ['ticket.created', tickets],
  ['ticket.updated', tickets],
  ['ticket.deleted', tickets],
  ['ticket_message.created', tickets],
  ['user.created', users],
  ['user.updated', users],
  ['membership.created', users],
]);
