import { routeTable } from '#http';
import { access } from '../access/contract.ts';
import { accessOperations } from '../access/operations.ts';
import { clients } from '../clients/contract.ts';
import { clientOperations } from '../clients/operations.ts';
import { logs } from '../logs/contract.ts';
import { logOperations } from '../logs/operations.ts';
import { maintenanceWindows } from '../maintenance-windows/contract.ts';
import { windowOperations } from '../maintenance-windows/operations.ts';
import { resources } from '../resources/contract.ts';
import { resourceOperations } from '../resources/operations.ts';
import { serviceActions } from '../service-actions/contract.ts';
import { serviceActionOperations } from '../service-actions/operations.ts';
import { services } from '../services/contract.ts';
import { serviceOperations } from '../services/operations.ts';
import { terminals } from '../terminals/contract.ts';
import { terminalOperations } from '../terminals/operations.ts';
import { tickets } from '../tickets/contract.ts';
import { ticketOperations } from '../tickets/operations.ts';
import { users } from '../users/contract.ts';
import { userOperations } from '../users/operations.ts';

/** The domains whose routes declare events. */
export const domains = [
  routeTable(access, accessOperations),
  routeTable(clients, clientOperations),
  routeTable(logs, logOperations),
  routeTable(maintenanceWindows, windowOperations),
  routeTable(resources, resourceOperations),
  routeTable(serviceActions, serviceActionOperations),
  routeTable(services, serviceOperations),
  routeTable(terminals, terminalOperations),
  routeTable(tickets, ticketOperations),
  routeTable(users, userOperations),
];
