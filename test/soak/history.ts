import type { Attempt } from './plan.ts';

/** What was seen of a run from outside, and whether it can have come of requests that each have their effect once or not at all. */

/**
 * - `ok`: it was done by this very request;
 * - `fail`: it was refused, for it had been done before;
 * - `unknown`: the sender cannot tell.
 */
export type Outcome = 'ok' | 'fail' | 'unknown';

export interface Entry extends Pick<Attempt, 'kind' | 'subject' | 'variant'> {
  /** Order of what happened in the run: the request was sent, and its answer came. */
  readonly invoked: number;
  readonly returned: number;
  readonly status: number;
  /** Last part of the problem's type. */
  readonly problem: string | undefined;
  /** Whether the process was made to die under it. */
  readonly crashed: boolean;
  /** Id of the record that the answer names, where it names one. */
  readonly record: string | undefined;
  /** An idempotency key's first answer, given again. */
  readonly replayed: boolean;
}

/** A record that was found when all had come to rest. */
export interface Effect extends Pick<Attempt, 'kind' | 'subject' | 'variant'> {
  readonly record: string;
}

const REFUSALS: ReadonlySet<string | undefined> = new Set([
  'event-already-processed',
  'event-id-reused',
  'idempotency-key-reused',
]);

/** Undefined for an answer that nothing explains. */
export function outcomeOf({ status, problem, crashed, replayed }: Entry): Outcome | undefined {
  if (status === 200 || status === 201) return replayed ? 'fail' : 'ok';
  if (REFUSALS.has(problem)) return 'fail';
  return status === 503 || (status === 500 && crashed) ? 'unknown' : undefined;
}

/** What is wrong with a history; empty when nothing is. */
export function complaintsOf(history: readonly Entry[], effects: readonly Effect[]): string[] {
  const subjects = new Set(history.map(nameOf));
  const strange = history.filter((entry) => outcomeOf(entry) === undefined);
  return [
    ...strange.map((entry) => `an answer that nothing explains: ${JSON.stringify(entry)}`),
    ...[...subjects].flatMap((name) =>
      complaintsOfOne(
        history.filter((entry) => nameOf(entry) === name),
        effects.filter((effect) => nameOf(effect) === name),
      ).map((complaint) => `${name}: ${complaint}`),
    ),
  ];
}

const nameOf = ({ kind, subject }: Pick<Attempt, 'kind' | 'subject'>): string => `${kind} ${subject}`;

function complaintsOfOne(history: readonly Entry[], effects: readonly Effect[]): string[] {
  const done = history.filter((entry) => outcomeOf(entry) === 'ok');
  const refused = history.filter((entry) => outcomeOf(entry) === 'fail');
  const [effect, ...more] = effects;
  const complaints: string[] = [];
  if (more.length > 0) complaints.push(`${effects.length} effects`);
  if (done.length > 1) complaints.push(`done ${done.length} times`);
  // Every run ends with a request that nothing disturbs.
  if (effect === undefined) return [...complaints, 'lost: there is no effect'];
  for (const entry of [...done, ...refused]) {
    const claimed = !(entry.problem?.endsWith('reused') ?? false);
    if (claimed !== (entry.variant === effect.variant))
      complaints.push(`an answer for the other body: ${entry.status}`);
    if (entry.record !== undefined && entry.record !== effect.record) complaints.push('an answer names another record');
  }
  for (const entry of refused) if (!hasCause(entry, effect, history)) complaints.push('refused before it was done');
  if (done.length === 0 && !history.some((entry) => mayHaveDone(entry, effect))) complaints.push('done by nobody');
  return complaints;
}

/** Whether somebody else can have done it by the time this was refused. */
const hasCause = (refused: Entry, effect: Effect, history: readonly Entry[]): boolean =>
  history.some((other) => other !== refused && mayHaveDone(other, effect) && other.invoked < refused.returned);

const mayHaveDone = (entry: Entry, effect: Effect): boolean =>
  entry.variant === effect.variant && ['ok', 'unknown'].includes(outcomeOf(entry) ?? '');
