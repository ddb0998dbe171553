import { randomOf } from '../support/random.ts';
import { Client, type Held, type Servers } from './clients.ts';
import type { Fleet } from './fleet.ts';
import { complaintsOf, outcomeOf } from './history.ts';
import type { Fate } from './network.ts';
import { readAll } from './reading.ts';
import { type Kind, Recorder } from './recorder.ts';

/**
 * A random history: several clients at several servers, whose clocks differ, over a network that fails; one server is paused and one is killed.
 *
 * The seed makes again what each client does, as long as the answers are the same, and what becomes of the n-th call of each server. It does not make
 * again how requests and calls interleave: that is the machine's choice.
 */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How far the clocks of the servers are ahead, in milliseconds. */
export const CLOCKS = [0, -3 * MINUTE, 60 * DAY, 7 * MINUTE];
/** Takes no numbers, so that all of them are overdue by its clock. It reads the lists at the end. */
const READER = 3;
/** A clock that is days ahead takes idempotency keys and ids of events for expired (`docs/decisions/0160-clocks.md`). */
const BY_ROLE: Servers = { all: [0, 1, 2, READER], creating: [0, 1, 2], repeating: [0, 1] };

const CLIENTS = 6;

/** One call in six has a fate of its own. */
const FATES: readonly Fate[] = [
  'dropped',
  'reply-lost',
  'forgotten',
  'late',
  'late-forgotten',
  'repeated',
  'repeated-forgotten',
  'stale',
  'stale',
  'conflict',
];
const ONE_IN = 6;

export interface Tally {
  histories: number;
  requests: number;
  done: number;
  refused: number;
  unknown: number;
  /** Calls that did not simply pass. */
  faults: number;
}

export const noTally = (): Tally => ({ histories: 0, requests: 0, done: 0, refused: 0, unknown: 0, faults: 0 });

/** Plays one history of so many steps of each client. @throws Error with the seed, the history and what is wrong with it */
export async function play(fleet: Fleet, seed: number, steps: number, tally: Tally): Promise<void> {
  const recorder = new Recorder(fleet, await fleet.organization());
  await Promise.all(fleet.servers.map((_, server) => recorder.tokenOf(server)));
  const clients = await newClients(recorder, seed);
  const ended = disturb(recorder, seed, CLIENTS * steps);
  await Promise.all(
    clients.map(async (client) => {
      for (let step = 0; step < steps; step++) await client.step();
    }),
  );
  await ended();
  await fleet.network.settle();

  const found = await readAll(recorder, READER);
  const complaints = [...complaintsOf(recorder.history, found), ...(await fleet.verify(recorder.organization))];
  tally.histories += 1;
  tally.requests += recorder.history.length;
  for (const entry of recorder.history) tally[outcomeOf(entry) ?? 'unknown'] += 1;
  tally.faults = fleet.network.faults;
  if (complaints.length > 0) {
    const lines = recorder.history.map((entry) => JSON.stringify(entry));
    throw new Error(`seed ${seed}:\n${complaints.join('\n')}\n\n${lines.join('\n')}`);
  }
}

/** Clients, each with a record of `/clients`, and records that all of them change. */
async function newClients(recorder: Recorder, seed: number): Promise<Client[]> {
  const create = async (kind: Kind, mark: string, fields = {}): Promise<Held> => {
    const { body } = await recorder.act(0, { do: 'create', kind, mark, fields, via: 'request' });
    return { kind, id: String(body.id), fields };
  };
  const names = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`);
  const owners = await Promise.all(names.map((name) => create('clients', name)));
  const fields = { client_id: owners[0]?.id };
  const shared = await Promise.all([create('tickets', 'shared', fields), create('services', 'shared', fields)]);
  return names.map(
    (name, index) => new Client(recorder, { name, seed, servers: BY_ROLE }, owners[index] as Held, shared),
  );
}

/**
 * Lets the network fail, pauses a server for a while and kills one, all counted in requests. A paused server goes on at the latest when all clients
 * wait for it.
 * @returns what ends it
 */
function disturb(recorder: Recorder, seed: number, requests: number): () => Promise<void> {
  const { fleet, history, pending } = recorder;
  const { below } = randomOf(seed, 'disturbances');
  const [paused, killed] = [below(fleet.servers.length), below(fleet.servers.length)];
  const pauseAt = below(requests / 3);
  const resumeAt = pauseAt + below(requests / 3);
  const killAt = below(requests);
  let state: 'running' | 'paused' | 'resumed' = 'running';
  let restarted: Promise<void> | undefined;

  const resume = (): void => {
    fleet.servers[paused]?.resume();
    state = 'resumed';
  };
  recorder.onChange = () => {
    const waiting = [...pending.values()].reduce((sum, each) => sum + each, 0);
    if (state === 'running' && history.length >= pauseAt) {
      fleet.servers[paused]?.pause();
      state = 'paused';
    } else if (state === 'paused' && (history.length >= resumeAt || waiting === pending.get(paused))) resume();
    if (restarted === undefined && history.length >= killAt) restarted = fleet.servers[killed]?.restart();
  };
  const fates = fleet.servers.map((_, server) => randomOf(seed, `network ${server}`));
  fleet.network.decide = (server) => {
    const random = fates[server];
    return random?.below(ONE_IN) === 0 ? random.oneOf(FATES) : 'pass';
  };
  return async () => {
    recorder.onChange = () => undefined;
    fleet.network.decide = () => 'pass';
    resume();
    await restarted;
  };
}
