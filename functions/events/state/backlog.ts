import { feed, type Key, schema } from '#lists';
import { journalEntity, type RequestSession } from '#table';
import { recordsPartition } from '#table/keys';
import { readItems } from '#table/storage';
import { deliveryStateKey } from '#tenancy/keys';
import type { Registration } from './register.ts';
import { type DeliveryState, stateIn } from './state.ts';

/**
 * What is known of the deliveries to a registered endpoint without its tenant's session: numbers, and nothing of a
 * record.
 */
export interface Backlog {
  readonly registration: Registration;
  /** Undefined where there is none. */
  readonly state: DeliveryState | undefined;
  /** The next number of its tenant's journal. */
  readonly end: number;
  /** That of its tenant's journal. */
  readonly generation: string;
}

/** Most keys of a call. */
const KEYS_A_CALL = 100;
/** Each takes two keys at most. */
const A_CALL = KEYS_A_CALL / 2;

/**
 * The backlogs of these endpoints, with the function's own rights: half a unit for each, and one for each tenant.
 * Eventually consistent.
 */
export async function* readBacklogs(
  { tables, clock, observer }: RequestSession,
  registrations: readonly Registration[],
): AsyncGenerator<Backlog> {
  for (let start = 0; start < registrations.length; start += A_CALL) {
    const some = registrations.slice(start, start + A_CALL);
    const keys = some.flatMap((each) => [stateKeyOf(each), endKeyOf(each)]);
    const distinct = [...new Map(keys.map((key) => [schema.nameOf(key), key])).values()];
    const timeLimit = { clock, deadline: clock() + TIMEOUT, observer };
    const { items } = await readItems(tables.environment, distinct, timeLimit, { ConsistentRead: false });
    for (const registration of some) {
      const state = items.get(schema.nameOf(stateKeyOf(registration)));
      const counter = items.get(schema.nameOf(endKeyOf(registration))) ?? {};
      const generation = await feed.generationOf(tables.environment, counter);
      yield { registration, state: state && stateIn(state), end: feed.nextIn(counter), generation };
    }
  }
}

const stateKeyOf = ({ tenant, endpointId }: Registration): Key => deliveryStateKey(tenant, endpointId);
const endKeyOf = ({ tenant }: Registration): Key => feed.counterKeyOf(recordsPartition(tenant, journalEntity.name));

/** In milliseconds. */
const TIMEOUT = 10_000;
