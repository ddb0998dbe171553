import { randomBytes } from 'node:crypto';
import { ENDPOINT_SECRETS, environmentEncryption } from '#auth';
import type { Tenant } from '#table';
import { dataKeyCache } from '#tenancy';

/**
 * Secrets that sign deliveries to webhook endpoints. Unlike those of integrations they log nobody in, so there is no
 * hash of them. Their data keys have a purpose of their own, so that the role that delivers decrypts them and nothing
 * else (`docs/decisions/0011`, `infra/keys.ts`).
 */

type Encryption = Awaited<ReturnType<typeof environmentEncryption>>;

/** The endpoint that a secret belongs to, by its id. */
interface Owner {
  readonly tenant: Tenant;
  readonly id: string;
}

/** Standard Webhooks asks for 24 to 64. */
const RANDOM_BYTES = 32;

/** A new secret in the form of Standard Webhooks: 256 random bits. */
export const generate = (): string => `whsec_${randomBytes(RANDOM_BYTES).toString('base64')}`;

/**
 * A secret in the form in which it is stored.
 * @param encryption by default the one of the environment
 */
export const seal = async (owner: Owner, secret: string, encryption?: Encryption): Promise<string> =>
  (encryption ?? (await environmentEncryption())).encrypt(
    secret,
    contextOf(owner),
    dataKeyCache(owner.tenant, { purpose: ENDPOINT_SECRETS }),
  );

/**
 * The secret of a stored form, in plain text.
 * @param encryption by default the one of the environment
 * @throws UndecryptableText when it belongs to another endpoint or tenant, or has changed
 */
export const open = async (owner: Owner, sealed: string, encryption?: Encryption): Promise<string> =>
  (encryption ?? (await environmentEncryption())).decrypt(sealed, contextOf(owner));

const contextOf = ({ tenant, id }: Owner) =>
  ({
    tenant: tenant.id,
    record: `webhook-endpoint/${id}`,
    purpose: ENDPOINT_SECRETS,
  }) as const;
