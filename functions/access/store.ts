import { noSuchRecord } from '#http';
import { claimed, entity, set, words } from '#table';
import { IDENTITIES, identityProviderEntity } from '../identity-providers/store.ts';
import { identity, membership, role, user } from './contract.ts';

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

/**
 * Its stored `subject` begins with the provider's id: it is unique within a provider. Audit events are of the user: ten
 * identities and their user are deleted in one transaction, which has no room for more.
 */
export const identityEntity = entity('IDENTITY', identity, {
  indexes: [set('user_id'), set('provider_id')],
  counted: {
    provider_id: {
      by: identityProviderEntity,
      counts: { [IDENTITIES]: 'all' },
      onMissing: noSuchRecord('provider_id'),
    },
  },
});
