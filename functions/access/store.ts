import { claimed, entity, set, words } from '#table';
import { membership, role, user } from './contract.ts';

export const roleEntity = entity('ROLE', role, { audited: 'Role', journaled: {} });

export const membershipEntity = entity('MEMBERSHIP', membership, {
  indexes: [set('user_id')],
  json: ['metadata'],
  audited: 'Membership',
  journaled: {},
});

export const userEntity = entity('USER', user, {
  indexes: [set('is_active'), words(['name', 'email']), claimed('email')],
  audited: 'User',
  journaled: { history: true },
});
