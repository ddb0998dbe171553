import * as integrationSecrets from '#auth/integration-secrets';
import type { Tenant } from '#table';
import { readCredentialsOf, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import { stageRotation } from '../functions/integrations/rotate.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { asOperator, PLATFORM, tenantOf } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';

/**
 * The operator manages the platform's own integrations without a token, so that a lost or leaked key can be replaced.
 */

export interface PlatformKey {
  readonly id: string;
  readonly app_code: string;
  readonly display_name: string;
  readonly status: 'active' | 'inactive';
  readonly created_at: string | null;
}

/** All integrations of the platform, the oldest first. */
export async function platformKeys(): Promise<readonly PlatformKey[]> {
  const keys: PlatformKey[] = [];
  for await (const { record } of tenantOf(PLATFORM).records(integrationEntity).all()) {
    const { id, app_code, display_name, status, created_at } = record;
    keys.push({ id, app_code, display_name, status, created_at });
  }
  return keys;
}

/**
 * Sets a key inactive: it cannot log in, and its tokens end.
 * @returns whether it was active
 * @throws OperatorProblem when the platform has no such key
 */
export const disablePlatformKey = (appCode: string): Promise<boolean> =>
  asOperator('disablePlatformKey', PLATFORM, async (platform) => {
    const { stored, credentials } = await keyOf(platform, appCode);
    if (stored.record.status === 'inactive' && credentials.status === 'inactive') return false;
    await platform.records(integrationEntity).update(stored, { status: 'inactive' }, { alsoAudited: ['tokens'] });
    stageCredentialsChange(platform, stored.record, { status: 'inactive' });
    stageTokensEnd(platform, stored.record);
    return true;
  });

interface NewSecret {
  readonly id: string;
  readonly app_code: string;
  readonly secret: string;
  /** When the previous secret ends; null: it has ended. */
  readonly previous_expires_at: string | null;
}

/**
 * Gives a key a new secret. `previousValidFor`: seconds for which the previous one is still valid; 0 also ends all
 * tokens.
 * @throws OperatorProblem when the platform has no such key
 */
export const rotatePlatformKey = (appCode: string, previousValidFor: number): Promise<NewSecret> =>
  asOperator('rotatePlatformKey', PLATFORM, async (platform) => {
    const { stored, credentials } = await keyOf(platform, appCode);
    const fields = previousValidFor === 0 ? ['secret', 'tokens'] : ['secret'];
    await platform.auditLog('Integration').changed(stored.record.id, fields);
    const { secret, previousExpiresAt } = await stageRotation(platform, stored.record, credentials, {
      secret: integrationSecrets.generate(),
      knownWith: null,
      previous_valid_for: previousValidFor,
    });
    return { id: stored.record.id, app_code: appCode, secret, previous_expires_at: previousExpiresAt };
  });

async function keyOf(platform: Tenant, appCode: string) {
  const credentials = await readCredentialsOf(platform, appCode);
  const stored = credentials && (await platform.records(integrationEntity).get(credentials.integration_id));
  if (stored === undefined || credentials === undefined) {
    throw new OperatorProblem(
      `The platform has no key ${appCode}: custodia platform-keys list shows those that it has.`,
    );
  }
  return { stored, credentials };
}
