import { Invocation, within } from '../../shared/telemetry/index.ts';
import { DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FreshTable } from '../../test/support/dynamodb.ts';
import type { Bound } from '../bounds.ts';

/** What a tenant's background takes that replays large records to two endpoints without end, in virtual time. */

const MINUTE = 60_000;
const RECORD_BYTES = 128_000;
/** Of a receiver nearby, in milliseconds. */
const LATENCY = 11;
/** Of the tenant's request budget, a minute: few, so that few records are too many. */
const REQUESTS = 300;
/** Units for each of them, at most. */
const UNITS = 100;
const MINUTES = 3;

export interface Background {
  /** Of the minute that took the most. */
  readonly units: number;
  readonly bytes: number;
}

/** @param records too many to be delivered in these minutes */
export async function background(place: FreshTable, records: number): Promise<Background> {
  const before = process.env.TENANT_RATE_LIMIT ?? '';
  process.env.TENANT_RATE_LIMIT = String(REQUESTS);
  try {
    const world = new DeliveryWorld(place);
    world.latency = LATENCY;
    const organization = await world.organization();
    const endpoints = [
      await organization.endpoint({ payload: 'record' }),
      await organization.endpoint({ payload: 'record' }),
    ];
    await organization.change(records, 'x'.repeat(RECORD_BYTES));
    const sent = (): number => endpoints.flatMap(({ receiver }) => receiver.calls).length * RECORD_BYTES;
    const minutes: Background[] = [];
    for (let minute = 0; minute < MINUTES; minute++) {
      await world.wake(organization);
      const [invocation, bytes] = [new Invocation({}), sent()];
      await within(invocation, () => world.pass(MINUTE));
      minutes.push({ units: invocation.units, bytes: sent() - bytes });
    }
    return {
      units: Math.max(...minutes.map(({ units }) => units)),
      bytes: Math.max(...minutes.map(({ bytes }) => bytes)),
    };
  } finally {
    process.env.TENANT_RATE_LIMIT = before;
  }
}

export const backgroundBounds = ({ units, bytes }: Background): Bound[] => [
  {
    claim: 'units in a minute of a tenant that has large records delivered without end, for each of its requests',
    value: units / REQUESTS,
    limit: UNITS,
  },
  {
    claim: 'KB that are sent in that minute, for each of its requests',
    value: bytes / 1_024 / REQUESTS,
    limit: 256,
  },
];
