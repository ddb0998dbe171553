import { listErrors } from '@custodia/counted-lists';
import { Problem, pointer } from '#contract';
import { runToCommit } from '#http';
import type { Caller } from '#identity';
import { RequestSession, StaleRead, Tenant } from '#table';
import { logger } from '#telemetry';
import { inOrder } from '../batch/in-order.ts';
import type { Alert } from './alert.ts';
import type { OUTCOMES } from './contract.ts';
import { type Mapping, mappingOf } from './references.ts';
import { type Episode, Episodes } from './state/episodes.ts';
import { closeTicket, type Named, openTicket } from './ticket.ts';

/** Alerts that are carried out at the same time, each in a transaction of its own. */
const AT_ONCE = 8;
/** After so long none is begun, in milliseconds: what is left is to be sent again. */
const BEGIN_WITHIN = 12_000;

type Outcome = (typeof OUTCOMES)[number];

export interface Result extends Named {
  readonly fingerprint: string | null;
  readonly outcome: Outcome;
}

interface Sent {
  readonly caller: Caller;
  readonly session: RequestSession;
}

type Done = Named & Pick<Result, 'outcome'>;

const NO_TICKET: Named = { ticket_id: null, ticket_code: null };

/**
 * Takes alerts, those with one fingerprint in their order.
 * @param alerts null for what is no alert
 * @returns what was done about each
 * @throws Problem `unavailable` where some are to be sent again, else `invalid-body` where some are no alerts; both
 *   have the results too
 */
export async function receiveAlerts(alerts: readonly (Alert | null)[], sent: Sent): Promise<readonly Result[]> {
  const mapping = once(() => mappingOf(Tenant.of(sent.caller, sent.session), sent.caller.id));
  const { session } = sent;
  const carryOut = async ({ alert }: { readonly alert: Alert | null }): Promise<Result> => {
    if (alert === null) return { ...NO_TICKET, fingerprint: null, outcome: 'refused' };
    const isLate = session.clock() - session.now >= BEGIN_WITHIN;
    const done = isLate ? NOT_ATTEMPTED : await take(alert, sent, mapping);
    return {
      fingerprint: alert.shown,
      outcome: done.outcome,
      ticket_id: done.ticket_id,
      ticket_code: done.ticket_code,
    };
  };
  const named = alerts.map((alert) => ({ alert, names: alert === null ? [] : [alert.digest] }));
  const results = await inOrder(named, {
    atOnce: AT_ONCE,
    carryOut,
    isUndecided: ({ outcome }) => UNDECIDED.includes(outcome),
    leaveOut: ({ alert }) => ({ ...NOT_ATTEMPTED, fingerprint: alert?.shown ?? null }),
  });
  requireDone(results);
  return results;
}

const UNDECIDED: readonly Outcome[] = ['failed', 'not_attempted'];
const NOT_ATTEMPTED: Done = { ...NO_TICKET, outcome: 'not_attempted' };

function requireDone(results: readonly Result[]): void {
  const left = results.filter(({ outcome }) => UNDECIDED.includes(outcome)).length;
  const members = { alerts: results };
  if (left > 0) {
    const detail = `${left} of ${results.length} alerts were not taken. Send the same again: what was done is known.`;
    throw new Problem('unavailable', { detail, members, headers: { 'Retry-After': '5' } });
  }
  const errors = results.flatMap(({ outcome }, index) =>
    outcome === 'refused'
      ? [{ in: 'body' as const, pointer: pointer(['alerts', index]), detail: 'must be an alert' }]
      : [],
  );
  if (errors.length > 0) throw new Problem('invalid-body', { errors, members });
}

/** Carries out one alert, in a session of its own. */
async function take(alert: Alert, { caller, session }: Sent, mapping: () => Promise<Mapping>): Promise<Done> {
  const own = RequestSession.ofEnvironment(session.deadline - session.clock(), session.clock);
  own.audit.origin = session.audit.origin;
  const tenant = Tenant.of(caller, own);
  const sender = { tenant, caller };
  const episodes = new Episodes(tenant, caller.id, alert);
  const step = alert.status === 'firing' ? fire : resolve;
  try {
    return await runToCommit(own, () => step(alert, episodes, sender, mapping));
  } catch (error) {
    const isExpected = error instanceof listErrors.TableUnavailable || error instanceof StaleRead;
    if (!isExpected) logger.error('an alert could not be taken', { error: error as Error });
    return { ...NO_TICKET, outcome: 'failed' };
  }
}

type Step = (
  alert: Alert,
  episodes: Episodes,
  sender: Parameters<typeof openTicket>[0],
  mapping: () => Promise<Mapping>,
) => Promise<Done>;

/** What comes late does so within this time, in milliseconds: senders give up sooner. */
const LATE_WITHIN = 15 * 60_000;

const fire: Step = async (alert, episodes, sender, mapping) => {
  const { startsAt } = alert;
  const { now } = sender.tenant.session;
  const repeated = await episodes.repeat(startsAt);
  if (repeated !== undefined) return done('repeated', repeated);
  const found = await episodes.read();
  if (found?.state === 'firing') return done('repeated', (await episodes.moveStart(found, startsAt)) ?? found);
  const isLate = found !== undefined && Math.abs(now - found.resolved_at) < LATE_WITHIN && startsAt <= found.ends_at;
  if (isLate && startsAt > 0) return done('ignored', found);
  const ticket = await openTicket(sender, alert, await mapping(), found);
  episodes.stage(found, {
    ...ticket,
    ...{ state: 'firing', starts_at: startsAt, ends_at: found?.ends_at ?? 0, resolved_at: 0, repeats: 0 },
  });
  return done('opened', ticket);
};

const resolve: Step = async ({ startsAt, endsAt }, episodes, sender) => {
  const { now } = sender.tenant.session;
  const found = await episodes.read();
  const over = { state: 'resolved', ends_at: Math.max(endsAt, found?.ends_at ?? 0), resolved_at: now } as const;
  if (found?.state !== 'firing') {
    // What fired before may still come.
    if (endsAt > (found?.ends_at ?? 0)) episodes.stage(found, { ...NEVER, starts_at: startsAt, ...found, ...over });
    return done('ignored', found ?? NO_TICKET);
  }
  if (endsAt > 0 && endsAt < found.starts_at) return done('ignored', found);
  if (found.ticket_id !== null) await closeTicket(sender, found.ticket_id);
  episodes.stage(found, { ...found, ...over });
  return done('resolved', found);
};

const NEVER: Omit<Episode, 'revision'> = {
  ...{ ...NO_TICKET, state: 'resolved', starts_at: 0, ends_at: 0, resolved_at: 0, repeats: 0 },
};

const done = (outcome: Outcome, { ticket_id, ticket_code }: Named): Done => ({ outcome, ticket_id, ticket_code });

/** Makes something when it is first asked for, and again where that failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    const making = made ?? make();
    made = making;
    making.catch(() => {
      made = undefined;
    });
    return making;
  };
}
