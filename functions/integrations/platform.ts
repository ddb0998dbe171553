import { RequestSession, StaleRead, Tenant } from '#table';
import { type Credentials, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import { registerIntegration } from './register.ts';
import * as integrationSecrets from './secrets.ts';
import { integrationEntity } from './store.ts';

/** Integrations of the platform. The operator creates them without a token: access to table and keys suffices. */

/** How long a change may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Runs a change in the platform's tenant and commits it. `operation`: its name in audit events. */
async function onPlatform<T>(operation: string, change: (platform: Tenant) => Promise<T>): Promise<T> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS);
  session.audit.origin = { actor: { type: 'operator' }, operation, requestId: null, sourceAddress: null };
  try {
    const result = await change(Tenant.ofPlatform(session));
    await session.commit();
    return result;
  } catch (error) {
    await session.abandon(error);
    throw error;
  }
}

interface NewIntegration {
  readonly app_code: string;
  readonly display_name: string;
  /** Generated when it is missing. */
  readonly secret?: string | undefined;
}

/**
 * Creates an integration of the platform.
 * @throws NotUnique when the app code is taken
 */
export const createPlatformIntegration = (
  fields: NewIntegration,
): Promise<{ readonly id: string; readonly secret: string }> =>
  onPlatform('createPlatformKey', async (platform) => {
    const integration = {
      ...fields,
      status: 'active',
      permissions: null,
      metadata: null,
      rate_limit: null,
      webhook_tolerance_seconds: null,
    } as const;
    const registered = await registerIntegration(platform, integration, 'operator');
    return { id: registered.stored.record.id, secret: registered.secret };
  });

/**
 * Sets an integration of the platform active, with this secret as its only one. All of its tokens end.
 * @throws StaleRead when it was deleted or has changed meanwhile
 */
export const renewPlatformIntegration = (found: Credentials, secret: string): Promise<void> =>
  onPlatform('renewPlatformKey', async (platform) => {
    const records = platform.records(integrationEntity);
    const integration = await records.get(found.integration_id);
    if (integration === undefined) throw new StaleRead('the platform integration was deleted');
    const stored = await integrationSecrets.seal(found, secret, null);
    if (integration.record.status !== 'active') await records.update(integration, { status: 'active' });
    await platform.auditLog('Integration').changed(integration.record.id, ['secret', 'tokens']);
    stageCredentialsChange(platform, integration.record, { status: 'active', secrets: [stored] });
    stageTokensEnd(platform, integration.record);
  });
