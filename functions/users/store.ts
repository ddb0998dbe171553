import { entity, ignoringCase } from '../../shared/table/repository/entity.ts';
import type { User } from './contract.ts';

export const userEntity = entity<User>('USER', {
  filters: ['is_active'],
  unique: { email: ignoringCase },
  audited: 'User',
});
