import { claimed, entity, set, words } from '#table';
import { user } from './contract.ts';

export const userEntity = entity('USER', user, {
  indexes: [set('is_active'), words(['name', 'email']), claimed('email')],
  audited: 'User',
  journaled: {},
});
