import { entity } from '#table';
import { user } from './contract.ts';

export const userEntity = entity('USER', user, {
  filters: ['is_active'],
  audited: 'User',
  journaled: { verbs: ['created', 'updated'] },
});
