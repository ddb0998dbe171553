import { entity } from '#table';
import { user } from './contract.ts';

export const userEntity = entity('USER', user, {
  filters: ['is_active'],
  words: ['name', 'email'],
  exact: { email: 'claimed' },
  audited: 'User',
  journaled: {},
});
