import { DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FreshTable } from '../../test/support/dynamodb.ts';
import type { Bound } from '../bounds.ts';

/** A flood of one organization's events, and how long another one waits for its own, in virtual time and with one worker for all. */

/** A turn, and a call that begins at its end. In seconds. */
const LONGEST_WAIT = 21;
/** Of the flood's events, between two of the other organization. */
const EVERY = 150;
/** Wake-ups by which the stream announces the flood. */
const MESSAGES = 500;

export interface Flooded {
  readonly events: number;
  readonly delivered: number;
  /** From the commit of each of the other's events to its delivery, in seconds. */
  readonly waits: readonly number[];
}

export async function flood(place: FreshTable, events: number): Promise<Flooded> {
  const world = new DeliveryWorld(place);
  const [theirs, ours] = [await world.organization(), await world.organization()];
  const [many, few] = [await theirs.endpoint(), await ours.endpoint()];
  await theirs.flood(events);
  for (let sent = 0; sent < MESSAGES; sent++) await world.wake(theirs);
  const committed: number[] = [];
  many.receiver.responds = async () => {
    if (many.receiver.calls.length % EVERY !== 0) return { status: 204 };
    committed.push(world.now);
    await ours.changeAndWake();
    return { status: 204 };
  };
  await world.run();
  return {
    events,
    delivered: many.receiver.firstNumbers().length,
    waits: committed.map((at, index) => ((few.receiver.calls[index]?.at ?? Number.POSITIVE_INFINITY) - at) / 1_000),
  };
}

export const floodBounds = ({ events, delivered, waits }: Flooded): Bound[] => [
  { claim: 'events of a flood that were not delivered', value: events - delivered, limit: 0 },
  {
    claim: `seconds that the events of another organization wait during a flood of ${events}, at most (${waits.length} events)`,
    value: Math.max(...waits),
    limit: LONGEST_WAIT,
  },
];
