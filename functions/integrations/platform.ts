import { environmentTable } from '../../shared/table/client.ts';
import { PLATFORM } from '../../shared/table/keys.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { registerIntegration } from './register.ts';

/** The platform's integrations as the operator makes them, who needs no token: whoever reaches table and keys is trusted already. */

/** How long a change may take, in milliseconds. */
const PATIENCE = 10_000;

/** Runs a change in the platform's tenant and commits it. */
export async function onPlatform<T>(change: (platform: Tenant) => Promise<T>): Promise<T> {
  const session = new Session(environmentTable(), Date.now(), Date.now() + PATIENCE);
  try {
    const result = await change(Tenant.ofCredentials({ tenant: PLATFORM }, session));
    await session.commit();
    return result;
  } catch (error) {
    await session.abandon(error);
    throw error;
  }
}

interface Asked {
  readonly app_code: string;
  readonly display_name: string;
  /** One is made when there is none. */
  readonly secret?: string | undefined;
}

/**
 * Creates an integration of the platform and answers its id and secret.
 * @throws NotUnique when the app code is taken
 */
export const createPlatformIntegration = (asked: Asked): Promise<{ readonly id: string; readonly secret: string }> =>
  onPlatform(async (platform) => {
    const registered = await registerIntegration(platform, { ...asked, status: 'active', metadata: null });
    return { id: registered.stored.record.id, secret: registered.secret };
  });
