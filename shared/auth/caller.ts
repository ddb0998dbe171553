import * as z from 'zod';
import { codesThatAllow } from '../contract/permissions.ts';

/**
 * Who calls, as the authorizer verified it. A `Caller` is made from the authorizer's context only, and a tenant handle from a
 * `Caller` only: that is the boundary between tenants (DESIGN §3).
 */

/** What the authorizer passes on. API Gateway carries texts only. */
export interface AuthorizerContext {
  readonly integration_id: string;
  readonly app_code: string;
  /** Empty for a platform caller. */
  readonly org_id: string;
  /** The token's own id. */
  readonly token_id: string;
  /** Its `epoch` (`tokens.ts`). */
  readonly token_epoch: string;
  /** Expiry of the token, in epoch seconds. */
  readonly expires_at: string;
  /** Permission codes with spaces between; `*` for all of the tenant. */
  readonly permissions: string;
  /** Requests a minute; empty for the stage's standard. */
  readonly rate_limit: string;
}

const contextSchema = z.object({
  integration_id: z.string().min(1),
  app_code: z.string().min(1),
  org_id: z.string(),
  token_id: z.string().default(''),
  token_epoch: z.string().regex(/^\d+$/).default('0'),
  expires_at: z.string().regex(/^\d+$/),
  permissions: z.string(),
  rate_limit: z
    .string()
    .regex(/^([1-9]\d*)?$/)
    .default(''),
});

const verified = Symbol('verified');

export interface Caller {
  readonly [verified]: true;
  readonly integrationId: string;
  readonly appCode: string;
  /** Null for a platform caller. */
  readonly orgId: string | null;
  /** Null for the sender of a webhook, who has no token. */
  readonly tokenId: string | null;
  /** The `token_epoch` of the caller's credentials when its token was made, or when they were read for a webhook. */
  readonly tokenEpoch: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Null: all permissions of the tenant. */
  readonly permissions: ReadonlySet<string> | null;
  /** Requests a minute; null: the stage's standard. */
  readonly rateLimit: number | null;
}

/** The caller in the authorizer's context of a proxy event; undefined when there is none, or none that is whole. */
export function callerOf(context: unknown): Caller | undefined {
  const parsed = contextSchema.safeParse(context);
  if (!parsed.success) return undefined;
  const { integration_id, app_code, org_id, token_id, token_epoch, expires_at, permissions, rate_limit } = parsed.data;
  return {
    [verified]: true,
    integrationId: integration_id,
    appCode: app_code,
    orgId: org_id === '' ? null : org_id,
    tokenId: token_id === '' ? null : token_id,
    tokenEpoch: Number(token_epoch),
    expiresAt: Number(expires_at),
    permissions: permissions === '*' ? null : new Set(permissions.split(' ').filter((code) => code !== '')),
    rateLimit: rate_limit === '' ? null : Number(rate_limit),
  };
}

/** Whether the caller has a permission, by its own code or by one that includes it. */
export const mayDo = ({ permissions }: Caller, permission: string): boolean =>
  permissions === null || codesThatAllow(permission).some((code) => permissions.has(code));
