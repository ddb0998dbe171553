import { bytesOf, type Kms } from '@custodia/lean-dynamodb';
import { type Clock, systemClock } from '../clock.ts';
import { keepNewest } from '../memory.ts';
import {
  type DataKey,
  type DataKeyCache,
  type DataKeys,
  type KeyContext,
  UndecryptableText,
} from './envelope-encryption.ts';

interface KmsDataKeysOptions {
  /** How long keys are cached, in milliseconds. A key that is disabled in KMS works for as long in a warm container. */
  readonly lifetime?: number;
  readonly clock?: Clock;
}

/**
 * Data keys from AWS KMS, called for each tenant with the client that `kmsFor` gives. Tenant and purpose are in the
 * encryption context, which KMS checks and CloudTrail logs: a data key can be unwrapped only for its own tenant and
 * purpose, and in AWS only in an STS session of that tenant (`docs/decisions/0050`). Keys are cached for a short time
 * in a warm container, so that a list of encrypted records takes a few calls. A tenant's `DataKeyCache` holds one for
 * all containers, as AWS's hierarchical keyring does (`docs/decisions/0011`).
 * https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html
 */
export function kmsDataKeys(
  masterKeyId: string,
  kmsFor: (tenant: string) => Kms,
  { lifetime = LIFETIME, clock = systemClock }: KmsDataKeysOptions = {},
): DataKeys {
  const current = expiring<DataKey>(lifetime, clock);
  const unwrapped = expiring<Uint8Array>(lifetime, clock);
  const unwrap = (wrapped: string, context: KeyContext): Promise<Uint8Array> =>
    unwrapped(`${nameOf(context)} ${wrapped}`, () => decryptKey(kmsFor(context.tenant), masterKeyId, wrapped, context));
  const generated = async (context: KeyContext): Promise<DataKey> => {
    const made = await generate(kmsFor(context.tenant), masterKeyId, context);
    // A container often decrypts what it has just encrypted.
    await unwrapped(`${nameOf(context)} ${made.wrapped}`, async () => made.key);
    return made;
  };
  const cached = async (context: KeyContext, cache: DataKeyCache): Promise<DataKey> => {
    const wrapped = (await cache.recall()) ?? (await cache.keep((await generated(context)).wrapped));
    return { wrapped, key: await unwrap(wrapped, context) };
  };
  const shared = (context: KeyContext, cache: DataKeyCache): Promise<DataKey> =>
    current(`cache ${cache.name} of ${nameOf(context)}`, () => cached(context, cache));
  return {
    current: (context, cache) =>
      cache === undefined ? current(nameOf(context), () => generated(context)) : shared(context, cache),
    stored: async (context, cache) => (await shared(context, cache)).key,
    unwrap,
  };
}

/** In the caches: of one context, no other has it. */
const nameOf = ({ tenant, purpose }: KeyContext): string => `${tenant} ${purpose ?? ''}`;

/** What KMS binds a data key to, and conditions of policies name (`infra/keys.ts`). */
const encryptionContext = ({ tenant, purpose }: KeyContext): Readonly<Record<string, string>> => ({
  tenant,
  ...(purpose !== undefined && { purpose }),
});

/** In milliseconds. */
const LIFETIME = 60_000;
/** Most keys in the cache; the oldest is evicted first. */
const KEPT = 2_000;

async function generate(kms: Kms, masterKeyId: string, context: KeyContext): Promise<DataKey> {
  const input = { KeyId: masterKeyId, KeySpec: 'AES_256', EncryptionContext: encryptionContext(context) };
  const { Plaintext: key, CiphertextBlob: wrapped } = await kms('GenerateDataKey', input);
  return { key: bytesOf(key), wrapped: Buffer.from(bytesOf(wrapped)).toString('base64url') };
}

/** KMS also throws `InvalidCiphertextException` for another encryption context. */
const UNDECRYPTABLE = /^(InvalidCiphertext|IncorrectKey)Exception$/;

async function decryptKey(kms: Kms, masterKeyId: string, wrapped: string, context: KeyContext): Promise<Uint8Array> {
  const blob = Buffer.from(wrapped, 'base64url').toString('base64');
  const input = { KeyId: masterKeyId, CiphertextBlob: blob, EncryptionContext: encryptionContext(context) };
  const { Plaintext: key } = await kms('Decrypt', input).catch((cause: unknown) => {
    if (!(cause instanceof Error && UNDECRYPTABLE.test(cause.name))) throw cause;
    throw new UndecryptableText('the data key cannot be unwrapped for this tenant and purpose', { cause });
  });
  return bytesOf(key);
}

/** A cache of values by name, each kept for `lifetime` milliseconds. Failures are not kept. */
function expiring<T>(lifetime: number, clock: Clock): (name: string, make: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, { readonly value: Promise<T>; readonly until: number }>();
  return (name, make) => {
    const found = kept.get(name);
    if (found !== undefined && found.until > clock()) return found.value;
    // The promise is kept, so that records which are decrypted at the same time share one call.
    const value = make();
    keepNewest(kept, name, { value, until: clock() + lifetime }, KEPT);
    value.catch(() => {
      if (kept.get(name)?.value === value) kept.delete(name);
    });
    return value;
  };
}
