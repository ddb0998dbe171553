import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentTable, NotUnique, StaleRead } from '#table';
import { readCredentials } from '#tenancy';
import { createPlatformIntegration, renewPlatformIntegration } from '../functions/integrations/platform.ts';
import * as integrationSecrets from '../functions/integrations/secrets.ts';
import { SetupError } from '../shared/errors.ts';
import { createPrivateFile } from '../shared/private-file.ts';

/** The platform integration of a local installation (`docs/decisions/0006`). */

const APP_CODE = 'platform';
/** The file in `DATA_DIR` with the secret that was made at the first start. */
const SECRET_FILE = 'platform-secret';

interface Options {
  /** The directory of the secret that is made when none is given. */
  readonly dataDir: string;
  /** `PLATFORM_SECRET` */
  readonly secret?: string;
}

/**
 * Ensures that the platform integration exists, is active, and has this secret or the one in `dataDir`. The functions'
 * environment must be set.
 * @throws SetupError when the text is not a secret
 */
export async function ensurePlatformIntegration({ dataDir, secret: given }: Options) {
  const secret = given === undefined ? await keptSecret(join(dataDir, SECRET_FILE)) : await strong(given);
  for (let tries = 1; ; tries++) {
    try {
      await writeIntegration(secret);
      return { appCode: APP_CODE, secret };
    } catch (error) {
      // Another process on the same table does the same concurrently.
      if (!(error instanceof NotUnique || error instanceof StaleRead) || tries === MAX_TRIES) throw error;
    }
  }
}

const MAX_TRIES = 5;

async function keptSecret(file: string): Promise<string> {
  await createPrivateFile(file, `${integrationSecrets.generate()}\n`);
  return checked((await readFile(file, 'utf8')).trim(), `The content of ${file}`);
}

function checked(secret: string, source: string): string {
  const result = integrationSecrets.supplied().safeParse(secret);
  if (result.success) return secret;
  throw new SetupError(`${source} cannot be a secret: it ${result.error.issues[0]?.message}.`);
}

async function strong(given: string): Promise<string> {
  if (await integrationSecrets.isStrong(checked(given, 'PLATFORM_SECRET'), APP_CODE)) return given;
  throw new SetupError('PLATFORM_SECRET is too easy to guess; leave it unset to have one made.');
}

async function writeIntegration(secret: string): Promise<void> {
  const table = environmentTable();
  const found = await readCredentials(table, { orgId: null, appCode: APP_CODE });
  if (found === undefined) {
    await createPlatformIntegration({ app_code: APP_CODE, display_name: 'Platform', secret });
  } else if (found.status !== 'active' || !integrationSecrets.find(found.secrets, secret, Date.now())) {
    await renewPlatformIntegration(found, secret);
  }
}
