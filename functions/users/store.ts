import { entity, exact, set, words } from '#table';
import { user } from './contract.ts';

export const userEntity = entity('USER', user, {
  indexes: [set('is_active'), words(['name', 'email']), exact('email')],
  audited: 'User',
  journaled: {},
});
