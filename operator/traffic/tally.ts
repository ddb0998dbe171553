/** Counts the responses of a run. */

export interface TrafficOutcome {
  readonly method: string;
  /** The path without ids. */
  readonly route: string;
  /** Undefined where nothing responded in time. */
  readonly status: number | undefined;
  readonly isExpected: boolean;
}

/** The bounds of the alarms that roll back a canary deployment: 1 % of the requests, and at least three. */
const FEWEST = 3;
const SHARE = 0.01;

export class Tally {
  requests = 0;
  unexpected = 0;
  readonly #kinds = new Map<string, number>();

  add({ method, route, status, isExpected }: TrafficOutcome): void {
    this.requests += 1;
    if (isExpected) return;
    this.unexpected += 1;
    const kind = `${method} ${route} ${status === undefined ? 'was not answered' : `was answered with ${status}`}`;
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  /** Whether more requests failed than these bounds allow. */
  get isBad(): boolean {
    return this.unexpected >= Math.max(FEWEST, this.requests * SHARE);
  }

  /** The outcome as lines for people. */
  lines(): readonly string[] {
    const kinds = [...this.#kinds].map(([kind, times]) => `  ${kind}${times === 1 ? '' : `, ${times} times`}`);
    return [`${this.requests} requests, ${this.unexpected} not answered as expected`, ...kinds];
  }
}
