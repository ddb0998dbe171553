import { entity, set } from '#table';
import { membership, role } from './contract.ts';

export const roleEntity = entity('ROLE', role, { audited: 'Role', journaled: {} });

export const membershipEntity = entity('MEMBERSHIP', membership, {
  indexes: [set('user_id')],
  json: ['metadata'],
  audited: 'Membership',
  journaled: {},
});
