import { registerHooks } from 'node:module';
import type { RequestBudget } from '../../shared/tenancy/budget/request-budget.ts';

/** Models of what is before and around the functions: Lambda's containers, and the firewall. */

/** Each container has its own copy of the modules that keep request budgets. */
type BudgetModule = typeof import('../../shared/tenancy/budget/request-budget.ts');

const MODULE = new URL('../../shared/tenancy/budget/request-budget.ts', import.meta.url);
const FOLDER = new URL('.', MODULE).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const [container] = /\?container=.*$/.exec(context.parentURL ?? '') ?? [];
    const isOwn = container !== undefined && resolved.url.startsWith(FOLDER);
    return isOwn ? { ...resolved, url: `${resolved.url}${container}` } : resolved;
  },
});

let made = 0;

export interface Container {
  readonly Budget: typeof RequestBudget;
  /** Whether it is serving a request. */
  isBusy: boolean;
}

/** Executions at the same time that an account has, of all functions together. */
const CONCURRENCY = 1_000;

/** The containers of all functions. */
export class Containers {
  readonly #byFunction = new Map<string, Container[]>();
  #busy = 0;

  /**
   * A container that serves a request from now on, a new one where all are busy; undefined where there may be no more.
   */
  async enter(domain: string): Promise<Container | undefined> {
    if (this.#busy >= CONCURRENCY) return undefined;
    const containers = this.#byFunction.get(domain) ?? [];
    this.#byFunction.set(domain, containers);
    const idle = containers.find(({ isBusy }) => !isBusy);
    const container = idle ?? (await newContainer());
    if (idle === undefined) containers.push(container);
    container.isBusy = true;
    this.#busy += 1;
    return container;
  }

  leave(container: Container): void {
    container.isBusy = false;
    this.#busy -= 1;
  }
}

async function newContainer(): Promise<Container> {
  const { RequestBudget: Budget } = (await import(`${MODULE.href}?container=${made++}`)) as BudgetModule;
  return { Budget, isBusy: false };
}

/**
 * The firewall's limit of an address. WAF counts the last five minutes every ten seconds or so, and refuses an address
 * until it is below its limit.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based.html
 */
const WINDOW_MS = 300_000;
const EVERY_MS = 10_000;

export class AddressLimit {
  readonly #limit: number;
  /** Requests of each period, by address. */
  readonly #counts = new Map<string, Map<number, number>>();
  #refused: ReadonlySet<string> = new Set();
  #period = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a request, refused or not. @returns whether it passes */
  admits(address: string, now: number): boolean {
    const period = Math.floor(now / EVERY_MS);
    if (period > this.#period) this.#begin(period);
    const counts = this.#counts.get(address) ?? new Map<number, number>();
    this.#counts.set(address, counts);
    counts.set(period, (counts.get(period) ?? 0) + 1);
    return !this.#refused.has(address);
  }

  #begin(period: number): void {
    this.#period = period;
    const refused = new Set<string>();
    for (const [address, counts] of this.#counts) {
      for (const old of counts.keys()) if ((period - old) * EVERY_MS > WINDOW_MS) counts.delete(old);
      const sum = counts.values().reduce((total, count) => total + count, 0);
      if (sum > this.#limit) refused.add(address);
    }
    this.#refused = refused;
  }
}
