import { schema } from '@custodia/counted-lists';
import { invalidField, Problem, pointer } from '#contract';
import type { Caller } from '#identity';
import { environmentTargets, refusalOf } from '#outbound';
import {
  changesOf,
  type JournalEvent,
  JournalReader,
  journalEntity,
  StaleRead,
  type Stored,
  stagePing,
  type Tenant,
} from '#table';
import { stageCount } from '#tenancy';
import { stageRegistration } from '../state/register.ts';
import { stageFreshStart, stageState } from '../state/state.ts';
import { type EndpointSecret, endpointEntity, type StoredEndpoint } from '../store.ts';
import { requireKnownTypes } from '../visible.ts';
import { confirm, ownerFor } from './authority.ts';
import { askForProof, isVerified, mostOf, newChallenge, pinged, requirePing } from './proof.ts';
import { MOST_ENDPOINTS, type WebhookEndpoint } from './records.ts';
import * as endpointSecrets from './secrets.ts';

/** Stages what callers change of endpoints, on condition that they may do so (`authority.ts`). */

interface NewEndpoint extends Pick<WebhookEndpoint, 'url' | 'event_types' | 'description' | 'batch_size' | 'payload'> {
  readonly integration_id?: string | undefined;
}

/**
 * Stages an endpoint, which gets the events of changes from now on, once its receiver has proved that it wants them.
 * @returns also from where it follows the journal, and its secret in plain text, which is shown to the caller once
 * @throws Problem `invalid-body`, `reference-not-found`, `forbidden` or `conflict`
 */
export async function createEndpoint(tenant: Tenant, caller: Caller, { integration_id, ...fields }: NewEndpoint) {
  checkFields(fields);
  const owner = await ownerFor(tenant, caller, integration_id);
  const [confirmed, start, proof] = await Promise.all([
    confirm(tenant, caller, owner, true),
    new JournalReader(tenant).end(),
    askForProof(tenant),
  ]);
  const secret = endpointSecrets.generate();
  const created_at = tenant.session.timestamp;
  const stored = await tenant.records(endpointEntity).create<'secrets'>({
    fields: { ...fields, ...owner, ...proof, replayed_at: null, created_at, confirmed },
    deferred: async ({ id }) => ({
      secrets: [{ sealed: await endpointSecrets.seal({ tenant, id }, secret), expires_at: null }],
    }),
    alsoAudited: ['secrets'],
  });
  stageEndpointCount(tenant, caller, 1);
  stageState(tenant, stored.record.id, start);
  stageRegistration(tenant, stored.record.id, stored.version);
  return { stored, start, secret };
}

/** Checks what schemas cannot: that there are such events, and that the address may be called. */
function checkFields({ event_types, url }: Partial<Pick<WebhookEndpoint, 'event_types' | 'url'>>): void {
  requireKnownTypes(event_types ?? [], (index) => ({ in: 'body', pointer: pointer(['event_types', index]) }));
  const refusal = url === undefined ? undefined : refusalOf(url, environmentTargets());
  if (refusal !== undefined) throw invalidField('url', refusal);
}

/**
 * Stages that an organization has one endpoint more or less, whatever its status. The commit throws Problem `conflict`
 * when the limit is reached, but to platform callers. Endpoints of the platform itself are not counted.
 */
export function stageEndpointCount(tenant: Tenant, caller: Caller, by: 1 | -1): void {
  if (tenant.orgId === null) return;
  // Tests set the variable.
  const most = mostOf('MAX_WEBHOOK_ENDPOINTS', MOST_ENDPOINTS);
  const detail = `The organization has ${most} webhook endpoints, as many as it may have. Delete one first.`;
  const limit = {
    condition: { atMost: { USED: most - 1 } },
    onConditionFailed: () => new Problem('conflict', { detail }),
  };
  stageCount(tenant, 'WEBHOOK_ENDPOINT', 'USED', by, by === -1 || caller.orgId === null ? undefined : limit);
}

type Change = { readonly [field in keyof WebhookEndpoint]?: WebhookEndpoint[field] | undefined };

/**
 * Whoever changes more than these needs the permissions of the endpoint's integration. `batch_size` is none of them: a
 * receiver may refuse deliveries of another form, and what it refuses is skipped.
 */
const ORDINARY: readonly string[] = ['description'];

/**
 * Stages the change of an endpoint as read. To set it `active`, and nothing else, confirms it although it is active.
 * @returns also whether it is called at once, whatever has failed before
 * @throws Problem `invalid-body`, `forbidden` or `conflict`
 */
