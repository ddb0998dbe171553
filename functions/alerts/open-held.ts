import { randomUUID } from 'node:crypto';
import { Problem } from '#contract';
import { runToCommit } from '#http';
import { actorOf, type Caller, callerBySignature, mayDo } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { annotate, logger, observe } from '#telemetry';
import { readSuspension } from '#tenancy';
import { allDone } from '../../shared/all-done.ts';
import { Slots } from '../batch/in-order.ts';
import { integrationEntity } from '../integrations/store.ts';
import { SEND_ALERTS } from './contract.ts';
import { dueOf, forget, type Holder, heldIn, holdersFrom, isLate } from './state/held.ts';
import { type Collected, listCollected, Step } from './steps.ts';
import type { Sender } from './ticket.ts';

/** Integrations, and alerts of each, that are looked at at the same time. */
const AT_ONCE = { integrations: 4, alerts: 8 } as const;

/**
 * Opens the tickets of alerts that were held, whose maintenance is over. It begins at a random tenant, and looks at a
 * hundred alerts of an integration before the next hundred wait for their turn, so that none keeps the others waiting.
 * @throws the first failure, after all else is done: the next run finds what is left
 */
export async function openHeld(session: RequestSession): Promise<void> {
  const slots = new Slots(AT_ONCE.integrations);
  const openAll = async (holder: Holder): Promise<void> => {
    while (await slots.run(() => openSome(session, holder)));
  };
  const opening: Promise<void>[] = [];
  try {
    for await (const holder of holdersFrom(session, randomUUID())) {
      const all = openAll(holder);
      all.catch(() => undefined);
      opening.push(all);
    }
  } finally {
    await allDone(opening);
  }
}

/** @returns whether there may be more */
async function openSome(session: RequestSession, holder: Holder): Promise<boolean> {
  if (isLate(session)) return false;
  const due = await dueOf(session, holder);
  if (due.length === 0) return false;
  const tenant = Tenant.ofRegistered(holder, session.beside());
  const suspension = await readSuspension(tenant);
  // They are found again when it is resumed.
  if (suspension?.state === 'suspended') return false;
  await observe({ domain: 'held-alerts', clock: session.clock }, async () => {
    annotate({ tenant: holder.tenant, integration_id: holder.integrationId });
    const caller = suspension === undefined ? await senderOf(tenant, holder.integrationId) : undefined;
    if (caller === undefined) await allDone(due.map((entry) => forget(session, entry)));
    else await openDue({ tenant, caller }, due);
  });
  return true;
}

/**
 * The integration, where it may still send alerts; undefined where it may not. Then what still fires comes again when
 * it may.
 */
async function senderOf(tenant: Tenant, integrationId: string): Promise<Caller | undefined> {
  const stored = await tenant.records(integrationEntity).get(integrationId);
  if (stored?.record.status !== 'active') return undefined;
  const { app_code: appCode, permissions } = stored.record;
  const named = { integrationId, appCode, orgId: tenant.orgId, permissions };
  const caller = callerBySignature({ ...named, tokenEpoch: 0, secretId: null, rateLimit: null });
  return mayDo(caller, SEND_ALERTS) ? caller : undefined;
}

/** @throws the first failure, after all else is done */
async function openDue(sender: Sender, due: readonly string[]): Promise<void> {
  const { tenant, caller } = sender;
  tenant.session.audit.actAs(actorOf(caller), 'receiveAlert');
  const collected: Collected = new Map();
  const slots = new Slots(AT_ONCE.alerts);
  const lookAt = async (entry: string): Promise<void> => {
    if (isLate(tenant.session)) return;
    await lookAtOne({ caller, tenant: Tenant.of(caller, tenant.session.beside()) }, collected, entry);
    await forget(tenant.session, entry);
  };
  await allDone(due.map((entry) => slots.run(() => lookAt(entry)))).finally(() => listCollected(sender, collected));
}

/** What is wrong with a ticket would be wrong again: that is no failure. */
async function lookAtOne(sender: Sender, collected: Collected, entry: string): Promise<void> {
  const { until, digest } = heldIn(entry);
  const step = new Step(sender, collected, digest);
  try {
    step.noteCollected(await runToCommit(sender.tenant.session, () => step.lookAt(until)));
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    logger.warn('the ticket of an alert that was held was refused', { error });
  }
}
