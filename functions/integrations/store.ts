import { entity } from '#table';
import { integration } from './contract.ts';

/** An integration in its tenant. Its secrets are stored with its credentials (`shared/tenancy/stored-credentials.ts`). */
export const integrationEntity = entity('INTEGRATION', integration, {
  filters: ['status'],
  json: ['metadata'],
  audited: 'Integration',
  journaled: { verbs: ['created', 'updated'] },
});
