import { anyText, isWellFormed, matching, nonEmptyText } from '../well-formed.ts';
import { codesThatAllow } from './permissions.ts';

/**
 * The caller, as verified by the authorizer or by a webhook's signature. A `Caller` is made only from one of the two,
 * and a tenant handle only from a `Caller`. That is the boundary between tenants (`docs/decisions/0006`).
 */

/** What the authorizer passes on. API Gateway allows only strings. */
export interface AuthorizerContext {
  readonly integration_id: string;
  readonly app_code: string;
  /** Empty for a platform caller. */
  readonly org_id: string;
  /** The token's own id. */
  readonly token_id: string;
  /** The token's `epoch` (`tokens.ts`). */
  readonly token_epoch: string;
  /** The token's `secret_id`; empty where it has none. */
  readonly secret_id: string;
  /** Expiry of the token, in epoch seconds. */
  readonly expires_at: string;
  /** Permission codes, separated by spaces; `*` for all of the tenant. */
  readonly permissions: string;
  /** Requests a minute; empty for the stage's standard. */
  readonly rate_limit: string;
}

const RATE_LIMIT = matching(/^([1-9]\d*)?$/);

const CONTEXT = {
  integration_id: nonEmptyText,
  app_code: nonEmptyText,
  org_id: anyText,
  token_id: nonEmptyText,
  token_epoch: matching(/^\d+$/),
  secret_id: anyText,
  expires_at: matching(/^\d+$/),
  permissions: anyText,
  rate_limit: (value: unknown) => value === undefined || RATE_LIMIT(value),
};

const verified = Symbol('verified');

export interface Caller {
  readonly [verified]: true;
  readonly integrationId: string;
  readonly appCode: string;
  /** Null for a platform caller. */
  readonly orgId: string | null;
  /** How it authenticated: with a token, or as the sender of a webhook with a signature. */
  readonly proof: 'token' | 'signature';
  /** Null without a token. */
  readonly tokenId: string | null;
  /** The `token_epoch` of the caller's credentials when its token was made, or when they were read for a webhook. */
  readonly tokenEpoch: number;
  /** Id of the secret behind the token or signature; null for a secret from before such ids. */
  readonly secretId: string | null;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Null: all permissions of the tenant. */
  readonly permissions: ReadonlySet<string> | null;
  /** Requests a minute; null: the stage's standard. */
  readonly rateLimit: number | null;
}

/** The caller in the authorizer's context of a proxy event; undefined when it is missing or incomplete. */
export function callerOf(context: unknown): Caller | undefined {
  if (!isWellFormed<AuthorizerContext>(context, CONTEXT)) return undefined;
  const { token_id, token_epoch, secret_id, expires_at, permissions, rate_limit = '', ...named } = context;
  const { integration_id, app_code, org_id } = named;
  return {
    [verified]: true,
    proof: 'token',
    integrationId: integration_id,
    appCode: app_code,
    orgId: org_id === '' ? null : org_id,
    tokenId: token_id,
    tokenEpoch: Number(token_epoch),
    secretId: secret_id === '' ? null : secret_id,
    expiresAt: Number(expires_at),
    permissions: permissions === '*' ? null : new Set(permissions.split(' ').filter((code) => code !== '')),
    rateLimit: rate_limit === '' ? null : Number(rate_limit),
  };
}

/** The sender of a webhook, from its credentials as they were read. */
export interface WebhookSender
  extends Pick<Caller, 'integrationId' | 'appCode' | 'orgId' | 'tokenEpoch' | 'secretId' | 'rateLimit'> {
  readonly permissions: readonly string[] | null;
}

/** The caller that has signed a webhook. It has no token that could expire. */
export const callerBySignature = ({ permissions, ...signer }: WebhookSender): Caller => ({
  ...signer,
  [verified]: true,
  proof: 'signature',
  tokenId: null,
  expiresAt: 0,
  permissions: permissions && new Set(permissions),
});

/**
 * Whether the caller has a permission, by its own code or by one that includes it.
 * @example if (!mayDo(caller, 'clients:write')) throw new Problem('forbidden');
 */
export const mayDo = ({ permissions }: Caller, permission: string): boolean =>
  permissions === null || codesThatAllow(permission).some((code) => permissions.has(code));

/**
 * Who does something: an integration, an anonymous caller, the operator on the command line, or the service by itself.
 */
export type Actor =
  | { readonly type: 'integration'; readonly integrationId: string; readonly appCode: string }
  | { readonly type: 'anonymous' }
  | { readonly type: 'operator' }
  | { readonly type: 'service' };

/** What an audit event records of the request that made a change. */
export interface Origin {
  readonly actor: Actor;
  /** Id of the operation: `rotateSecret`. */
  readonly operation: string;
  readonly requestId: string | null;
  readonly sourceAddress: string | null;
}

export const actorOf = (caller: Caller | undefined): Actor =>
  caller === undefined
    ? { type: 'anonymous' }
    : { type: 'integration', integrationId: caller.integrationId, appCode: caller.appCode };
