import { randomUUID } from 'node:crypto';
import { ids } from '@custodia/counted-lists';
import { terminalEntity } from '../../functions/terminals/store.ts';
import { JournalReader, RequestSession, Tenant } from '../../shared/table/index.ts';
import { aCaller } from '../support/caller.ts';
import { type Conflicts, SleepingHandler } from '../support/conflicts.ts';
import type { DeliveryWorld, Organization } from '../support/delivery-world.ts';
import type { FreshTable } from '../support/dynamodb.ts';
import type { Random } from '../support/random.ts';
import { doIn, tableAt } from '../support/storage.ts';

/**
 * Writers of one organization that create and change the same few records at once; some die, and some sleep in the
 * middle of their commit.
 */

/** Records that they change: few, so that their transactions conflict. */
const RECORDS = 8;
/** More calls than a change makes. */
const CALLS = 4;
const LONGEST_SLEEP = 3;

export class Writers {
  /** How many died or slept. */
  troubles = 0;
  readonly #world: DeliveryWorld;
  readonly #place: FreshTable;
  readonly #organization: Organization;
  readonly #conflicts: Conflicts;
  readonly #random: Random;
  readonly #records: string[] = [];
  #asleep: { readonly rounds: number; readonly wakeUp: () => void }[] = [];
  readonly #changes = new Set<Promise<void>>();

  constructor(
    world: DeliveryWorld,
    place: FreshTable,
    organization: Organization,
    conflicts: Conflicts,
    random: Random,
  ) {
    this.#world = world;
    this.#place = place;
    this.#organization = organization;
    this.#conflicts = conflicts;
    this.#random = random;
  }

  /** So many make a change each, at once. Those that sleep are left behind. */
  async write(writers: number, isTroubled = true): Promise<void> {
    this.#asleep = this.#asleep.flatMap(({ rounds, wakeUp }) => {
      if (rounds > 0) return [{ rounds: rounds - 1, wakeUp }];
      wakeUp();
      return [];
    });
    const awake: Promise<void>[] = [];
    for (let writer = 0; writer < writers; writer++) {
      const handler = new SleepingHandler(this.#conflicts);
      const isAsleep = isTroubled && this.#random.chance(0.08);
      if (isAsleep) {
        this.troubles += 1;
        this.#asleep.push({ rounds: this.#random.below(LONGEST_SLEEP + 1), wakeUp: handler.sleep() });
      }
      if (isTroubled && this.#random.chance(0.1)) this.#kill(handler);
      const change = this.#change(handler).finally(() => this.#changes.delete(change));
      this.#changes.add(change);
      if (!isAsleep) awake.push(change);
    }
    await Promise.all(awake);
  }

  /** Wakes all, and waits for them. */
  async end(): Promise<void> {
    for (const { wakeUp } of this.#asleep) wakeUp();
    await Promise.all(this.#changes);
  }

  #kill(handler: SleepingHandler): void {
    const at = this.#random.below(CALLS);
    const how = this.#random.oneOf(['crash', 'crash-after'] as const);
    handler.plan = ({ index }) => {
      if (index !== at) return undefined;
      this.troubles += 1;
      return how;
    };
  }

  async #change(handler: SleepingHandler): Promise<void> {
    const { clock } = this.#world;
    const table = tableAt(this.#place, handler);
    const tenant = Tenant.of(aCaller(this.#organization.id), new RequestSession(table, clock, clock() + 10_000));
    const terminals = tenant.records(terminalEntity);
    const name = `Desk ${this.#random.below(1_000)}`;
    const changed = this.#records.length < RECORDS ? undefined : this.#random.oneOf(this.#records);
    try {
      await doIn(tenant, async () => {
        const found = changed === undefined ? undefined : await terminals.get(changed);
        if (found !== undefined) return void (await terminals.update(found, { name }));
        const created_at = tenant.session.timestamp;
        const fields = { client_id: randomUUID(), external_id: null, name, location: '', status: 'active', created_at };
        const { record } = await terminals.create({ fields });
        if (this.#records.length < RECORDS) this.#records.push(record.id);
      });
    } catch {
      // It died, or others were faster too often.
    }
  }
}

/** The events of terminals that the journal has, by their numbers, oldest first. */
export async function eventsOf(
  organization: Organization,
): Promise<{ readonly number: number; readonly type: string }[]> {
  const found: { number: number; type: string }[] = [];
  for (let from: number | 'oldest' = 'oldest', ended = 'limit'; ended === 'limit'; ) {
    const page: Awaited<ReturnType<JournalReader['read']>> = await new JournalReader(organization.open()).read({
      ...{ from, limit: 1_000 },
    });
    for (const { id, type } of page.events)
      if (type.startsWith('terminal.')) found.push({ number: ids.numberOf(id), type });
    ({ next: from, ended } = page);
    if (ended === 'open') throw new Error('a number is open for longer than any writer lives');
  }
  return found;
}
