import { claimed, entity, set, words } from '#table';
import { terminal } from './contract.ts';

export const terminalEntity = entity('TERMINAL', terminal, {
  indexes: [set('client_id'), set('status'), words(['name', 'location']), claimed('external_id')],
  ofClient: 'client_id',
  journaled: { history: true },
});
