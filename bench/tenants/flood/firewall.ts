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
