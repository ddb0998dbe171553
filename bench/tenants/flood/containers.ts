import { registerHooks } from 'node:module';
import type { RequestBudget } from '../../../shared/tenancy/budget/request-budget.ts';

/** Containers of Lambda: each has its own copy of the modules that keep request budgets. */

type BudgetModule = typeof import('../../../shared/tenancy/budget/request-budget.ts');

const MODULE = new URL('../../../shared/tenancy/budget/request-budget.ts', import.meta.url);
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

  /** A container that serves a request from now on, a new one where all are busy; undefined where there may be no more. */
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
