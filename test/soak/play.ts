import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Effect, Entry } from './history.ts';
import { over, useNetwork } from './network.ts';
import { type Attempt, type Plan, SUBJECTS } from './plan.ts';
import { create, deliver } from './requests.ts';
import { newSender, recordsOf, type Sender } from './stage.ts';

export interface Played {
  readonly history: readonly Entry[];
  readonly effects: readonly Effect[];
}

/** Plays a plan in a tenant of its own: all workers at once, then one undisturbed request of each subject that was touched. */
export async function play({ workers }: Plan): Promise<Played> {
  useNetwork();
  const sender = await newSender();
  let clock = 0;
  const history: Entry[] = [];
  const send = async (attempt: Attempt): Promise<void> => {
    const invoked = clock++;
    const { result, crashed } = await over(attempt.faults, () => request(sender, attempt));
    const { kind, subject, variant } = attempt;
    history.push({ kind, subject, variant, invoked, returned: clock++, crashed, ...seen(result) });
  };
  await Promise.all(
    workers.map(async (attempts) => {
      for (const attempt of attempts) await send(attempt);
    }),
  );
  for (const attempt of lastOnes(history)) await send(attempt);
  return { history, effects: await effectsOf(sender) };
}

/** A client of the first subject has a value that must be unique: who meets the work of its own first attempt may not take it for a clash. */
function request(sender: Sender, { kind, subject, variant }: Attempt): Promise<APIGatewayProxyResult> {
  const id = `${kind}-${subject}`;
  const client = { name: nameOf({ kind, subject, variant }), ...(subject === 0 ? { slug: id } : {}) };
  return (kind === 'event' ? deliver : create)(sender, id, client);
}

const nameOf = ({ kind, subject, variant }: Omit<Attempt, 'faults'>): string => `${kind} ${subject} ${variant}`;

/** What the sender sees of an answer. */
function seen({ statusCode, headers, body }: APIGatewayProxyResult) {
  const { id, type } = JSON.parse(body) as { id?: string; type?: string };
  return {
    status: statusCode,
    problem: type?.split(':').at(-1),
    record: id,
    replayed: headers?.['Idempotent-Replayed'] === 'true',
  };
}

/** A sender does not give up. */
const lastOnes = (history: readonly Entry[]): Attempt[] =>
  (['event', 'create'] as const).flatMap((kind) =>
    Array.from({ length: SUBJECTS }, (_, subject) => ({ kind, subject, variant: 0, faults: [] })).filter(
      ({ subject }) => history.some((entry) => entry.kind === kind && entry.subject === subject),
    ),
  );

/** The clients there are; and of an event, as many as there are records of it, if those are more. */
async function effectsOf(sender: Sender): Promise<Effect[]> {
  const [clients, events] = await Promise.all([recordsOf(sender, 'CLIENT'), recordsOf(sender, 'WEBHOOK_EVENT')]);
  const created = clients.map((client): Effect => {
    const [kind, subject, variant] = String(client.name).split(' ');
    return {
      kind: kind === 'event' ? 'event' : 'create',
      subject: Number(subject),
      variant: Number(variant),
      record: String(client.id),
    };
  });
  const known = new Set(events.map(({ record_id }) => record_id));
  const ofEvents = created.filter(({ kind }) => kind === 'event');
  if (events.length !== ofEvents.length || !ofEvents.every(({ record }) => known.has(record))) {
    throw new Error(`${ofEvents.length} effects of events, but ${events.length} events are kept`);
  }
  return created;
}
