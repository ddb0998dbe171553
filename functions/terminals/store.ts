import { entity } from '#table';
import { terminal } from './contract.ts';

export const terminalEntity = entity('TERMINAL', terminal, {
  filters: ['client_id', 'status'],
  words: ['name', 'location'],
  journaled: {},
});
