import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { feed, type Item, type Key, listErrors, retry } from '#lists';
import { journalEntity, type RequestSession } from '#table';
import { recordsPartition } from '#table/keys';
import type { Registration } from './delivery-register.ts';
import { type DeliveryState, stateIn } from './delivery-state.ts';
import { deliveryStateKey } from './keys.ts';

/** What is known of the deliveries to a registered endpoint without its tenant's session: numbers, and nothing of a record. */
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

/** The backlogs of these endpoints, with the function's own rights: half a unit for each, and one for each tenant. Eventually consistent. */
export async function* readBacklogs(
  session: RequestSession,
  registrations: readonly Registration[],
): AsyncGenerator<Backlog> {
  for (let start = 0; start < registrations.length; start += A_CALL) {
    const some = registrations.slice(start, start + A_CALL);
    const keys = some.flatMap((each) => [stateKeyOf(each), endKeyOf(each)]);
    const items = await readItems(session, [...new Map(keys.map((key) => [nameOf(key), key])).values()]);
    for (const registration of some) {
      const state = items.get(nameOf(stateKeyOf(registration)));
      const counter = items.get(nameOf(endKeyOf(registration))) ?? {};
      const generation = await feed.generationOf(session.tables.environment, counter);
      yield { registration, state: state && stateIn(state), end: feed.nextIn(counter), generation };
    }
  }
}

const stateKeyOf = ({ tenant, endpointId }: Registration): Key => deliveryStateKey(tenant, endpointId);
const endKeyOf = ({ tenant }: Registration): Key => feed.counterKeyOf(recordsPartition(tenant, journalEntity.name));
const nameOf = ({ PK, SK }: Key): string => `${PK}\n${SK}`;

/** The items of these keys, by {@link nameOf}. @throws TableUnavailable */
async function readItems(
  { tables, clock, observer }: RequestSession,
  keys: readonly Key[],
): Promise<ReadonlyMap<string, Item>> {
  const { client, name } = tables.environment;
  const found = new Map<string, Item>();
  let left: readonly Key[] = keys;
  const timeLimit = { clock, deadline: clock() + TIMEOUT, observer };
  await retry(async () => {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys: left.map((key) => ({ ...key })) } } }),
    );
    for (const item of Responses?.[name] ?? []) found.set(nameOf(item as unknown as Key), item);
    left = (UnprocessedKeys?.[name]?.Keys ?? []) as unknown as Key[];
    if (left.length > 0) throw new listErrors.Unprocessed();
  }, timeLimit);
  return found;
}

/** In milliseconds. */
const TIMEOUT = 10_000;
