import { entity } from '../../shared/table/repository/entity.ts';
import { integration } from './contract.ts';

/** An integration in its tenant. Its secrets are not here but with its credentials (`shared/table/system/credentials.ts`). */
export const integrationEntity = entity('INTEGRATION', integration, {
  filters: ['status'],
  json: ['metadata'],
  audited: 'Integration',
});
