import { randomUUID } from 'node:crypto';
import { serverTime } from '@custodia/counted-lists';
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
import { mappingOf } from './references.ts';
import { dueOf, forget, type Held, type Holder, holdersAfter } from './state/held.ts';
import { type Group, listCollected, Step } from './steps.ts';
import type { Sender } from './ticket.ts';

/** Integrations, and alerts of each, that are looked at at the same time. */
const AT_ONCE = { integrations: 4, alerts: 8 } as const;
/** None is begun so long before the deadline, in milliseconds: what is left is looked at in the next run. */
const NOT_BEGUN_BEFORE_END = 15_000;

/**
 * Opens the tickets of alerts that were held, whose maintenance is over. It begins at a random tenant, and looks at a
 * hundred alerts of each integration, so that none keeps the others waiting.
 * @throws the first failure, after all else is done: the next run finds what is left
 */
export async function openHeld(session: RequestSession): Promise<void> {
  const holders: Holder[] = [];
  const start = randomUUID();
  for await (const holder of holdersAfter(session, start)) holders.push(holder);
  for await (const holder of holdersAfter(session)) {
    if (holder.tenant >= start) break;
    holders.push(holder);
  }
  const slots = new Slots(AT_ONCE.integrations);
  await allDone(holders.map((holder) => slots.run(() => openOf(session, holder))));
}

const isLate = ({ clock, deadline }: RequestSession): boolean => clock() >= deadline - NOT_BEGUN_BEFORE_END;

async function openOf(session: RequestSession, holder: Holder): Promise<void> {
  if (isLate(session)) return;
  const now = serverTime(session.tables.environment, session.clock);
  const due = await dueOf(session, holder, new Date(now).toISOString());
  if (due.length === 0) return;
  await observe({ domain: 'held-alerts', clock: session.clock }, async () => {
    annotate({ tenant: holder.tenant, integration_id: holder.integrationId });
    const tenant = Tenant.ofRegistered(holder, session.beside());
    const caller = await senderOf(tenant, holder.integrationId);
    if (caller === undefined) await allDone(due.map((held) => forget(session, held)));
    else await openDue({ tenant, caller }, due);
  });
}

/**
 * The integration, where it may still send alerts; undefined where it may not. Then what still fires comes again when
 * it may.
 */
async function senderOf(tenant: Tenant, integrationId: string): Promise<Caller | undefined> {
  const [suspension, stored] = await Promise.all([
    readSuspension(tenant),
    tenant.records(integrationEntity).get(integrationId),
  ]);
  if (suspension !== undefined || stored?.record.status !== 'active') return undefined;
  const { app_code: appCode, permissions } = stored.record;
  const named = { integrationId, appCode, orgId: tenant.orgId, permissions };
  const caller = callerBySignature({ ...named, tokenEpoch: 0, secretId: null, rateLimit: null });
  return mayDo(caller, SEND_ALERTS) ? caller : undefined;
}

/** @throws the first failure, after all else is done */
async function openDue(sender: Sender, due: readonly Held[]): Promise<void> {
  const { tenant, caller } = sender;
  tenant.session.audit.actAs(actorOf(caller), 'receiveAlert');
  const group: Group = { mapping: () => mappingOf(tenant, caller.id), collected: new Map() };
  const slots = new Slots(AT_ONCE.alerts);
  const lookAt = async (held: Held): Promise<void> => {
    if (isLate(tenant.session)) return;
    await lookAtOne({ caller, tenant: Tenant.of(caller, tenant.session.beside()) }, group, held);
    await forget(tenant.session, held);
  };
  await allDone(due.map((held) => slots.run(() => lookAt(held)))).finally(() => listCollected(sender, group));
}

/** What is refused would be refused again: that is no failure. */
async function lookAtOne(sender: Sender, group: Group, { digest }: Held): Promise<void> {
  const step = new Step(sender, group, digest);
  try {
    await runToCommit(sender.tenant.session, () => step.lookAt());
    step.noteCollected();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    logger.warn('the ticket of an alert that was held was refused', { error });
  }
}
