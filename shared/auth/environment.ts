import { type CallerClient, type Kms, kmsOf } from '@custodia/lean-dynamodb';
import { environmentTable, tenantClient } from '#table';
import { increment } from '#telemetry';
import { type EnvelopeEncryption, envelopeEncryption, localDataKeys } from './envelope-encryption.ts';
import { kmsDataKeys } from './kms-data-keys.ts';
import { kmsPublicKey, kmsSigner } from './kms-keys.ts';
import { readLocalKeys } from './local-keys.ts';
import type { PublicKey, TokenSigner } from './token-keys.ts';

/**
 * The keys of this function, from its environment. Each is loaded on first use and kept for the life of the container.
 *
 * | variable               | meaning                                                                             |
 * |------------------------|-------------------------------------------------------------------------------------|
 * | `KEY_FILE`             | the local key file (`local-keys.ts`); where it is set, the others are ignored        |
 * | `SIGNING_KEY_ID`       | KMS key that signs tokens                                                           |
 * | `VERIFICATION_KEY_IDS` | further KMS keys whose tokens are accepted, comma-separated, during a key rotation  |
 * | `SECRETS_KEY_ID`       | KMS key that wraps the data keys of secrets                                         |
 */

/** The key that signs tokens. @throws Error when no key is set; SetupError */
export const environmentSigner = (): Promise<TokenSigner> =>
  once('signer', async () => {
    const file = process.env.KEY_FILE;
    if (file) return (await readLocalKeys(file)).signer;
    const keyId = required('SIGNING_KEY_ID');
    return kmsSigner(ownKms(), keyId, await publicKeyOfKms(keyId));
  });

/**
 * Begins to load the signer before it is needed, once in a container: where that fails, only who needs the signer tries
 * again, and nobody who is refused can have KMS called once more. Best effort.
 */
export const prepareSigner = (): Promise<void> =>
  once('signer in advance', () =>
    environmentSigner().then(
      () => undefined,
      () => undefined,
    ),
  );

/** All keys whose tokens are accepted. @throws as {@link environmentSigner} */
export const environmentPublicKeys = (): Promise<readonly PublicKey[]> =>
  once('public keys', async () => {
    const file = process.env.KEY_FILE;
    if (file) return (await readLocalKeys(file)).published;
    const others = (process.env.VERIFICATION_KEY_IDS ?? '').split(',').filter((id) => id !== '');
    return Promise.all([required('SIGNING_KEY_ID'), ...others].map(publicKeyOfKms));
  });

/** Read once in a container, whoever asks first: the signer, or who verifies. */
const publicKeyOfKms = (keyId: string): Promise<PublicKey> =>
  once(`public key ${keyId}`, () => kmsPublicKey(ownKms(), keyId));

/**
 * The encryption of secrets. @throws as {@link environmentSigner}
 * @example await (await environmentEncryption()).encrypt(secret, { tenant: tenant.id, record: `app/${code}` })
 */
export const environmentEncryption = (): Promise<EnvelopeEncryption> =>
  once('encryption', async () => {
    const file = process.env.KEY_FILE;
    return envelopeEncryption(
      file ? localDataKeys((await readLocalKeys(file)).secretsKey) : kmsDataKeys(required('SECRETS_KEY_ID'), tenantKms),
    );
  });

/** KMS with the function's own rights. */
const ownKms = () => countedKms(environmentTable().client);

/** KMS with the rights of a tenant's STS session. */
const tenantKms = (tenant: string) => countedKms(tenantClient(tenant));

const countedKms =
  (client: CallerClient): Kms =>
  (operation, input) => {
    increment('KmsCalls');
    return kmsOf(client)(operation, input);
  };

const VARIABLES = ['KEY_FILE', 'SIGNING_KEY_ID', 'VERIFICATION_KEY_IDS', 'SECRETS_KEY_ID'] as const;
const found = new Map<string, Promise<unknown>>();

/** The environment is part of the cache's key: a process may start the service twice with different variables. */
function once<T>(what: string, find: () => Promise<T>): Promise<T> {
  const name = JSON.stringify([what, ...VARIABLES.map((variable) => process.env[variable])]);
  const known = found.get(name) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const value = find();
  found.set(name, value);
  value.catch(() => found.delete(name));
  return value;
}

function required(variable: (typeof VARIABLES)[number]): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} is not set, and no KEY_FILE either`);
  return value;
}
