import { noSuchRecord } from '#http';
import { claimed, entity, set, words } from '#table';
import { membership, role, user } from './contract.ts';

export const roleEntity = entity('ROLE', role, { audited: 'Role', journaled: {} });

export const userEntity = entity('USER', user, {
  indexes: [set('is_active'), words(['name', 'email']), claimed('email'), claimed('external_id')],
  audited: 'User',
  journaled: { history: true },
});

/** Attribute of a user: how many memberships it has. With any it is not deleted. */
export const MEMBERSHIPS = 'MEMBERSHIPS';

export const membershipEntity = entity('MEMBERSHIP', membership, {
  indexes: [set('user_id')],
  counted: {
    user_id: { by: userEntity, counts: { [MEMBERSHIPS]: 'all' }, onMissing: noSuchRecord('user_id') },
  },
  json: ['metadata'],
  audited: 'Membership',
  journaled: {},
});
