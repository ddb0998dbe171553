import { endpointSecrets } from '#auth';
import type { Caller } from '#identity';
import { JournalReader, type Stored, type Tenant } from '#table';
import type { Position } from '../cursor.ts';
import { stageRegistration } from '../state/register.ts';
import { stageState } from '../state/state.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { confirm, ownerFor } from './authority.ts';
import { checkFields } from './checks.ts';
import type { WebhookEndpoint } from './contract.ts';
import { askForProof } from './proof.ts';
import { stageEndpointCount } from './quota.ts';

interface NewEndpoint extends Pick<WebhookEndpoint, 'url' | 'event_types' | 'description' | 'batch_size' | 'payload'> {
  readonly integration_id?: string | undefined;
}

interface CreatedEndpoint {
  readonly stored: Stored<StoredEndpoint>;
  /** From where it follows the journal. */
  readonly start: Position;
  /** In plain text: shown to the caller once. */
  readonly secret: string;
}

/**
 * Stages an endpoint, which gets the events of changes from now on, once its receiver has proved that it wants them.
 * @throws Problem `invalid-body`, `reference-not-found`, `forbidden` or `conflict`
 */
export async function createEndpoint(
  tenant: Tenant,
  caller: Caller,
  { integration_id, ...fields }: NewEndpoint,
): Promise<CreatedEndpoint> {
  checkFields(fields);
  const owner = await ownerFor(tenant, caller, integration_id);
  const [confirmed, start, proof] = await Promise.all([
    confirm(tenant, caller, owner, true),
    new JournalReader(tenant).end(),
    askForProof(tenant),
  ]);
  const secret = endpointSecrets.generate();
  const stored = await tenant.records(endpointEntity).create<'secrets'>({
    fields: {
      ...fields,
      ...owner,
      ...proof,
      replayed_at: null,
      created_at: tenant.session.timestamp,
      confirmed,
    },
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
