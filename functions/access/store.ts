import { noSuchRecord } from '#http';
import { claimed, entity, set, storedAs, words } from '#table';
import { membership, role, type User, user } from './contract.ts';

export const roleEntity = entity('ROLE', role, { audited: 'Role', journaled: {} });

/** A user as stored: its memberships are counted from the first one on, so that it is not deleted while it has any. */
export interface StoredUser extends User {
  readonly membership_count?: number;
}

export const userEntity = entity('USER', storedAs<StoredUser>(user), {
  indexes: [set('is_active'), words(['name', 'email']), claimed('email'), claimed('external_id')],
  audited: 'User',
  journaled: { history: true },
});

export const membershipEntity = entity('MEMBERSHIP', membership, {
  indexes: [set('user_id')],
  counted: {
    user_id: { by: userEntity, counts: { membership_count: 'all' }, onMissing: noSuchRecord('user_id') },
  },
  json: ['metadata'],
  audited: 'Membership',
  journaled: {},
});
