import type { Contract } from '#contract';
import { access } from './access/contract.ts';
import { clients } from './clients/contract.ts';
import { maintenanceWindows } from './maintenance-windows/contract.ts';
import { resources } from './resources/contract.ts';
import { serviceActions } from './service-actions/contract.ts';
import { services } from './services/contract.ts';
import { terminals } from './terminals/contract.ts';
import { tickets } from './tickets/contract.ts';
import { users } from './users/contract.ts';

/** The domains of an organization's records, whose routes a batch takes (`batch/`). */
export const recordContracts: readonly Contract[] = [
  clients,
  services,
  resources,
  maintenanceWindows,
  serviceActions,
  terminals,
  tickets,
  users,
  access,
];
