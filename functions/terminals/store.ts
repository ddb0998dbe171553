import { entity } from '../../shared/table/repository/entity.ts';
import type { Terminal } from './contract.ts';

export const terminalEntity = entity<Terminal>('TERMINAL', {
  filters: ['client_id', 'status'],
});
