import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { SetupError } from '../errors.ts';
import { lazily } from '../memory.ts';
import { createPrivateFile } from '../private-file.ts';
import { type PublicKey, publicKeyOf, type TokenSigner } from './token-keys.ts';

/**
 * The keys of a local installation, in a file that only its owner may read. It replaces KMS.
 *
 *     { "version": 1, "signing": [{ "kty": "OKP", "crv": "Ed25519", "x": …, "d": … }], "secrets": "<base64url>" }
 *
 * The first signing key signs, all of them verify: to rotate, put a new one first and remove the old one an hour later.
 */
export interface LocalKeys {
  readonly signer: TokenSigner;
  readonly published: readonly PublicKey[];
  /** AES-256 key of secrets. */
  readonly secretsKey: Buffer;
}

const KEY_BYTES = 32;
const coordinate = () => z.string().regex(/^[\w-]{43}$/);

const fileSchema = lazily(() =>
  z.strictObject({
    version: z.literal(1),
    signing: z
      .array(z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: coordinate(), d: coordinate() }))
      .min(1),
    secrets: coordinate(),
  }),
);
type KeyFile = z.output<ReturnType<typeof fileSchema>>;

/**
 * Creates the key file with mode 0600 if it is missing, else checks it. When several processes do this at once, one
 * creates the file and all use it.
 * @throws SetupError
 */
export async function ensureLocalKeys(path: string): Promise<void> {
  try {
    await createPrivateFile(path, `${JSON.stringify(newKeys(), undefined, 2)}\n`);
  } catch (error) {
    throw new SetupError(`The key file ${path} cannot be made (${codeOf(error)}): make its directory writable.`, {
      cause: error,
    });
  }
  await readLocalKeys(path);
}

/** @throws SetupError when the file is missing or damaged */
export async function readLocalKeys(path: string): Promise<LocalKeys> {
  const { signing, secrets } = parsed(path, await content(path));
  const published = await Promise.all(signing.map((jwk) => publicKeyOf(publicHalf(path, jwk))));
  const [own] = signing;
  const [first] = published;
  if (own === undefined || first === undefined) throw damaged(path, 'it holds no signing key');
  const key = createPrivateKey({ key: own, format: 'jwk' });
  return {
    signer: { kid: first.kid, algorithm: first.alg, sign: async (bytes) => sign(null, bytes, key) },
    published,
    secretsKey: Buffer.from(secrets, 'base64url'),
  };
}

function newKeys(): KeyFile {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return fileSchema().parse({
    version: 1,
    signing: [{ kty, crv, x, d }],
    secrets: randomBytes(KEY_BYTES).toString('base64url'),
  });
}

async function content(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new SetupError(`The key file ${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
}

function parsed(path: string, text: string): KeyFile {
  try {
    return fileSchema().parse(JSON.parse(text));
  } catch (error) {
    throw damaged(path, error instanceof SyntaxError ? 'it is not JSON' : 'a key is missing or malformed', error);
  }
}

/** The public key computed from the private one; it must equal the `x` of the file. */
function publicHalf(path: string, jwk: KeyFile['signing'][number]) {
  const key = createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' }));
  if (key.export({ format: 'jwk' }).x !== jwk.x) throw damaged(path, 'the halves of a signing key do not match');
  return key;
}

const damaged = (path: string, reason: string, cause?: unknown): SetupError =>
  new SetupError(
    `The key file ${path} is damaged (${reason}): restore it, or delete it together with the data it protects to ` +
      'start anew.',
    { cause },
  );

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? error);