export async function changeEndpoint(tenant: Tenant, caller: Caller, before: Stored<StoredEndpoint>, body: Change) {
  const given = changesOf(before.record, body) ?? {};
  checkFields(given);
  checkStatus(before.record, given.status);
  const isConfirmation = body.status === 'active' && Object.keys(body).length === 1;
  const isOrdinary = Object.keys(given).every((field) => ORDINARY.includes(field));
  if (isOrdinary && !isConfirmation) return { after: await stageChange(tenant, before, given), isFreshStart: false };
  const isActivated = given.status === 'active';
  const [confirmed, proof] = await Promise.all([
    confirm(tenant, caller, before.record, isConfirmation || isActivated),
    proofAfter(tenant, before.record, given),
  ]);
  const after = await stageChange(tenant, before, { ...given, ...reasonOf(given), ...proof, confirmed });
  if (isConfirmation || isActivated || proof.status !== undefined)
    stageRegistration(tenant, before.record.id, after.version);
  const isFreshStart = isActivated || given.url !== undefined;
  if (isFreshStart) stageFreshStart(tenant, before.record.id);
  return { after, isFreshStart };
}

function checkStatus({ status }: StoredEndpoint, wanted: WebhookEndpoint['status'] | undefined): void {
  if (wanted !== undefined && wanted !== 'active' && wanted !== 'paused')
    throw invalidField('status', 'must be active or paused');
  if (status === 'expired' && wanted === 'active') {
    throw new Problem('conflict', {
      detail: 'The next event to deliver is kept no more. POST …/replay says from where to go on, and activates it.',
    });
  }
}

/** Why an endpoint has the status that a caller sets. */
const reasonOf = ({ status }: Change): Pick<Partial<StoredEndpoint>, 'status_reason'> =>
  status === undefined ? {} : { status_reason: status === 'paused' ? 'requested' : null };

/** What the receiver is to prove after a change: at another address, and as soon as the endpoint is not paused. */
async function proofAfter(
  tenant: Tenant,
  before: StoredEndpoint,
  { url, status = before.status }: Change,
): Promise<Partial<Pick<StoredEndpoint, 'status' | 'status_reason' | 'challenge'>>> {
  const isCalled = status === 'active' || status === 'unverified';
  const isActivated = isCalled && status !== before.status;
  const mustProve = url !== undefined || (isActivated && !isVerified(before));
  if (!mustProve) return {};
  return isCalled ? askForProof(tenant) : { challenge: newChallenge() };
}

/** Stages those of the changes that differ from the record, if any do. */
export async function stageChange(
  tenant: Tenant,
  before: Stored<StoredEndpoint>,
  changes: Partial<StoredEndpoint>,
): Promise<Stored<StoredEndpoint>> {
  const differing = changesOf(before.record, changes);
  return differing === undefined ? before : tenant.records(endpointEntity).update(before, differing);
}

/**
 * Stages a new secret beside the newest one, which ends after `validFor` seconds. One that was expiring ends now.
 * @returns also the secret in plain text, which is shown to the caller once, and when the one before ends
 * @throws Problem `forbidden`
 */
export async function rotateSecret(tenant: Tenant, caller: Caller, before: Stored<StoredEndpoint>, validFor: number) {
  const { id, secrets } = before.record;
  const confirmed = await confirm(tenant, caller, before.record, false);
  const secret = endpointSecrets.generate();
  const fresh = { sealed: await endpointSecrets.seal({ tenant, id }, secret), expires_at: null };
  const [newest] = secrets;
  const end = validFor === 0 ? null : Math.floor(tenant.session.now / 1000) + validFor;
  const previous: readonly EndpointSecret[] =
    end === null || newest === undefined ? [] : [{ ...newest, expires_at: end }];
  const stored = await stageChange(tenant, before, { secrets: [fresh, ...previous], confirmed });
  return { stored, secret, previousExpiresAt: end === null ? null : new Date(end * 1000).toISOString() };
}

/**
 * Stages an event of no change, which is delivered to this endpoint. One that is unverified is asked for proof anew.
 * @throws Problem `forbidden`, `too-many-requests`, or `conflict` where it is neither active nor unverified
 */
export async function pingEndpoint(
  tenant: Tenant,
  caller: Caller,
  endpoint: Stored<StoredEndpoint>,
): Promise<JournalEvent> {
  const { id, status } = endpoint.record;
  const isUnverified = status === 'unverified';
  if (status !== 'active' && !isUnverified)
    throw new Problem('conflict', { detail: `The endpoint is ${status}: nothing is delivered.` });
  const confirmed = await confirm(tenant, caller, endpoint.record, true);
  await requirePing(tenant);
  const { version } = await stageChange(tenant, endpoint, { ...(isUnverified && pinged()), confirmed });
  if (isUnverified) stageRegistration(tenant, id, version);
  const isUnchanged = version === endpoint.version;
  if (isUnchanged) {
    const isAsRead = { status, [schema.VERSION]: version };
    tenant.records(endpointEntity).require(id, () => new StaleRead('the endpoint has changed'), isAsRead);
  }
  const [event] = await Promise.all([
    stagePing(tenant.records(journalEntity), endpointEntity, { id, version }),
    isUnchanged && tenant.auditLog(endpointEntity.audited ?? '').changed(id, []),
  ]);
  return event;
}
