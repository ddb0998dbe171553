import { anyText, isWellFormed, matching, nonEmptyText, optional } from '../well-formed.ts';
import { codesThatAllow, type Permissions, withReading } from './permissions.ts';
import { clientPermissionsIn, userContextIn } from './user-context.ts';

/**
 * The caller, as verified by the authorizer or by a webhook's signature. A `Caller` is made only from one of the two,
 * and a tenant handle only from a `Caller`. That is the boundary between tenants (`docs/decisions/0006`).
 */

/** What the authorizer passes on of an integration. API Gateway allows only strings. */
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
  /** Permission codes that the token has, separated by spaces; `*` for all of the tenant. */
  readonly permissions: string;
  /** The token's `scope`; empty where it is not narrowed. */
  readonly scope: string;
  /** Requests a minute; empty for the stage's standard. */
  readonly rate_limit: string;
}

const CONTEXT = {
  integration_id: nonEmptyText,
  app_code: nonEmptyText,
  org_id: anyText,
  token_id: nonEmptyText,
  token_epoch: matching(/^\d+$/),
  secret_id: anyText,
  expires_at: matching(/^\d+$/),
  permissions: anyText,
  // Responses of an older authorizer, which the gateway has cached, have none.
  scope: optional(anyText),
  rate_limit: optional(matching(/^([1-9]\d*)?$/)),
};

const verified = Symbol('verified');

/** What all callers have. */
interface AnyCaller {
  readonly [verified]: true;
  /** The id of the integration or the user: budgets, idempotency keys and counts are kept by it. */
  readonly id: string;
  /** Null for a platform caller. */
  readonly orgId: string | null;
  /** How it authenticated: with a token, or as the sender of a webhook with a signature. */
  readonly proof: 'token' | 'signature';
  /** Null without a token. */
  readonly tokenId: string | null;
  /** How often the caller's tokens had been ended when its token was made, or when a webhook's sender was read. */
  readonly tokenEpoch: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** What it may do in the whole organization, narrowed by `scope`. Null: all permissions of the tenant. */
  readonly permissions: ReadonlySet<string> | null;
  /** The codes to which its token is narrowed (RFC 6749 §3.3); null: not narrowed. It may have fewer. */
  readonly scope: Permissions;
  /** Requests a minute; null: the stage's standard. */
  readonly rateLimit: number | null;
  /** The clients that this request may see and change; null: the whole organization (`authorized`). */
  readonly clients: readonly string[] | null;
}

export interface IntegrationCaller extends AnyCaller {
  readonly type: 'integration';
  readonly integrationId: string;
  readonly appCode: string;
  /** Id of the secret behind the token or signature; null for a secret from before such ids. */
  readonly secretId: string | null;
}

