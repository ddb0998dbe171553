import { claimed, entity, set } from '#table';
import { itemOfAppCode } from '#tenancy';
import { integration } from './contract.ts';

/** An integration. Its secrets are stored with its credentials (`shared/tenancy/stored-credentials.ts`). */
export const integrationEntity = entity('INTEGRATION', integration, {
  indexes: [set('status'), claimed('app_code', itemOfAppCode)],
  json: ['metadata'],
  audited: 'Integration',
  journaled: {},
});
