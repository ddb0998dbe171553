import type { Caller } from '#identity';
import { claimed, entity, flag, set, storedAs, type Tenant, words } from '#table';
import { type Client, client, clientAction } from './contract.ts';

/** A client as stored: risks are counted, so that a service or resource can change without reading the others. */
export interface StoredClient extends Omit<Client, 'has_risks'> {
  /** Number of services and resources that are a risk. */
  readonly risks: number;
  /** A flag (`#table`): set by the repository with the number. */
  readonly has_risks?: true | null;
}

export const clientEntity = entity('CLIENT', storedAs<StoredClient>(client), {
  indexes: [
    set('status'),
    flag('has_risks', { counter: 'risks' }),
    words(['name', 'email'], { claims: ['slug'] }),
    claimed('slug'),
    claimed('external_id'),
  ],
  json: ['metadata'],
  ofClient: 'id',
  journaled: { history: true },
});

export const actionEntity = entity('ACTION', clientAction, { json: ['details'], byTime: true, parent: clientEntity });

export const toClient = (stored: StoredClient): Client => ({ ...stored, has_risks: stored.risks > 0 });

/** The log of changes of a client. */
export const actionsOf = (tenant: Tenant, clientId: string) => tenant.below(actionEntity, clientId);

/** Stages an entry of that log. */
export async function recordAction(
  tenant: Tenant,
  caller: Caller,
  clientId: string,
  action: { readonly type: string; readonly details: Record<string, unknown> },
): Promise<void> {
  await actionsOf(tenant, clientId).create({
    fields: {
      ...action,
      client_id: clientId,
      performed_by: caller.id,
      performed_at: tenant.session.timestamp,
      result: 'success',
    },
  });
}
