import { entity } from '../../shared/table/repository/entity.ts';
import { integration } from './contract.ts';

/** An integration in its tenant. Its secrets are stored with its credentials (`shared/table/system/credentials.ts`). */
export const integrationEntity = entity('INTEGRATION', integration, {
  filters: ['status'],
  json: ['metadata'],
  audited: 'Integration',
});
