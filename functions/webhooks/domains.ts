import { access } from '../access/contract.ts';
import { accessOperations } from '../access/operations.ts';
import { clients } from '../clients/contract.ts';
import { clientOperations } from '../clients/operations.ts';
import { logs } from '../logs/contract.ts';
import { logOperations } from '../logs/operations.ts';
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
import type { Domain } from './effects.ts';

/**
 * The domains whose events have an effect. Integrations and organizations are not among them: whoever holds a key must not make
 * others with it by webhook, and a new secret would have nobody to be shown to.
 */
export const domains: readonly Domain[] = [
  { contract: access, operations: accessOperations },
  { contract: clients, operations: clientOperations },
  { contract: logs, operations: logOperations },
  { contract: resources, operations: resourceOperations },
  { contract: serviceActions, operations: serviceActionOperations },
  { contract: services, operations: serviceOperations },
  { contract: terminals, operations: terminalOperations },
  { contract: tickets, operations: ticketOperations },
  { contract: users, operations: userOperations },
];
