import { invalidField, Problem } from '#contract/problem';
import type { Caller } from '#identity';
import { changesOf, type Stored, type Tenant } from '#table';
import { stageRegistration } from '../state/register.ts';
import { stageFreshStart } from '../state/state.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { confirm } from './authority.ts';
import { checkFields } from './checks.ts';
import type { WebhookEndpoint } from './contract.ts';
import { askForProof, isVerified, newChallenge } from './proof.ts';

type Change = { readonly [field in keyof WebhookEndpoint]?: WebhookEndpoint[field] | undefined };

interface Changed {
  readonly after: Stored<StoredEndpoint>;
  /** Whether it is called at once, whatever has failed before. */
  readonly isFreshStart: boolean;
}

/**
 * Whoever changes more than these has the power of the endpoint's integration. `batch_size` is none of them: another form of deliveries is one that
 * the receiver may refuse, and what it refuses is skipped.
 */
const ORDINARY: readonly string[] = ['description'];

/**
 * Stages the change of an endpoint as read. To set it `active`, and nothing else, confirms it anew although it is active.
 * @throws Problem `invalid-body`, `forbidden` or `conflict`
 */
export async function changeEndpoint(
  tenant: Tenant,
  caller: Caller,
  before: Stored<StoredEndpoint>,
  body: Change,
): Promise<Changed> {
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
  const after = await stageChange(tenant, before, { ...given, ...statusOf(given), ...proof, confirmed });
  if (isConfirmation || isActivated || proof.status !== undefined)
    stageRegistration(tenant, before.record.id, after.version);
  const isFreshStart = isActivated || given.url !== undefined;
  if (isFreshStart) stageFreshStart(tenant, before.record.id);
  return { after, isFreshStart };
}

/** What the receiver is to prove after a change: at another address anew, and as soon as the endpoint is not paused. */
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
const statusOf = ({ status }: Change): Partial<StoredEndpoint> =>
  status === undefined ? {} : { status_reason: status === 'paused' ? 'requested' : null };
