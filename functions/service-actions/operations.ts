import { invalidField, Problem } from '#contract';
import { noSuchRecord, type Operations, pagesOf, respond } from '#http';
import { type Caller, mayDo } from '#identity';
import type { Tenant } from '#table';
import { serviceEntity } from '../services/store.ts';
import { REQUEST, type serviceActions } from './contract.ts';
import { claimAction, digestOf, ENDED, inSeconds, placeAt } from './queue.ts';
import { type StoredServiceAction, serviceActionEntity } from './store.ts';

export const serviceActionOperations: Operations<typeof serviceActions> = {
  listServiceActions: pagesOf(serviceActionEntity),

  createServiceAction: async ({ body, tenant, caller }) => {
    tenant.records(serviceEntity).require(body.service_id, noSuchRecord('service_id'));
    const created_at = tenant.session.timestamp;
    const { run, scheduled_for, ...entry } = body;
    if (!run && scheduled_for !== null) throw invalidField('scheduled_for', 'is for actions with `run`');
    const fields = { ...entry, run, attempts: 0, ...(run && requested(tenant, caller, body)) };
    return respond.record(
      await tenant.records(serviceActionEntity).create({ fields: { ...fields, created_at } as StoredServiceAction }),
    );
  },

  getServiceAction: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(serviceActionEntity), params.id)),

  claimServiceAction: async ({ body, tenant }) => {
    const { action, lease } = (await claimAction(tenant, body)) ?? {};
    return { body: action === undefined ? { actions: [], lease: null } : { actions: [action], lease: lease ?? null } };
  },

  extendServiceAction: async ({ params, body, tenant, getOrThrow }) => {
    const records = tenant.records(serviceActionEntity);
    const stored = await getOrThrow(records, params.id);
    requireLease(stored.record, body.lease);
    const leased_until = inSeconds(tenant, body.lease_seconds);
    const queued = placeAt(stored.record.action_type, leased_until);
    const { progress = stored.record.progress ?? null } = body;
    return respond.record(await records.update(stored, { leased_until, queued, progress }));
  },

  finishServiceAction: async ({ params, body, tenant, session, getOrThrow }) => {
    const { lease, status, result, log } = body;
    const records = tenant.records(serviceActionEntity);
    const stored = await getOrThrow(records, params.id);
    const { record } = stored;
    // The response to the first request was lost.
    if (record.lease === digestOf(lease) && record.status === status) return respond.record(stored);
    requireLease(record, lease);
    const { progress = status === 'completed' ? 100 : (record.progress ?? null) } = body;
    const finished_at = session.timestamp;
    return respond.record(await records.update(stored, { ...ENDED, status, progress, result, log, finished_at }));
  },

  cancelServiceAction: async ({ params, tenant, session, getOrThrow }) => {
    const records = tenant.records(serviceActionEntity);
    const stored = await getOrThrow(records, params.id);
    const { run = false, status } = stored.record;
    if (!run) throw conflict('is an entry of the log, and nobody carries it out');
    if (status === 'cancelled') return respond.record(stored);
    if (status !== 'pending' && status !== 'running') throw conflict(`has ended: it is \`${status}\``);
    return respond.record(
      await records.update(stored, { ...ENDED, status: 'cancelled', finished_at: session.timestamp }),
    );
  },
};

type Asked = Pick<StoredServiceAction, 'action_type' | 'status' | 'scheduled_for'>;

/** What an action has that a runner is to carry out. @throws Problem `forbidden`, `invalid-body` */
function requested(tenant: Tenant, caller: Caller, { action_type, status, scheduled_for }: Asked) {
  if (caller.proof === 'signature') throw invalidField('run', 'cannot be set by a webhook');
  if (!mayDo(caller, REQUEST)) {
    const detail = `needs the permission ${REQUEST}`;
    const errors = [{ in: 'body' as const, pointer: '#/run', detail }];
    throw new Problem('forbidden', { detail: `To ask for an action ${detail}.`, errors });
  }
  // `completed` is what the body has where it says nothing.
  if (status !== 'pending' && status !== 'completed') throw invalidField('status', 'must be `pending` with `run`');
  const queued = placeAt(action_type, scheduled_for ?? inSeconds(tenant, 0));
  return { status: 'pending', scheduled_for, queued };
}

/** @throws Problem `conflict` where an action is not running under this lease */
function requireLease({ status, lease }: StoredServiceAction, token: string): void {
  if (lease !== digestOf(token)) throw conflict('is not under this lease: another runner may have it');
  if (status !== 'running') throw conflict(`has ended: it is \`${status}\``);
}

const conflict = (detail: string): Problem => new Problem('conflict', { detail: `The action ${detail}.` });
