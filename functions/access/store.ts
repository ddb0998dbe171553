import { entity, exactly } from '../../shared/table/repository/entity.ts';
import type { Membership, Role } from './contract.ts';

export const roleEntity = entity<Role>('ROLE', { unique: { code: exactly }, audited: 'Role' });

export const membershipEntity = entity<Membership>('MEMBERSHIP', {
  filters: ['user_id'],
  json: ['metadata'],
  audited: 'Membership',
});
