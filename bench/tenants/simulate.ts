import type { Table } from '@custodia/counted-lists';
import type { Settings } from '../../infra/settings.ts';
import { methodThrottle } from '../../local/gateway/admission.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { RequestSession } from '../../shared/table/index.ts';
import { countUnits, increment } from '../../shared/telemetry/index.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { type Random, randomOf } from '../../test/support/random.ts';
import { ASSUMED } from '../cost/assumptions.ts';
import { AddressLimit, type Container, Containers } from './containers.ts';
import { Events, waitsOf } from './events.ts';
import { type Arrival, arrivals } from './load.ts';
import type { Operation } from './operations.ts';
import { Partitions, partitionsFor } from './partitions.ts';
import { FLOODED, type Scenario, type Size, TENANTS } from './scenarios.ts';

/** What became of requests. Those that are not served were refused, or failed with 5xx. */
export interface Outcomes {
  sent: number;
  served: number;
  /** Until a later attempt was served, in milliseconds. */
  longestWait: number;
}

const noOutcomes = (): Outcomes => ({ sent: 0, served: 0, longestWait: 0 });

/** What became of the requests that arrived during the flood, by who sent them. */
export interface Simulated {
  readonly scenario: Scenario;
  readonly flooding: Outcomes;
  /** Others on the flooded route, and on other routes. */
  readonly near: Outcomes;
  readonly far: Outcomes;
}

/** Charges the work of a request that has ended. */
type ChargeWork = (retries: number) => Promise<void>;

/** Any time: budgets are stored with it. */
const START = Date.parse('2026-11-20T09:00:00.000Z');

/**
 * Plays a scenario on a clock of its own. Budgets and the stage's throttle are the service's code; the rest is
 * modelled.
 */
export class Simulation {
  readonly #scenario: Scenario;
  readonly #size: Size;
  readonly #table: Table;
  #now = 0;
  readonly #clock = (): number => START + this.#now;
  readonly #setClock = (at: number): void => {
    this.#now = at;
  };
  readonly #throttle: (method: string) => void;
  readonly #firewall: AddressLimit;
  readonly #containers = new Containers();
  readonly #partitions: Partitions;
  readonly #events = new Events();
  readonly #random: Random = randomOf(1, 'backoff');
  readonly #outcomes = { flooding: noOutcomes(), near: noOutcomes(), far: noOutcomes() };

  constructor(scenario: Scenario, size: Size, settings: Settings, table: Table) {
    this.#scenario = scenario;
    this.#size = size;
    this.#table = table;
    const { throttleRate: rate, addressLimit } = settings;
    this.#throttle = methodThrottle(scenario.throttling ?? { rate, burst: 2 * rate }, this.#clock);
    this.#partitions = new Partitions(partitionsFor(TENANTS));
    this.#firewall = new AddressLimit(addressLimit);
  }

  async run(operations: ReadonlyMap<string, Operation>): Promise<Simulated> {
    for (const arrival of arrivals(this.#scenario, this.#size, operations)) {
      await this.#events.until(arrival.at, this.#setClock);
      this.#setClock(arrival.at);
      await this.#serve(arrival);
    }
    await this.#events.until(Number.POSITIVE_INFINITY, this.#setClock);
    return { scenario: this.#scenario, ...this.#outcomes };
  }

  async #serve(arrival: Arrival): Promise<void> {
    const { operation, address } = arrival;
    const outcomes = this.#outcomesOf(arrival);
    outcomes.sent += 1;
    if (!this.#firewall.admits(address, this.#now) || !admits(() => this.#throttle(operation.route))) return;
    const container = await this.#containers.enter(operation.domain);
    if (container === undefined) return;
    const chargeWork = await this.#charge(container, arrival);
    if (chargeWork === undefined) this.#leave(container, this.#now + ASSUMED.ownMs);
    else this.#readAndWrite(arrival, container, outcomes, chargeWork);
  }

  /** What happens before the flood is not counted. */
  #outcomesOf({ at, isFlood, operation }: Arrival): Outcomes {
    if (at < this.#size.before * 1_000) return noOutcomes();
    if (isFlood) return this.#outcomes.flooding;
    return operation.title === FLOODED ? this.#outcomes.near : this.#outcomes.far;
  }

  #leave(container: Container, at: number, chargeWork?: () => Promise<void>): void {
    this.#events.add(at, async () => {
      await chargeWork?.();
      this.#containers.leave(container);
    });
  }

  /** Charges the request, as the pipeline does. @returns what charges its work; undefined where a budget refuses it */
  #charge(container: Container, { operation, caller }: Arrival): Promise<ChargeWork | undefined> {
    const invocation = new Invocation({});
    return within(invocation, async () => {
      const budget = new container.Budget(new RequestSession(this.#table, this.#clock, Number.POSITIVE_INFINITY));
      try {
        budget.charge(caller);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return undefined;
      }
      await budget.flushed;
      return (retries: number) =>
        within(invocation, async () => {
          countUnits(operation.units);
          increment('TableRetries', retries);
          budget.chargeWork();
          await budget.flushed;
        });
    });
  }

  #readAndWrite(
    { operation, caller }: Arrival,
    container: Container,
    outcomes: Outcomes,
    chargeWork: ChargeWork,
  ): void {
    const tenant = String(caller.orgId);
    const waits = waitsOf(operation, this.#random);
    const begin = this.#now;
    let retries = 0;
    const end = (at: number) => this.#leave(container, at, () => chargeWork(retries));
    const attempt = (at: number): void => {
      if (this.#partitions.take(operation, tenant, at)) {
        outcomes.served += 1;
        outcomes.longestWait = Math.max(outcomes.longestWait, at - begin);
        end(at + ASSUMED.ownMs + operation.roundTrips * ASSUMED.roundTripMs);
        return;
      }
      const { value: wait } = waits.next();
      if (wait === undefined) {
        end(at + ASSUMED.ownMs);
      } else {
        retries += 1;
        this.#events.add(at + wait, () => attempt(at + wait));
      }
    };
    attempt(begin);
  }
}

function admits(throttle: () => void): boolean {
  try {
    throttle();
    return true;
  } catch {
    return false;
  }
}
