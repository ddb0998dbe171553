import { entity } from '../../shared/table/entity.ts';
import type { Integration } from './contract.ts';

/** An integration in its tenant. Its secrets are not here but with its credentials (`shared/table/credentials.ts`). */
export interface StoredIntegration extends Integration {
  /** Permission codes; null: all of the tenant. */
  readonly permissions: readonly string[] | null;
}

export const integrationEntity = entity<StoredIntegration>('INTEGRATION', {
  filters: [['status']],
  json: ['metadata'],
});
