import type { Table } from '@custodia/counted-lists';
import type { Settings } from '../../../infra/settings.ts';
import { methodThrottle } from '../../../local/gateway/throttle.ts';
import { Problem } from '../../../shared/contract/problem.ts';
import { RequestSession } from '../../../shared/table/index.ts';
import { countUnits, Invocation, increment, within } from '../../../shared/telemetry/index.ts';
import { type Random, randomOf } from '../../../test/support/random.ts';
import { ASSUMED } from '../../cost/assumptions.ts';
import { type Container, Containers } from './containers.ts';
import { Events } from './events.ts';
import { AddressLimit } from './firewall.ts';
import { type Arrival, arrivals } from './load.ts';
import type { Operation } from './operations.ts';
import { noOutcomes, type Outcomes } from './outcomes.ts';
import { Partitions, partitionsFor } from './partitions.ts';
import { FLOODED, type Scenario, type Size, TENANTS } from './scenarios.ts';
import { waitsOf } from './waits.ts';

/** Who sent a request. */
export const GROUPS = ['the flood', 'others, same route', 'others, other routes'] as const;
export type Group = (typeof GROUPS)[number];

/** What became of the requests that arrived during the flood. */
export interface Simulated {
  readonly scenario: Scenario;
  readonly outcomes: Readonly<Record<Group, Outcomes>>;
}

/** Charges the work of a request that has ended. */
type Settle = (retries: number) => Promise<void>;

/** Any time: budgets are stored with it. */
const START = Date.parse('2026-11-20T09:00:00.000Z');

/** Plays a scenario on a clock of its own. Budgets and the stage's throttle are the service's code; the rest is modelled. */
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
  readonly #outcomes: Readonly<Record<Group, Outcomes>> = {
    'the flood': noOutcomes(),
    'others, same route': noOutcomes(),
    'others, other routes': noOutcomes(),
  };

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
    return { scenario: this.#scenario, outcomes: this.#outcomes };
  }

  async #serve(arrival: Arrival): Promise<void> {
    const { operation, address } = arrival;
    const outcomes = this.#outcomesOf(arrival);
    outcomes.sent += 1;
    if (!this.#firewall.admits(address, this.#now)) {
      outcomes.byFirewall += 1;
      return;
    }
    if (!admits(() => this.#throttle(operation.route))) {
      outcomes.byStage += 1;
      return;
    }
    const container = await this.#containers.enter(operation.domain);
    if (container === undefined) {
      outcomes.failed += 1;
      return;
    }
    const charged = await this.#charge(container, arrival);
    if (typeof charged !== 'string') this.#readAndWrite(arrival, container, outcomes, charged);
    else {
      outcomes[charged === 'tenant' ? 'byTenantBudget' : 'byOwnBudget'] += 1;
      this.#leave(container, this.#now + ASSUMED.ownMs);
    }
  }

  /** Those before the flood are not told. */
  #outcomesOf({ at, isFlood, operation }: Arrival): Outcomes {
    if (at < this.#size.before * 1_000) return noOutcomes();
    if (isFlood) return this.#outcomes['the flood'];
    return this.#outcomes[operation.title === FLOODED ? 'others, same route' : 'others, other routes'];
  }

  #leave(container: Container, at: number, settle?: () => Promise<void>): void {
    this.#events.add(at, async () => {
      await settle?.();
      this.#containers.leave(container);
    });
  }

  /** Charges the request, as the pipeline does. @returns the budget that refuses it, or what charges its work */
  #charge(container: Container, { operation, caller }: Arrival): Promise<'default' | 'tenant' | Settle> {
    const invocation = new Invocation({});
    return within(invocation, async () => {
      const budget = new container.Budget(new RequestSession(this.#table, this.#clock, Number.POSITIVE_INFINITY));
      try {
        budget.charge(caller);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return error.headers['RateLimit-Policy']?.startsWith('"tenant"') === true ? 'tenant' : 'default';
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

  #readAndWrite({ operation, caller }: Arrival, container: Container, outcomes: Outcomes, settle: Settle): void {
    const tenant = String(caller.orgId);
    const waits = waitsOf(operation, this.#random);
    const begin = this.#now;
    let retries = 0;
    const end = (at: number) => this.#leave(container, at, () => settle(retries));
    const attempt = (at: number): void => {
      if (this.#partitions.take(operation, tenant, at)) {
        outcomes.served += 1;
        if (at > begin) outcomes.waited += 1;
        outcomes.longestWait = Math.max(outcomes.longestWait, at - begin);
        end(at + ASSUMED.ownMs + operation.roundTrips * ASSUMED.roundTripMs);
        return;
      }
      const { value: wait } = waits.next();
      if (wait === undefined) {
        outcomes.failed += 1;
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
