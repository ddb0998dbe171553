import { entity } from '../../shared/table/repository/entity.ts';
import type { Integration } from './contract.ts';

/** An integration in its tenant. Its secrets are not here but with its credentials (`shared/table/system/credentials.ts`). */
export const integrationEntity = entity<Integration>('INTEGRATION', {
  filters: ['status'],
  json: ['metadata'],
  audited: 'Integration',
});
