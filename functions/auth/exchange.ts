import type * as z from 'zod';
import { issuerNamedBy, keysOfProvider, SubjectTokenRefused, takeOnce, verifySubjectToken } from '#auth';
import { Problem } from '#contract';
import { refuseSuspended } from '#http';
import { type RequestSession, type Stored, Tenant } from '#table';
import { annotate } from '#telemetry';
import { accessItems, isLiveUser, readSuspension } from '#tenancy';
import { userEntity } from '../access/store.ts';
import type { IdentityProvider } from '../identity-providers/contract.ts';
import { identityProviderEntity } from '../identity-providers/store.ts';
import { identityOf, linkByMail } from '../users/identities.ts';
import type { tokenRequest } from './contract.ts';
import { narrowTo } from './scope.ts';

/**
 * The exchange of a token of an organization's identity provider for a token of one of its users (RFC 8693). An
 * organization that does not exist, or that has no such provider, gets the same refusal. Every other refusal is after
 * the signature was found right, but for what the token itself shows.
 */

/** By `subject_token_type` (RFC 8693 §3). */
const KINDS = {
  'urn:ietf:params:oauth:token-type:id_token': 'id_token',
  'urn:ietf:params:oauth:token-type:jwt': 'access_token',
} as const;

type Verified = Awaited<ReturnType<typeof verifySubjectToken>>;
type Parameters = z.output<(typeof tokenRequest)['schema']>;

/**
 * Finds out which user a token of an identity provider is of, and stages that it is taken.
 * @returns the identity for a token of this service, which is for nobody before the commit
 * @throws Problem `malformed-request` for a token that is not accepted: `invalid_request` (RFC 8693 §2.2.2)
 */
export const exchange = (parameters: Parameters, session: RequestSession) =>
  exchanged(parameters, session).catch((error: unknown) => {
    throw error instanceof SubjectTokenRefused ? problemOf(error) : error;
  });

async function exchanged(parameters: Parameters, session: RequestSession) {
  const { token, kind, organization } = requiredOf(parameters);
  // What a user may do is read when the token is used, so every permission may be asked for.
  const scope = narrowTo(parameters.scope, null);
  const tenant = await tenantNamed(organization, session);
  const provider = await providerOf(tenant, token);
  const keysOf = keysOfProvider(tenant, provider.record);
  const verified = await verifySubjectToken(provider.record, token, { kind, now: tenant.serverTime, keysOf });
  refuseSuspended(tenant, await readSuspension(tenant));
  const userId = await userOf(tenant, provider, verified);
  const [access, signIn, user] = await Promise.all([
    accessItems.ofUser(tenant, userId),
    accessItems.ofOrganization(tenant),
    tenant.records(userEntity).get(userId),
  ]);
  const { epoch: tokenEpoch = 0 } = access ?? {};
  const identity = { userId, orgId: tenant.id, providerId: provider.record.id, tokenEpoch, scope };
  if (!isLiveUser(access && signIn && { access, signIn }, identity)) throw noUser();
  takeOnce(tenant, verified, problemOf);
  noteLogin(tenant, userId, user?.record.last_login ?? null);
  annotate({ user_id: userId, tenant: tenant.id });
  return { ...identity, expiresAt: verified.expiresAt };
}

/** The parameters of an exchange (RFC 8693 §2.1). A token that acts for somebody else is not issued. */
function requiredOf(parameters: Parameters) {
  const { subject_token: token, subject_token_type: type = '', organization, actor_token: actor } = parameters;
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type as keyof typeof KINDS] : undefined;
  if (token === undefined) throw invalid('subject_token is required: the token of the identity provider.');
  if (kind === undefined) throw invalid(`subject_token_type must be one of: ${Object.keys(KINDS).join(', ')}.`);
  if (organization === undefined) throw invalid('organization is required: the id or slug of the organization.');
  if (actor !== undefined) throw invalid('actor_token is not known here.');
  return { token, kind, organization };
}

const invalid = (detail: string, headers = {}): Problem => new Problem('malformed-request', { detail, headers });

/** One that nobody signs in by has no provider either. */
async function tenantNamed(organization: string, session: RequestSession): Promise<Tenant> {
  const id = await accessItems.organizationNamed(session.tables.environment, organization);
  if (id === undefined) throw noProvider();
  return Tenant.ofSignIn(id, session);
}

/** @throws Problem, the same for an inactive one */
async function providerOf(tenant: Tenant, token: string): Promise<Stored<IdentityProvider>> {
  const records = tenant.records(identityProviderEntity);
  const id = await records.idOf('issuer', issuerNamedBy(token));
  const stored = id === undefined ? undefined : await records.get(id);
  if (stored === undefined || stored.record.status !== 'active') throw noProvider();
  return stored;
}

/** The user of a verified token: the one with its identity, or else, once, the one with its mail address. */
async function userOf(tenant: Tenant, provider: Stored<IdentityProvider>, verified: Verified): Promise<string> {
  const { subject, email } = verified;
  const known = await identityOf(tenant, provider.record.id, subject);
  if (known !== undefined) return known.user_id;
  const linked = email === undefined ? undefined : await linkByMail(tenant, provider, { subject, email });
  if (linked === undefined) throw noUser();
  return linked.user.id;
}

/** `last_login` moves by this much at least, in milliseconds: it costs a write. */
const LOGIN_STEP = 10 * 60_000;

/** A best effort: it leaves no event, and is no change of the user by somebody. By DynamoDB's clock, unlike others. */
function noteLogin(tenant: Tenant, userId: string, last: string | null): void {
  const now = tenant.serverTime;
  if (last !== null && Math.abs(Date.parse(last) - now) < LOGIN_STEP) return;
  tenant.records(userEntity).derived.advance(userId, 'last_login', async () => new Date(now).toISOString());
}

const noProvider = (): Problem =>
  invalid('No active identity provider of this organization has exactly the issuer of the subject token.');

const noUser = (): Problem =>
  invalid('No user of this organization may sign in with the subject token. Ask an administrator of the organization.');

const problemOf = ({ message, reason }: SubjectTokenRefused): Problem =>
  invalid(message, reason === 'keys-unavailable' ? { 'Retry-After': '30' } : {});
