import { entity } from '../../shared/table/repository/entity.ts';
import { terminal } from './contract.ts';

export const terminalEntity = entity('TERMINAL', terminal, {
  filters: ['client_id', 'status'],
});
