import { listErrors } from '@custodia/counted-lists';
import { Problem, pointer } from '#contract';
import { runToCommit } from '#http';
import type { Caller } from '#identity';
import { type RequestSession, StaleRead, Tenant } from '#table';
import { logger } from '#telemetry';
import { inOrder } from '../batch/in-order.ts';
import type { Alert } from './alert.ts';
import { mappingOf } from './references.ts';
import { type Collected, type Done, listCollected, NO_TICKET, type Outcome, Step } from './steps.ts';
import type { Sender } from './ticket.ts';

/** Alerts that are carried out at the same time, each in a transaction of its own. */
const AT_ONCE = 8;
/** After so long none is begun, in milliseconds: what is left is to be sent again. */
const BEGIN_WITHIN = 12_000;

export interface Result extends Done {
  readonly fingerprint: string | null;
}

interface Sent {
  readonly caller: Caller;
  readonly session: RequestSession;
}

/**
 * Takes alerts, those with one fingerprint in their order.
 * @param alerts null for what is no alert
 * @returns what was done about each
 * @throws Problem `unavailable` where some are to be sent again, else `invalid-body` where some are no alerts; both
 *   have the results too
 */
export async function receiveAlerts(alerts: readonly (Alert | null)[], sent: Sent): Promise<readonly Result[]> {
  const { caller, session } = sent;
  const mapping = once(() => mappingOf(Tenant.of(caller, session), caller.id));
  const collected: Collected = new Map();
  const carryOut = async ({ alert }: { readonly alert: Alert | null }): Promise<Result> => {
    if (alert === null) return { ...NO_TICKET, fingerprint: null, outcome: 'refused' };
    const isLate = session.clock() - session.now >= BEGIN_WITHIN;
    const act = (step: Step) => (alert.status === 'firing' ? step.fire(alert, mapping) : step.resolve(alert));
    return { fingerprint: alert.shown, ...(isLate ? NOT_ATTEMPTED : await take(alert.digest, sent, collected, act)) };
  };
  const named = alerts.map((alert) => ({ alert, names: alert === null ? [] : [alert.digest] }));
  const results = await inOrder(named, {
    atOnce: AT_ONCE,
    carryOut,
    isUndecided: ({ outcome }) => UNDECIDED.includes(outcome),
    leaveOut: ({ alert }) => ({ ...NOT_ATTEMPTED, fingerprint: alert?.shown ?? null }),
  });
  await listCollected(senderIn(sent), collected);
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

type Act = (step: Step) => Promise<Done>;

/** Carries out one alert, in a session of its own. */
async function take(digest: string, sent: Sent, collected: Collected, act: Act): Promise<Done> {
  const sender = senderIn(sent);
  const step = new Step(sender, collected, digest);
  try {
    const done = await runToCommit(sender.tenant.session, () => act(step));
    step.noteCollected(done);
    return done;
  } catch (error) {
    const isExpected = error instanceof listErrors.TableUnavailable || error instanceof StaleRead;
    if (!isExpected) logger.error('an alert could not be taken', { error: error as Error });
    return { ...NO_TICKET, outcome: 'failed' };
  }
}

const senderIn = ({ caller, session }: Sent): Sender => ({ tenant: Tenant.of(caller, session.beside()), caller });

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