/** A user of an organization, never of the platform. */
export interface UserCaller extends AnyCaller {
  readonly type: 'user';
  readonly orgId: string;
  readonly userId: string;
  readonly name: string;
  /** The identity provider through which the user signed in. */
  readonly providerId: string;
  /** When its token was issued, in epoch seconds. */
  readonly issuedAt: number;
  /** Versions of the two items of its access, as the authorizer read them. */
  readonly accessVersion: number;
  readonly signInVersion: number;
  /** For each client what the user may do for it, besides what it may in the whole organization. */
  readonly clientPermissions: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Caller = IntegrationCaller | UserCaller;

/** The caller in the authorizer's context of a proxy event; undefined when it is missing or incomplete. */
export function callerOf(context: unknown): Caller | undefined {
  // A context that names a type is none of an integration, whatever else is in it.
  if (typeof context === 'object' && context !== null && 'type' in context) return userOf(context);
  if (!isWellFormed<AuthorizerContext>(context, CONTEXT)) return undefined;
  const { token_id, token_epoch, secret_id, expires_at, permissions, scope = '', rate_limit = '', ...named } = context;
  const { integration_id, app_code, org_id } = named;
  return {
    [verified]: true,
    type: 'integration',
    id: integration_id,
    proof: 'token',
    integrationId: integration_id,
    appCode: app_code,
    orgId: org_id === '' ? null : org_id,
    tokenId: token_id,
    tokenEpoch: Number(token_epoch),
    secretId: secret_id === '' ? null : secret_id,
    expiresAt: Number(expires_at),
    permissions: permissions === '*' ? null : codesIn(permissions),
    scope: scope === '' ? null : scope.split(' '),
    rateLimit: rate_limit === '' ? null : Number(rate_limit),
    clients: null,
  };
}

function userOf(given: object): UserCaller | undefined {
  const context = userContextIn(given);
  const clientPermissions = context && clientPermissionsIn(context.client_permissions);
  if (context === undefined || clientPermissions === undefined) return undefined;
  return {
    [verified]: true,
    type: 'user',
    id: context.user_id,
    proof: 'token',
    userId: context.user_id,
    name: context.name,
    providerId: context.provider_id,
    orgId: context.org_id,
    tokenId: context.token_id,
    tokenEpoch: Number(context.token_epoch),
    accessVersion: Number(context.access_version),
    signInVersion: Number(context.sign_in_version),
    issuedAt: Number(context.issued_at),
    expiresAt: Number(context.expires_at),
    permissions: context.permissions === '*' ? null : codesIn(context.permissions),
    clientPermissions,
    scope: context.scope === '' ? null : context.scope.split(' '),
    rateLimit: null,
    clients: null,
  };
}

const codesIn = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((code) => code !== ''));

/**
 * The caller in a request to clients for whom a user has a permission that it does not have for the whole organization:
 * it sees these clients only, and has what it may do for the whole organization or for each of them. What it may do for
 * one client is never done for another. Undefined where it has the permission for no client.
 */
export function narrowedToClients(caller: Caller, permission: string): UserCaller | undefined {
  if (caller.type !== 'user' || caller.permissions === null) return undefined;
  const held = [...caller.clientPermissions].map(([client, codes]) => ({ client, codes: withReading(codes) }));
  const those = held.filter(({ codes }) => codes.has(permission));
  const [first, ...others] = those.map(({ codes }) => codes);
  if (first === undefined) return undefined;
  const ofEach = others.reduce((codes, more) => codes.intersection(more), first);
  // Credentials are for people of the whole organization.
  const permissions = new Set([...caller.permissions.union(ofEach)].filter((code) => !code.endsWith(':credentials')));
  return { ...caller, permissions, clients: those.map(({ client }) => client) };
}

/** The sender of a webhook, from its credentials as they were read. */
export interface WebhookSender
  extends Pick<IntegrationCaller, 'integrationId' | 'appCode' | 'orgId' | 'tokenEpoch' | 'secretId' | 'rateLimit'> {
  readonly permissions: readonly string[] | null;
}

/** The caller that has signed a webhook. It has no token that could expire. */
export const callerBySignature = ({ permissions, ...signer }: WebhookSender): IntegrationCaller => ({
  ...signer,
  [verified]: true,
  type: 'integration',
  id: signer.integrationId,
  proof: 'signature',
  tokenId: null,
  expiresAt: 0,
  permissions: permissions && new Set(permissions),
  scope: null,
  clients: null,
});

/**
 * Whether the caller has a permission, by its own code or by one that includes it.
 * @example if (!mayDo(caller, 'clients:write')) throw new Problem('forbidden');
 */
export const mayDo = ({ permissions }: Caller, permission: string): boolean =>
  permissions === null || codesThatAllow(permission).some((code) => permissions.has(code));

/**
 * Who does something: an integration, a user, an anonymous caller, the operator on the command line, or the service by
 * itself.
 */
export type Actor =
  | { readonly type: 'integration'; readonly id: string; readonly appCode: string }
  | { readonly type: 'user'; readonly id: string; readonly name: string }
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

export function actorOf(caller: Caller | undefined): Actor {
  if (caller === undefined) return { type: 'anonymous' };
  const { id } = caller;
  return caller.type === 'user'
    ? { type: 'user', id, name: caller.name }
    : { type: 'integration', id, appCode: caller.appCode };
}
